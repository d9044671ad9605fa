package scenario

import (
	"cmp"
	"errors"
	"fmt"

	"weft/catalog"
	"weft/problem"
	"weft/transport"
	"weft/unit"
)

// LossRecovery says in a scenario how a transport makes good for losses: a kind
// ("go-back-n"), or a mapping ({kind: irn, rto_low: 50us}).
type LossRecovery struct {
	Kind       string     `yaml:"kind" doc:"selective: what times out, or was trimmed, is sent again. go-back-n: the receiver drops what comes after a missing packet and asks for that one; the sender goes back to it and sends everything after it again. irn: the receiver takes packets in any order and reports those that come after a missing one; the sender sends again what later packets have overtaken, and has at most one BDP between the oldest unacknowledged packet and the newest. sack: TCP's; the sender sends again what a number of later packets have overtaken." source:"go-back-n: RoCE NICs, as in HPCC's simulator; irn: Mittal et al., SIGCOMM 2018, §3; sack: RFC 6675" enum:"selective,go-back-n,irn,sack"`
	AskAgain   *unit.Time `yaml:"ask_again" doc:"With go-back-n: time after which a receiver asks for the same packet again, if more arrives (default: 500us)." source:"HPCC's simulator" min:"1ns"`
	RTOLow     *unit.Time `yaml:"rto_low" doc:"With irn: timeout of a packet while few packets are in flight (default: 100us)." source:"IRN §4.1" min:"1ns"`
	RTOHigh    *unit.Time `yaml:"rto_high" doc:"With irn: timeout while more are (default: 320us)." source:"IRN §4.1" min:"1ns"`
	Few        *int       `yaml:"few" doc:"With irn: how many packets of a message in flight are few (default: 3)." source:"IRN §4.1" min:"0" max:"65536"`
	Duplicates *int       `yaml:"duplicates" doc:"With sack: how many later packets must be acknowledged before a packet counts as missing (default: 3)." source:"RFC 5681 §3.2; RFC 6675 (DupThresh)" min:"1" max:"16777216"`
	Class      *int       `yaml:"class" doc:"Priority class of retransmissions, which go ahead of packets that are sent for the first time: before transport.class, and with overflow: trim after class 0, that of headers (default: that of the data)." source:"FatPaths, SC 2020, §III-C" min:"0" max:"7"`
	Tolerance  *int       `yaml:"tolerance" doc:"With irn: how many packets may overtake another before it counts as missing (default: 0)." source:"weft" min:"0" max:"16777216"`
}

// Kinds of recovery.
const (
	selective = "selective"
	goBackN   = "go-back-n"
	irn       = "irn"
	sack      = "sack"
)

// Defaults of their options.
const (
	askAgain   = 500 * unit.Microsecond
	irnRTOLow  = 100 * unit.Microsecond
	irnRTOHigh = 320 * unit.Microsecond
	irnFew     = 3
	duplicates = 3
)

// Form describes the short way of writing a LossRecovery.
func (LossRecovery) Form() catalog.Form {
	return catalog.Form{Name: "selective, go-back-n, irn or sack", Example: goBackN, Words: []string{selective, goBackN, irn, sack}}
}

// UnmarshalText reads a kind.
func (r *LossRecovery) UnmarshalText(text []byte) error {
	switch kind := string(text); kind {
	case selective, goBackN, irn, sack:
		*r = LossRecovery{Kind: kind}
		return nil
	}
	return fmt.Errorf("%.40q is no way to recover losses; write %s, %s, %s or %s, or as in {kind: %[4]s, rto_low: 50us}", text, selective, goBackN, irn, sack)
}

// MarshalText writes r like UnmarshalText reads it. It fails if only a mapping can say r.
func (r LossRecovery) MarshalText() ([]byte, error) {
	if r != (LossRecovery{Kind: r.Kind}) {
		return nil, errors.New("a recovery with options cannot be written as one word")
	}
	return []byte(r.Kind), nil
}

// kind returns the kind of recovery; none is selective.
func (r *LossRecovery) kind() string { return cmp.Or(r.Kind, selective) }

// rtoLow returns the low timeout of IRN.
func (r *LossRecovery) rtoLow() unit.Time { return otherwise(r.RTOLow, irnRTOLow) }

