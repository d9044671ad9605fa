package transport

import (
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// TestInterrupts: the packets of a message that arrive in a row are handed over with the first one and then at the end of
// each period in which some arrived, so a message ends at a multiple of the period after its first packet; and a sender
// whose window is one packet waits for both hosts in turn, a round trip rounded up by the two.
func TestInterrupts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		packets := rapid.IntRange(1, 60).Draw(t, "packets")
		period := sim.Time(rapid.IntRange(1, 12_000).Draw(t, "period")) * unit.Nanosecond
		var arrived []sim.Time
		c := labConfig{
			Graph: star(t, 2), Interrupts: period,
			Groups: []Group{{Params: params(unit.GiB), Sources: from(0, 2, message1(unit.Bytes(packets)*payload))}},
		}
		c.received = func(now sim.Time, _ int32, f *fabric.Frame) bool {
			if kindOf(f) == end.Data {
				arrived = append(arrived, now)
			}
			return true
		}
		m := c.build(t).finish(t)[0]
		taken := arrived[0]
		for _, at := range arrived {
			switch {
			case at >= taken+period:
				taken = at
			case at > taken:
				taken += period
			}
		}
		if m.End != taken {
			t.Fatalf("%d packets arrived from %v to %v; the message ended at %v, want %v", packets, arrived[0], arrived[len(arrived)-1], m.End, taken)
		}
	})
}

// TestInterruptsByTurns sends packet after packet: data waits for the receiver's interrupt, its acknowledgement for the
// sender's. Each comes a round trip after the one before, or a period if that is longer.
func TestInterruptsByTurns(t *testing.T) {
	const packets = 10
	for _, period := range []sim.Time{unit.Microsecond, 10 * unit.Microsecond} {
		p := params(payload)
		c := labConfig{Graph: star(t, 2), Interrupts: period, Groups: []Group{{Params: p, Sources: from(0, 2, workload.Message{Dst: 1, Size: packets * payload})}}}
		m := c.build(t).finish(t)[0]
		rate := 100 * unit.Gbps
		way := func(size unit.Bytes) sim.Time { return 2*(rate.Transmit(size)+unit.Microsecond) + 200*unit.Nanosecond }
		round := max(way(payload+header)+way(ackSize), period)
		if want := way(payload+header) + (packets-1)*round; m.End != want {
			t.Errorf("period %v: the message ended at %v, want %v", period, m.End, want)
		}
	}
}
