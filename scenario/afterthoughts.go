package scenario

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/readable"
	"weft/protocol"
	"weft/record"
	"weft/transport"
	"weft/unit"
)

// afterthoughts adds the notices that only the end of a run shows to be due.
func (r *run) afterthoughts() {
	if text, ok := r.reordered(); ok {
		r.qualify(record.NoticeReordered, text)
	} else if text := r.spurious(); text != "" {
		r.qualify(record.NoticeSpurious, text)
	}
	if r.droppedByQueues() {
		for _, text := range r.onDrops {
			r.notice(text)
		}
	}
	if text := r.overran(); text != "" {
		r.qualify(record.NoticeHeadroomLoss, text)
	}
	if text := r.inLockstep(); text != "" {
		r.qualify(record.NoticeLocked, text)
	}
}

// Spurious retransmissions are many from these on, and so are those for packets that others overtook.
const (
	manyCopies    = 100
	shareOfCopies = 0.01 // of the data packets that arrived
)

// sentBy is what the measured messages of a group sent.
type sentBy struct{ packets, again uint64 }

// addSent adds a message.
func (r *run) addSent(m *transport.Message) {
	if r.sent == nil {
		r.sent = make([]sentBy, len(r.groups))
	}
	r.sent[m.Group].packets += uint64(m.Packets)
	r.sent[m.Group].again += uint64(m.Retransmits)
}

// reordered tells of a group whose recovery takes packets for lost that others overtook, on other paths: what is
// sent again is much more than what was lost can explain.
func (r *run) reordered() (string, bool) {
	if singlePath(r.graph, r.tables) && !r.layered() {
		return "", false
	}
	for i, sent := range r.sent {
		g := &r.groups[i]
		if sent.again < manyCopies || float64(sent.again) < shareOfCopies*float64(sent.packets) || r.keepsOrder(g) {
			continue
		}
		lost, each, what := r.lostFrames(), uint64(1), ""
		switch g.Recovery.Kind {
		case transport.GoBackN:
			// One loss costs what is in flight behind it, which nobody knows: a BDP is usual.
			each, what = uint64(max(1, g.Env.BDPPackets)), "with go-back-n a receiver drops what comes before a missing packet has come"
		case transport.IRN:
			what = "irn takes a packet for lost as soon as a later one arrives"
		case transport.SACK:
			what = "sack takes a packet for lost when a few later ones have arrived"
		default:
			continue
		}
		if sent.again < 2*lost*each {
			continue
		}
		// One path keeps the order, and costs the others: only going back costs more than that.
		remedy := "write recovery: selective"
		if g.Recovery.Kind == transport.GoBackN && r.policy.Detours == nil {
			remedy += ", or balancer: ecmp"
		}
		frames := readable.Count(int(lost), "frame") + " was"
		if lost != 1 {
			frames = fmt.Sprintf("%d frames were", lost)
		}
		return fmt.Sprintf("%s sent packets again %d times, and has %d, though %s lost: %s, and packets that take several paths overtake each other; %s",
			g.Name, sent.again, sent.packets, frames, what, remedy), true
	}
	return "", false
}

// keepsOrder tells whether packets of a message of a group keep to one path, unless it changes.
func (r *run) keepsOrder(g *transport.Group) bool {
	way := g.Balancer.Spray.Way
	return g.Balancer.OnePath && (way == protocol.ByHash || way == protocol.BySymmetricHash) && r.policy.Detours == nil
}

// lostFrames counts frames that were dropped or trimmed in the measured window.
func (r *run) lostFrames() (lost uint64) {
	for i := range r.counters {
		c := &r.counters[i]
		lost += c.Trims
		for why, n := range c.Drops {
			if fabric.Reason(why) != fabric.CreditQueueFull {
				lost += n
			}
		}
	}
	return lost
}

// droppedByQueues tells whether full queues dropped frames in the measured window.
func (r *run) droppedByQueues() bool {
	return slices.ContainsFunc(r.counters, func(c fabric.PortCounters) bool { return c.Drops[fabric.QueueFull] > 0 })
}

// spurious tells of retransmissions of packets that had arrived, if they are many.
func (r *run) spurious() string {
	c := r.transport.Counts()
	few := c.Spurious < manyCopies || float64(c.Spurious) < shareOfCopies*float64(c.Packets)
	if c.Spurious == 0 || few && r.lostFrames() > 0 { // without a loss none is due
		return ""
	}
	text := fmt.Sprintf("%d of %d retransmissions were spurious: the packet had arrived", c.Spurious, c.Retransmits)
	longest := unit.Time(0)
	for _, h := range r.rtts {
		longest = max(longest, unit.Time(h.Max()))
	}
	for i := range r.groups {
		g := &r.groups[i]
		if g.Congestion.NewHost != nil {
			return text + "; its transport asks again too soon, or answers were lost"
		}
		if longest < g.RTO && c.Timeouts > 0 { // no answer that came was late
			switch {
			case g.AckBitmap || r.lostFrames() == 0:
			case c.Retransmits == c.Spurious: // no packet was missing, so that later acknowledgements say all that a bitmap would
				return text + "; acknowledgements were lost"
			default:
				return text + "; acknowledgements were lost: write ack: {bitmap: true}, so that later ones make up for them"
			}
			continue
		}
		switch {
		case g.Recovery.Kind == transport.IRN && longest > g.RTO:
			return text + fmt.Sprintf("; round trips took up to %v, and irn waits no longer for the last packets of a message: write recovery: {kind: irn, rto_low: %v, rto_high: %[3]v}",
				longest.RoundUp(unit.Microsecond), longest.RoundUp(10*unit.Microsecond), (2*longest).RoundUp(10*unit.Microsecond))
		case g.Recovery.Kind == transport.IRN || g.Recovery.Kind == transport.SACK:
		case !g.Adaptive:
			return text + fmt.Sprintf("; transport.rto, %v, is shorter than round trips here, which took up to %v: leave rto out, so that it adapts, or write rto: %v",
				g.RTO, longest.RoundUp(unit.Microsecond), (2*longest).RoundUp(10*unit.Microsecond))
		default:
			return text + fmt.Sprintf("; round trips grew to %v faster than the timeout adapted: write rto: %v", longest.RoundUp(unit.Microsecond), (2*longest).RoundUp(10*unit.Microsecond))
		}
	}
	return text
}