// otherwise returns what is said, or else a default.
func otherwise[T any](said *T, preset T) T {
	if said == nil {
		return preset
	}
	return *said
}

// lossRecovery adds how a group recovers losses to its transport, and refuses what does
// not fit it.
func (p *plan) lossRecovery(t *Transport, o *transport.Params) error {
	r := &t.Recovery
	kind := r.kind()
	for _, option := range []struct {
		name, of string
		said     bool
	}{
		{"ask_again", goBackN, r.AskAgain != nil}, {"rto_low", irn, r.RTOLow != nil}, {"rto_high", irn, r.RTOHigh != nil},
		{"few", irn, r.Few != nil}, {"tolerance", irn, r.Tolerance != nil}, {"duplicates", sack, r.Duplicates != nil},
	} {
		if option.said && option.of != kind {
			return problem.At(option.name, "%s is an option of %s, and kind is %s", option.name, option.of, kind).Mend("remove it, or write kind: %s", option.of)
		}
	}
	if o.Congestion.NewHost != nil {
		return nil
	}
	if err := p.resendClass(r, t, o); err != nil {
		return err
	}
	if kind == selective {
		return nil
	}
	switch {
	case p.queues.port.Trim != nil:
		return problem.New("%s finds losses out by gaps between packets, but with fabric.overflow: %s switches report them", kind, trimming).Mend("write overflow: drop, or recovery: %s", selective).Due("fabric.overflow")
	case o.Congestion.NewReceiver != nil:
		return fmt.Errorf("%s lets receivers send credit for what was lost, as recovery: %s does; write that, or choose a control with a window, such as dcqcn", t.Congestion.Kind, selective)
	case kind == goBackN:
		o.Recovery = transport.Recovery{Kind: transport.GoBackN, Again: otherwise(r.AskAgain, askAgain)}
		return nil
	case kind == sack:
		o.Recovery = transport.Recovery{Kind: transport.SACK, Duplicates: uint32(otherwise(r.Duplicates, duplicates))}
		return nil
	case t.RTO != nil || o.ConnectionTimer:
		return problem.New("%s has timeouts of its own, rto_low and rto_high", irn).Mend("leave transport.rto and transport.timer out")
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

// resendClass adds in which class a group sends packets again, and refuses one that is not ahead of that of the data,
// or in which other rules hold.
func (p *plan) resendClass(r *LossRecovery, t *Transport, o *transport.Params) error {
	if r.Class == nil {
		return nil
	}
	class, first, classes := *r.Class, 0, max(1, p.queues.port.Classes)
	if p.queues.port.Trim != nil || p.queues.port.Credit.On() {
		first = 1
	}
	enough := fmt.Sprintf("write fabric: {classes: %d}, transport: {class: %d, recovery: {kind: %s, class: %d}}", max(classes, first+2), max(first+1, int(o.Class)), r.kind(), first)
	switch {
	case class >= classes:
		return problem.At("class", "there is no class %d for retransmissions; fabric.classes is %d, and classes count from 0", class, classes).Mend("%s", enough)
	case class < first:
		return problem.At("class", "class 0 is that of trimmed headers, or of credits, and not for retransmissions").Mend("%s", enough)
	case class >= int(o.Class):
		return problem.At("class", "retransmissions of class %d do not go ahead of data of class %d", class, o.Class).Mend("%s", enough)
	case p.pausing.config.Classes>>class&1 != 0:
		return problem.At("class", "class %d is lossless (fabric.pfc), and hosts cannot pause retransmissions alone", class).Mend("leave class out of recovery, or out of fabric.pfc.classes").Due("fabric.pfc")
	case p.deflecting.config.Tokens > 0:
		return problem.At("class", "the classes before that of the data are lanes of deflected frames (fabric.deflect)").Mend("leave class out of recovery").Due("fabric.deflect")
	case o.Congestion.Controller.On():
		return problem.At("class", "switches compute the rates of %s for the queues of one class; leave class out of recovery, or choose another control, such as dcqcn", t.Congestion.Kind)
	}
	o.Ahead = o.Class - uint8(class)
	return nil
}
