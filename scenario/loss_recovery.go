package scenario

import (
	"fmt"

	"weft/problem"
	"weft/transport"
)

// lossRecovery adds the loss recovery of a group to its transport, and refuses options that
// do not belong to the chosen kind. The conflicts with other features are in
// recovery_features.go and order.go.
func (p *plan) lossRecovery(t *Transport, o *transport.Params) error {
	r := &t.Recovery
	kind := r.kind()
	for _, option := range []struct {
		name, of string
		said     bool
	}{
		{"ask_again", goBackN, r.AskAgain != nil}, {"rto_low", irn, r.RTOLow != nil}, {"rto_high", irn, r.RTOHigh != nil},
		{"few", irn, r.Few != nil}, {"tolerance", irn, r.Tolerance != nil}, {"duplicates", sack, r.Duplicates != nil},
		{"silence", byOrder, r.Silence != nil},
	} {
		if option.said && option.of != kind {
			return problem.At(option.name, "%s is an option of %s, and kind is %s", option.name, option.of, kind).Mend("remove it, or write kind: %s", option.of)
		}
	}
	if o.Congestion.NewHost != nil {
		return nil
	}
	if err := p.resendClass(r, o); err != nil {
		return err
	}
	switch {
	case kind == selective:
		return nil
	case kind == byOrder:
		o.AckBitmap = true
		o.Recovery = transport.Recovery{Kind: transport.Order, Silence: otherwise(r.Silence, silence)}
		return nil
	case kind == goBackN:
		o.Recovery = transport.Recovery{Kind: transport.GoBackN, Again: otherwise(r.AskAgain, askAgain)}
		return nil
	case kind == sack:
		o.Recovery = transport.Recovery{Kind: transport.SACK, Duplicates: uint32(otherwise(r.Duplicates, duplicates))}
		return nil
	}
	o.Recovery = transport.Recovery{
		Kind: transport.IRN, High: otherwise(r.RTOHigh, irnRTOHigh),
		Few: uint32(otherwise(r.Few, irnFew)), Tolerance: uint32(otherwise(r.Tolerance, 0)),
	}
	if o.Recovery.High < o.RTO {
		return problem.At("rto_high", "rto_high, %v, is less than rto_low, %v", o.Recovery.High, o.RTO).Mend("make it longer")
	}
	if most := uint32(o.Env.BDPPackets); o.ReorderLimit == 0 || o.ReorderLimit > most {
		o.ReorderLimit = most
	}
	return nil
}

// resendClass sets the class of a group's retransmissions, and refuses a class that does
// not come before the class of the data.
func (p *plan) resendClass(r *LossRecovery, o *transport.Params) error {
	if r.Class == nil {
		return nil
	}
	class, first, classes := *r.Class, p.queues.first, max(1, p.queues.port.Classes)
	enough := fmt.Sprintf("write fabric: {classes: %d}, transport: {class: %d, recovery: {kind: %s, class: %d}}", max(classes, first+2), max(first+1, int(o.Class)), r.kind(), first)
	switch {
	case class >= classes:
		return problem.At("class", "there is no class %d for retransmissions; fabric.classes is %d, and classes count from 0", class, classes).Mend("%s", enough)
	case class < first:
		return problem.At("class", "class 0 is that of trimmed headers, or of credits, and not for retransmissions").Mend("%s", enough)
	case class >= int(o.Class):
		return problem.At("class", "retransmissions of class %d do not go ahead of data of class %d", class, o.Class).Mend("%s", enough)
	}
	o.Ahead = o.Class - uint8(class)
	return nil
}
