package dart

import (
	"weft/protocol"
	"weft/unit"
)

// free is the control of a connection without a fallback: the bundle alone limits it.
type free struct{}

func (free) Start(unit.Time)     {}
func (free) Acked(*protocol.Ack) {}
func (free) Lost(*protocol.Loss) {}
func (free) Window() unit.Bytes  { return unit.TiB }

// paced is what DCQCN is.
type paced interface {
	protocol.Congestion
	protocol.Timed
	protocol.Pacer
	protocol.SendCounter
}

// resetting is DCQCN that begins anew when its receiver is congested, where n is the better limit.
type resetting struct{ paced }

// Acked implements protocol.Congestion.
func (r *resetting) Acked(a *protocol.Ack) {
	if a.Answered && readShare(a.Answer[1]).congested {
		r.Start(a.Now)
		return
	}
	r.paced.Acked(a)
}
