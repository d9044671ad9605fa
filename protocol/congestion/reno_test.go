package congestion

import (
	"slices"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// TestRenoSteps follows RFC 5681 and 6582 by hand, from a window of 8 packets.
func TestRenoSteps(t *testing.T) {
	acked := func(now, sent unit.Time, n int32) func(protocol.Congestion) {
		return func(c protocol.Congestion) { c.Acked(ack(now*us, sent*us, n, 0)) }
	}
	lost := func(now, sent unit.Time, cause protocol.LossCause) func(protocol.Congestion) {
		return func(c protocol.Congestion) {
			c.Lost(&protocol.Loss{Now: now * us, SentAt: sent * us, Cause: cause})
		}
	}
	silent := func(now unit.Time) func(protocol.Congestion) {
		return func(c protocol.Congestion) { c.Lost(&protocol.Loss{Now: now * us, Silent: true}) }
	}
	type step struct {
		name              string
		do                func(protocol.Congestion)
		window, threshold int64
	}
	const most = 64
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"slow start and fast recovery", []step{
			{"a packet for each", acked(10, 0, 3), 11, most},
			{"a mark is nothing to it", func(c protocol.Congestion) { c.Acked(ack(11*us, 0, 1, 1)) }, 12, most},
			{"a duplicate neither", acked(11, 0, 0), 12, most},
			{"half, at the third packet that overtook", lost(12, 1, protocol.Missing), 6, 6},
			{"once for what was sent before", lost(13, 11, protocol.Missing), 6, 6},
			{"no growth for what was sent before", acked(13, 11, 5), 6, 6},
			{"nor for what was sent again", acked(14, -1, 5), 6, 6},
			{"congestion avoidance with what was sent since", acked(22, 12, 5), 6, 6},
			{"a packet for a window", acked(22, -1, 1), 7, 6},
			{"and the next", acked(23, 13, 7), 8, 6},
			{"half again", lost(24, 13, protocol.Trimmed), 4, 4},
			{"also by the timeout of a packet", lost(40, 30, protocol.Timeout), 2, 2},
			{"not below two packets", lost(50, 41, protocol.Missing), 2, 2},
		}},
		{"silence", []step{
			{"the loss window", silent(10), 1, 4},
			{"once for all that was in flight", silent(10), 1, 4},
			{"the threshold stays as long as nothing comes", silent(20), 1, 4},
			{"slow start, whenever it was sent", acked(21, -1, 2), 3, 4},
			{"up to the threshold, and on", acked(22, -1, 4), 4, 4},
			{"", acked(23, -1, 1), 5, 4},
			{"nothing sent before it cuts", lost(24, 9, protocol.Missing), 5, 4},
			{"again", silent(30), 1, 2},
		}},
		{"the largest window", []step{
			{"", acked(10, -1, 1000), most, most},
			{"", acked(10, -1, 1000), most, most},
			{"a new connection", func(c protocol.Congestion) { c.Start(20 * us) }, 8, most},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := build(t, Reno{Initial: amount(8), Largest: amount(most)}).(*reno)
			for i, s := range tt.steps {
				s.do(c)
				if c.window != s.window || c.threshold != s.threshold {
					t.Fatalf("step %d (%s): window %d, threshold %d, want %d and %d", i, s.name, c.window, c.threshold, s.window, s.threshold)
				}
				if c.Window() != unit.Bytes(s.window)*4096 {
					t.Fatalf("step %d: the window is %v, which is not %d packets", i, c.Window(), s.window)
				}
			}
		})
	}
}

// TestRenoSawtooth has a link drop one packet of each window that exceeds what it holds, n packets: the window doubles every
// round trip up to that, and from then on goes from half of n + 1 to n + 1 by a packet every round trip, as closed
// forms say: so a mean of about 3/4·n, and a loss in about 3/8·n² packets (Mathis et al., CCR 1997, §2).
func TestRenoSawtooth(t *testing.T) {
	const n = 40
	c := build(t, Reno{Initial: amount(2)}).(*reno)
	var windows []int64
	packets := 0
	for round := unit.Time(1); round <= 100; round++ {
		w := c.window
		windows = append(windows, w)
		now, sent := 10*us*round, 10*us*(round-1)
		packets += int(w)
		if w > n {
			c.Lost(&protocol.Loss{Now: now, SentAt: sent, Cause: protocol.Missing})
			w = n
		}
		for range w {
			c.Acked(ack(now, sent, 1, 0))
		}
	}
	if want := []int64{2, 4, 8, 16, 32, 64, 32}; !slices.Equal(windows[:len(want)], want) {
		t.Errorf("slow start has windows %v, want %v", windows[:len(want)], want)
	}
	tooth := []int64{}
	for w := int64(n+1) / 2; w <= n+1; w++ {
		tooth = append(tooth, w)
	}
	first := 5 + 1 + (n + 1 - 32) + 1 // after the largest window of slow start and the rise from half of it
	for i, w := range windows[first:] {
		if want := tooth[i%len(tooth)]; w != want {
			t.Fatalf("round trip %d has a window of %d, want %d: %v", first+i, w, want, windows)
		}
	}
}

func TestRenoRefusals(t *testing.T) {
	if _, err := (Reno{Largest: &unit.Amount{Share: 0.5}}).Build(); err == nil {
		t.Error("a share of a queue was taken for a window")
	}
}
