package transport

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// seeker is an entropy chooser that, from the first loss on, probes once a microsecond
// with growing entropies until an echo comes back.
type seeker struct {
	constant
	lost, found bool
	next        uint16
	due         unit.Time
	echoes      []uint16
	marked      []bool
}

func (s *seeker) Lost(*protocol.Loss) { s.lost = true }

func (s *seeker) Probe(now unit.Time) (uint16, bool, unit.Time) {
	if !s.lost || s.found {
		return 0, false, unit.Forever
	}
	if now < s.due {
		return 0, false, s.due
	}
	s.next++
	s.due = now + unit.Microsecond
	return s.next, true, s.due
}

func (s *seeker) Probed(_ unit.Time, entropy uint16, marked bool) {
	s.found = true
	s.echoes, s.marked = append(s.echoes, entropy), append(s.marked, marked)
}

// A chooser that loses a packet probes; echoes come back with the entropy of the probe and
// its mark, and a probe that is lost is not sent again.
func TestProbes(t *testing.T) {
	for _, marks := range []bool{false, true} {
		p := params(100 * payload)
		p.RTO = 50 * unit.Microsecond
		s := &seeker{}
		p.Balancer.New = func(protocol.Env) protocol.Entropy { return s }
		var sent []sim.Time
		dropped := 0
		c := labConfig{Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(400*payload))}}}
		c.sent = func(now sim.Time, _ int32, f *fabric.Frame) {
			if kindOf(f) == end.Probe {
				sent = append(sent, now)
				if f.Size != ackSize || f.Entropy != uint16(len(sent)) {
					t.Errorf("probe %d is of %d B, with entropy %d", len(sent), f.Size, f.Entropy)
				}
			}
		}
		c.received = func(_ sim.Time, _ int32, f *fabric.Frame) bool {
			switch {
			case kindOf(f) == end.Data && f.Seq == 7 && f.Bits&end.Again == 0:
				return false
			case kindOf(f) == end.Probe && f.Entropy <= 3:
				dropped++
				return false
			case kindOf(f) == end.Probe && marks:
				f.Flags |= packet.Marked
			}
			return true
		}
		l := c.build(t)
		l.finish(t)
		if dropped != 3 || len(s.echoes) == 0 || s.echoes[0] != 4 || slices.Contains(s.marked, !marks) {
			t.Errorf("%d lost, echoes %v, marked %v", dropped, s.echoes, s.marked)
		}
		for i := 1; i < len(sent); i++ {
			// One waits for the frame on the wire at most.
			if gap := sent[i] - sent[i-1]; gap < unit.Microsecond*6/10 || gap > unit.Microsecond*14/10 {
				t.Errorf("probes %d and %d are %v apart", i-1, i, gap)
			}
		}
		if n := l.transport.Counts().Probes; int(n) != len(sent) {
			t.Errorf("%d probes counted, %d sent", n, len(sent))
		}
	}
}
