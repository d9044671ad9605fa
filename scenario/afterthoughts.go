package scenario

import (
	"fmt"

	"weft/record"
	"weft/transport"
)

// afterthoughts adds the notices that only the end of a run shows to be due.
func (r *run) afterthoughts(l *lockstep) {
	if text := r.spurious(); text != "" {
		r.qualify(record.NoticeSpurious, text)
	}
	if text := r.overran(); text != "" {
		r.qualify(record.NoticeHeadroomLoss, text)
	}
	if text := r.inLockstep(l); text != "" {
		r.qualify(record.NoticeLocked, text)
	}
}

// Spurious retransmissions are many from these on.
const (
	manyCopies    = 100
	shareOfCopies = 0.01 // of the data packets that arrived
)

// spurious tells of retransmissions of packets that had arrived, if they are many.
func (r *run) spurious() string {
	c := r.transport.Counts()
	if c.Spurious < manyCopies || float64(c.Spurious) < shareOfCopies*float64(c.Packets) {
		return ""
	}
	text := fmt.Sprintf("%d of %d retransmissions were spurious: the packet had arrived", c.Spurious, c.Retransmits)
	for i := range r.groups {
		switch g := &r.groups[i]; {
		case g.Congestion.NewHost != nil:
			return text + "; its transport asks again too soon, or answers were lost"
		case g.Recovery.Kind == transport.IRN:
			return text + "; irn takes packets that later ones overtake for lost, as with spraying: write tolerance under transport.recovery, or rto_low and rto_high if timeouts are too short"
		case g.Recovery.Kind == transport.SACK:
			return text + "; sack takes packets for lost that a few later ones overtake, as after a change of path: write more duplicates under transport.recovery, or a longer transport.rto if timeouts are too short"
		case !g.Adaptive:
			return text + fmt.Sprintf("; transport.rto, %v, is shorter than round trips here, or acknowledgements were lost: leave rto out, so that it adapts, or write a longer time", g.RTO)
		}
	}
	return text + "; round trips grew faster than the timeout adapted, or acknowledgements were lost: write a longer transport.rto"
}
