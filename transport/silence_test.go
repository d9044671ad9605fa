package transport

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/sim"
	"weft/unit"
)

// TestSilence loses all that one host sends for a while. What it has in flight is given
// up at once, after the least timeout and then after twice that, and not while other
// packets of the connection are acknowledged.
func TestSilence(t *testing.T) {
	const (
		us    = unit.Microsecond
		until = 90 * us // the first timeout comes before, the second after
	)
	for _, perPair := range []bool{false, true} {
		p := params(0)
		p.RTO, p.ConnectionTimer, p.PerPair = 40*us, true, perPair
		control := watch(&p, 4*payload)
		messages := from(0, 2, message1(10*payload))
		if perPair { // the same packets, of several messages
			messages = from(0, 2, message1(2*payload), message1(payload), message1(7*payload))
		}
		dropped := 0
		l := labConfig{
			Graph: star(t, 2), Groups: []Group{{Params: p, Sources: messages}},
			hooks: hooks{received: func(now sim.Time, h int32, f *fabric.Frame) bool {
				if h == 1 && now < until {
					dropped++
					return false
				}
				return true
			}},
		}.build(t)
		done := l.finish(t)
		want := []unit.Time{}
		for _, at := range []unit.Time{40 * us, 120 * us} {
			want = append(want, at, at, at, at)
		}
		var got []unit.Time
		for _, loss := range control.losses {
			got = append(got, loss.Now)
			if !loss.Silent {
				t.Errorf("per pair %v: a loss at %v that is not for silence", perPair, loss.Now)
			}
		}
		if !slices.Equal(got, want) || dropped != 8 {
			t.Errorf("per pair %v: %d packets dropped, given up at %v; want 8 at %v", perPair, dropped, got, want)
		}
		for _, m := range done {
			if m.End < 120*us || m.End > 140*us {
				t.Errorf("per pair %v: done at %v; the second timeout is at %v", perPair, m.End, 120*us)
			}
		}
	}
}

// TestHeardInTime loses the first packet of many. A timer of its own gives it up after
// the timeout; a connection's goes on while others are acknowledged, and gives it up a
// timeout after the last of them.
func TestHeardInTime(t *testing.T) {
	const us = unit.Microsecond
	for _, connection := range []bool{true, false} {
		p := params(0)
		p.RTO, p.ConnectionTimer = 30*us, connection
		control := watch(&p, 2*payload)
		lost, last := false, unit.Time(0)
		l := labConfig{
			Graph: star(t, 2), Groups: []Group{{Params: p, Sources: from(0, 2, message1(100*payload))}},
			hooks: hooks{received: func(now sim.Time, h int32, f *fabric.Frame) bool {
				switch {
				case h == 1 && f.Seq == 0 && !lost:
					lost = true
					return false
				case h == 0 && f.Seq != 0:
					last = now
				}
				return true
			}},
		}.build(t)
		l.finish(t)
		want := 30 * us
		if connection {
			want += last
		}
		if len(control.losses) != 1 || control.losses[0].Now != want || control.losses[0].Silent != connection {
			t.Errorf("a timer a connection: %v: losses %+v, want one at %v", connection, control.losses, want)
		}
		if last < 4*want/3 && !connection {
			t.Errorf("acknowledgements until %v, which does not tell the timers apart", last)
		}
	}
}
