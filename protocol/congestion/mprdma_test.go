package congestion

import (
	"testing"

	"weft/protocol"
)

// The three rules one after another, from a window of 10 packets between 2 and 12.
func TestMPRDMASteps(t *testing.T) {
	o := defaults[MPRDMA](t, "mprdma")
	o.Initial, o.Least, o.Largest = *amount(10), amount(2), *amount(12)
	type state struct {
		do   func(protocol.Congestion)
		want float64
	}
	acked := func(n, marked int32) func(protocol.Congestion) {
		return func(c protocol.Congestion) { c.Acked(ack(us, 0, n, marked)) }
	}
	lost := func(cause protocol.LossCause) func(protocol.Congestion) {
		return func(c protocol.Congestion) { c.Lost(&protocol.Loss{Now: us, Cause: cause}) }
	}
	for _, tt := range []struct {
		name  string
		o     func(*MPRDMA)
		steps []state
	}{
		{"unmarked", nil, []state{
			{acked(1, 0), 10 + 1./10},
			{acked(1, 0), 10.1 + 1./10.1},
		}},
		{"unmarked, coalesced", nil, []state{{acked(2, 0), 10.1 + 1./10.1}}},
		{"unmarked up to the largest", nil, []state{{acked(23, 0), 12}, {acked(1, 0), 12}}},
		{"marked", nil, []state{{acked(1, 1), 9.5}, {acked(1, 1), 9}}},
		{"marked, coalesced", nil, []state{{acked(2, 2), 9}}},
		{"both in one acknowledgement", nil, []state{{acked(3, 1), 10.1 + 1./10.1 - 0.5}}},
		{"a duplicate counts for nothing", nil, []state{{acked(0, 0), 10}, {acked(0, 1), 10}}},
		{"marked down to the least", nil, []state{{acked(15, 15), 2.5}, {acked(2, 2), 2}, {acked(1, 0), 2.5}}},
		{"lost", nil, []state{{lost(protocol.Timeout), 9}, {lost(protocol.Timeout), 8}, {lost(protocol.Trimmed), 7}}},
		{"lost down to the least", func(o *MPRDMA) { o.CutLost = 7.5 }, []state{{lost(protocol.Timeout), 2.5}, {lost(protocol.Timeout), 2}}},
		{"trimmed is not lost", func(o *MPRDMA) { o.TrimmedIsLost = false }, []state{{lost(protocol.Trimmed), 10}, {lost(protocol.Timeout), 9}}},
		{"the simulator's cut", func(o *MPRDMA) { o.CutMarked = 0.25 }, []state{{acked(1, 1), 9.75}}},
		{"a new connection", nil, []state{{acked(9, 9), 5.5}, {func(c protocol.Congestion) { c.Start(us) }, 10}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := o
			if tt.o != nil {
				tt.o(&o)
			}
			c := build(t, o).(*mprdma)
			for i, s := range tt.steps {
				s.do(c)
				if !near(c.window, s.want) {
					t.Fatalf("step %d: window %v, want %v", i, c.window, s.want)
				}
			}
		})
	}
}

// With a share p of marked packets, growth (1-p)/w and decrease p/2 balance at
// w = 2(1-p)/p.
func TestMPRDMASettles(t *testing.T) {
	for _, every := range []int32{6, 11, 13} {
		want := 2 * float64(every-1)
		c := build(t, defaults[MPRDMA](t, "mprdma")).(*mprdma)
		var sum, n float64
		const rounds, settled = 2000, 1000
		for r := range rounds {
			for i := range every {
				c.Acked(ack(us, 0, 1, map[bool]int32{true: 1}[i == 0]))
				if r >= settled {
					sum, n = sum+c.window, n+1
				}
			}
		}
		if mean := sum / n; mean < 0.98*want || mean > 1.02*want {
			t.Errorf("one of %d marked: window %.2f, want %.0f", every, mean, want)
		}
	}
}
