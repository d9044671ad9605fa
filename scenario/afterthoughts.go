package scenario

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/internal/readable"
	"weft/protocol"
	"weft/record"
	"weft/scenario/internal/watch"
	"weft/transport"
	"weft/unit"
)

// losses compares the lost packets with the retransmitted ones once a run is over.
type losses struct {
	watched
	window *window
	sent   []sentBy // by group
}

func newLosses(w watched, m *window) *losses {
	return &losses{watched: w, window: m, sent: make([]sentBy, len(w.groups))}
}

// Doubt adds the notices that only the end of a run can justify.
func (s *losses) Doubt(_ *watch.Moment, _ *transport.Messages, say func(kind record.NoticeKind, text string)) {
	if text, ok := s.reordered(); ok {
		say(record.NoticeReordered, text)
	} else if text := s.spurious(); text != "" {
		say(record.NoticeSpurious, text)
	}
	if s.droppedByQueues() {
		for _, text := range s.notes.onDrops {
			s.notice(text)
		}
	}
}

// Retransmissions are reported as spurious, or as caused by reordering, from this number
// and this share of the packets on.
const (
	manyCopies    = 100
	shareOfCopies = 0.01 // of the data packets that arrived
)

// sentBy counts the packets and retransmissions of the measured messages of a group.
type sentBy struct{ packets, again uint64 }

// Message adds a message if it is measured.
func (s *losses) Message(m *transport.Message, measured bool) {
	if measured {
		s.sent[m.Group].packets += uint64(m.Packets)
		s.sent[m.Group].again += uint64(m.Retransmits)
	}
}

// reordered describes a group whose loss recovery mistakes reordering across paths for
// loss: it retransmitted far more than the lost frames explain.
func (s *losses) reordered() (string, bool) {
	if singlePath(s.graph, s.tables) && !s.layered() {
		return "", false
	}
	for i, sent := range s.sent {
		g := &s.groups[i]
		if sent.again < manyCopies || float64(sent.again) < shareOfCopies*float64(sent.packets) || s.keepsOrder(g) {
			continue
		}
		lost, each, what := s.window.lost(), uint64(1), ""
		switch g.Recovery.Kind {
		case transport.GoBackN:
			// One loss costs all packets in flight behind it. Their number is unknown; a
			// BDP is usual.
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
		// A single path keeps the order but gives up the other paths. Only go-back-n costs
		// more than that.
		remedy := "write recovery: selective"
		if g.Recovery.Kind == transport.GoBackN && !s.routes.policy.Wanders() {
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

// keepsOrder reports whether all packets of a message take the same path until routing
// changes.
func (s *losses) keepsOrder(g *transport.Group) bool {
	way := g.Balancer.Spray.Way
	return g.Balancer.OnePath && (way == protocol.ByHash || way == protocol.BySymmetricHash) && !s.routes.policy.Wanders()
}

// droppedByQueues reports whether full queues dropped frames in the measured window.
func (s *losses) droppedByQueues() bool {
	return slices.ContainsFunc(s.window.counters, func(c fabric.PortCounters) bool { return c.Drops[fabric.QueueFull] > 0 })
}

// spurious describes retransmissions of packets that had arrived, if they are many.
func (s *losses) spurious() string {
	c := s.Transport.Counts()
	few := c.Spurious < manyCopies || float64(c.Spurious) < shareOfCopies*float64(c.Packets)
	if c.Spurious == 0 || few && s.window.lost() > 0 { // without a loss, no retransmission is justified
		return ""
	}
	text := fmt.Sprintf("%d of %d retransmissions were spurious: the packet had arrived", c.Spurious, c.Retransmits)
	longest := unit.Time(0)
	for _, h := range s.window.rtts {
		longest = max(longest, unit.Time(h.Max()))
	}
	for i := range s.groups {
		g := &s.groups[i]
		if g.Congestion.NewHost != nil {
			return text + "; its transport asks again too soon, or answers were lost"
		}
		if longest < g.RTO && c.Timeouts > 0 { // no acknowledgement came later than the timeout
			switch {
			case g.AckBitmap || s.window.lost() == 0:
			case c.Retransmits == c.Spurious: // no packet was missing, so later acknowledgements carry as much as a bitmap would
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
		case g.Recovery.Kind == transport.IRN || g.Recovery.Kind == transport.SACK || g.Recovery.Kind == transport.Order:
		case !g.Adaptive:
			return text + fmt.Sprintf("; transport.rto, %v, is shorter than round trips here, which took up to %v: leave rto out, so that it adapts, or write rto: %v",
				g.RTO, longest.RoundUp(unit.Microsecond), (2*longest).RoundUp(10*unit.Microsecond))
		default:
			return text + fmt.Sprintf("; round trips grew to %v faster than the timeout adapted: write rto: %v", longest.RoundUp(unit.Microsecond), (2*longest).RoundUp(10*unit.Microsecond))
		}
	}
	return text
}
