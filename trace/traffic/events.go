package traffic

import (
	"cmp"

	"weft/unit"
)

// event is what happens at a host at a time of its own.
type event struct {
	at     unit.Time
	order  uint64 // among events of one instant
	what   what
	number uint32 // of an operation at the host, or at source
	source int32  // host that sent what arrives
}

type what uint8

const (
	begins   what = iota // the replay, of all ranks
	computed             // a computation
	sent                 // a message over an inner link
	arrived              // a message over an inner link
)

// Compare orders events by time.
func (e event) Compare(o event) int {
	return cmp.Or(cmp.Compare(e.at, o.at), cmp.Compare(e.order, o.order))
}
