package scenario

import (
	"reflect"

	"weft/catalog"
	"weft/fabric"
	"weft/problem"
	"weft/unit"
)

// QueueLimit is the limit of a queue: an amount, or none.
type QueueLimit struct {
	unit.Amount
	// Infinite tells that there is none; Amount is then zero.
	Infinite bool
}

const infinite = "infinite"

// mostQueued is what a queue without a limit holds: what a port can count.
const mostQueued unit.Bytes = fabric.MostQueued

// UnmarshalText reads "infinite" or an amount.
func (q *QueueLimit) UnmarshalText(text []byte) error {
	a, none, err := unit.ParseAmountOr(infinite, string(text))
	if err != nil {
		return err
	}
	*q = QueueLimit{a, none}
	return nil
}

// MarshalText writes q like UnmarshalText reads it.
func (q QueueLimit) MarshalText() ([]byte, error) {
	if q.Infinite {
		return []byte(infinite), nil
	}
	return q.Amount.MarshalText()
}

// String writes q like MarshalText.
func (q QueueLimit) String() string {
	if q.Infinite {
		return infinite
	}
	return q.Amount.String()
}

// Form describes how a QueueLimit is written.
func (QueueLimit) Form() catalog.Form {
	amount := catalog.FormOf(reflect.TypeFor[unit.Amount]())
	return catalog.Form{Name: "bytes, BDP or infinite", Example: "1BDP", Pattern: amount.Pattern, Words: []string{infinite}}
}

// infiniteQueue checks that nothing is a share of a queue without a limit.
func (v *validation) infiniteQueue() {
	f := &v.s.Fabric
	if !f.Queue.Infinite {
		return
	}
	if m, err := f.ECN.Build(); err == nil && m.Marks() && (m.KMin.Share != 0 || m.KMax.Share != 0) {
		v.wrong("fabric.ecn", problem.New("marking begins at a share of the queue's limit, but with queue: %s there is none", infinite).Mend("write bytes or bandwidth-delay products, as in {kind: threshold, k: 1.25BDP}, or off"))
	}
	if f.Overflow == trimming && f.Trim.Queue.Share != 0 {
		v.wrong("fabric.trim.queue", problem.New("a share of the queue's limit, but with queue: %s there is none", infinite).Mend("write bytes or bandwidth-delay products"))
	}
}

// nic checks the queue at hosts.
func (v *validation) nic() {
	f := &v.s.Fabric
	if f.NIC != fifo {
		return
	}
	if m, err := f.ECN.Build(); err == nil && m.Marks() && (m.KMin != m.KMax || m.AtDequeue || m.New != nil) {
		v.wrong("fabric.nic", problem.New("a queue at hosts marks at a threshold, when a frame arrives").Mend("write fabric: {ecn: threshold}, leave ecn out, or write nic: pull"))
	}
}
