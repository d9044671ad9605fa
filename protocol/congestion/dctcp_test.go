package congestion

import (
	"math"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// Steps of a connection without slow start that begins at time 0 with a window
// of 16 packets between 2 and 20, alpha ½ and g ¼.
func TestDCTCPSteps(t *testing.T) {
	o := defaults[DCTCP](t, "dctcp")
	o.SlowStart, o.Initial, o.Least, o.Largest = false, amount(16), amount(2), *amount(20)
	o.Alpha, o.Gain = 0.5, 0.25
	type state struct {
		name          string
		do            func(protocol.Congestion)
		window, alpha float64
	}
	acked := func(now, sent unit.Time, n, marked int32) func(protocol.Congestion) {
		return func(c protocol.Congestion) { c.Acked(ack(now*us, sent*us, n, marked)) }
	}
	lost := func(now, sent unit.Time, cause protocol.LossCause) func(protocol.Congestion) {
		return func(c protocol.Congestion) {
			c.Lost(&protocol.Loss{Now: now * us, SentAt: sent * us, Cause: cause})
		}
	}
	silent := func(now, sent unit.Time) func(protocol.Congestion) {
		return func(c protocol.Congestion) {
			c.Lost(&protocol.Loss{Now: now * us, SentAt: sent * us, Silent: true})
		}
	}
	const w1 = 16 + 1./16
	for _, tt := range []struct {
		name  string
		o     func(*DCTCP)
		steps []state
	}{
		{"alpha", nil, []state{
			{"the first acknowledgement ends a window", acked(10, 0, 1, 0), w1, 0.375},
			{"of the new window, before which it was sent", acked(11, 9, 1, 0), w1 + 1/w1, 0.375},
			{"end of a window: one of four marked, and the cut", acked(20, 10, 3, 1), (w1 + 1/w1 + 1/(w1+1/w1) + 1/(w1+1/w1+1/(w1+1/w1))) * (1 - 0.34375/2), 0.75*0.375 + 0.25*0.25},
		}},
		{"cuts", nil, []state{
			{"a mark: alpha first, then the cut", acked(10, 0, 1, 1), 16 * (1 - 0.625/2), 0.625},
			{"no more for what was sent before it", acked(11, 9, 1, 1), 11, 0.625},
			{"again for what was sent since", acked(20, 10, 1, 1), 11 * (1 - (0.75*0.625+0.25)/2), 0.75*0.625 + 0.25},
		}},
		{"the time of sending not known", nil, []state{
			{"no cut and no end of a window", acked(10, -1, 2, 1), w1, 0.5},
			{"but counted", acked(11, 1, 2, 0), w1 + 1/w1 + 1/(w1+1/w1), 0.75*0.5 + 0.25*0.25},
		}},
		{"a new connection counts anew", nil, []state{
			{"", acked(10, -1, 3, 3), 16, 0.5},
			{"", func(c protocol.Congestion) { c.Start(20 * us) }, 16, 0.5},
			{"", acked(30, 20, 1, 0), w1, 0.375},
		}},
		{"duplicates", nil, []state{
			{"nothing acknowledged, nothing to share", acked(10, 0, 0, 1), 16, 0.5},
		}},
		{"losses", nil, []state{
			{"halve", lost(10, 0, protocol.Timeout), 8, 0.5},
			{"once a window", lost(11, 9, protocol.Timeout), 8, 0.5},
			{"trimmed ones too", lost(20, 10, protocol.Trimmed), 4, 0.5},
			{"marks of that window cut no more", acked(21, 19, 1, 1), 4, 0.5*0.75 + 0.25},
			{"the next window", lost(30, 20, protocol.Timeout), 2, 0.625},
			{"not below the least", lost(40, 30, protocol.Timeout), 2, 0.625},
		}},
		{"a loss after a mark", nil, []state{
			{"", acked(10, 0, 1, 1), 11, 0.625},
			{"halves as well", lost(11, 9, protocol.Timeout), 5.5, 0.625},
		}},
		{"trimmed is not lost", func(o *DCTCP) { o.TrimmedIsLost = false }, []state{
			{"", lost(10, 0, protocol.Trimmed), 16, 0.5},
			{"", lost(10, 0, protocol.Timeout), 8, 0.5},
		}},
		{"silence", func(o *DCTCP) { o.SlowStart = true }, []state{
			{"the least window", silent(10, 0), 2, 0.5},
			{"once for all that was in flight", silent(10, 9), 2, 0.5},
			{"slow start", acked(11, -1, 5, 0), 7, 0.5},
			{"up to half of the window before", acked(12, -1, 2, 0), 8 + 1./8, 0.5},
			{"again, whenever it was sent", silent(13, 5), 2, 0.5},
			{"up to half again", acked(14, -1, 3, 0), 4.0625 + 0.9375, 0.5},
		}},
		{"silence without slow start", nil, []state{
			{"", silent(10, 0), 2, 0.5},
			{"", acked(11, -1, 1, 0), 2.5, 0.5},
		}},
		{"marked packets grow the window", func(o *DCTCP) { o.GrowMarked, o.Alpha, o.Gain = true, 0, 0 }, []state{
			{"not the first one", acked(10, -1, 1, 1), 16, 0},
			{"those in a row with it", acked(11, -1, 1, 1), 16 + 1./16, 0},
			{"of an acknowledgement, after the cut", acked(12, 0, 2, 2), 16 + 1./16 + 1/(16+1./16) + 1/(16+1./16+1/(16+1./16)), 0},
			{"one that was not marked ends the row", func(c protocol.Congestion) { c.(*dctcp).window = 4; acked(13, -1, 1, 0)(c) }, 4.25, 0},
			{"", acked(14, -1, 1, 1), 4.25, 0},
			{"first those without, then those with", acked(15, -1, 3, 2), 4.25 + 1/4.25 + 1/(4.25+1/4.25), 0},
		}},
		{"the largest window", nil, []state{
			{"", acked(10, -1, 100, 0), 20, 0.5},
		}},
		{"slow start", func(o *DCTCP) { o.SlowStart = true; o.Initial = amount(3) }, []state{
			{"one packet for each", acked(10, -1, 3, 0), 6, 0.5},
			{"none for a marked one", acked(10, -1, 1, 1), 6, 0.5},
			{"it ends with a cut", acked(11, 0, 1, 1), 6 * (1 - (0.375+0.25*2/5)/2), 0.375 + 0.25*2/5},
			{"", func(c protocol.Congestion) { c.(*dctcp).window = 4; acked(12, 0, 1, 0)(c) }, 4.25, 0.375 + 0.25*2/5},
			{"a new connection begins again", func(c protocol.Congestion) { c.Start(20 * us); acked(30, -1, 3, 0)(c) }, 6, 0.5},
			{"and ends with a loss", lost(31, 20, protocol.Timeout), 3, 0.5},
			{"", acked(32, -1, 1, 0), 3 + 1./3, 0.5},
			{"and stops at the largest", func(c protocol.Congestion) { c.Start(40 * us); acked(50, -1, 40, 0)(c) }, 20, 0.5},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := o
			if tt.o != nil {
				tt.o(&o)
			}
			c := build(t, o).(*dctcp)
			for i, s := range tt.steps {
				s.do(c)
				if !near(c.window, s.window) || !near(c.alpha, s.alpha) {
					t.Fatalf("step %d (%s): window %v, alpha %v; want %v, %v", i, s.name, c.window, c.alpha, s.window, s.alpha)
				}
			}
		})
	}
}

// A connection that is never marked forgets the alpha that it began with.
func TestDCTCPAlphaDecays(t *testing.T) {
	c := build(t, defaults[DCTCP](t, "dctcp")).(*dctcp)
	for i := range unit.Time(100) {
		c.Acked(ack((i+1)*10*us, i*10*us, 20, 0))
	}
	if want := math.Pow(15./16, 100); !near(c.alpha, want) {
		t.Errorf("alpha after 100 windows %v, want %v", c.alpha, want)
	}
}

// One flow at a bottleneck that marks at K packets: the queue peaks at K+1 and
// swings by A = ½·sqrt(2(BDP+K)) (SIGCOMM 2010, §3.3, equations 8 to 10), which
// holds for g below 1.386/sqrt(2(BDP+K)).
func TestDCTCPSteadyQueue(t *testing.T) {
	const bdp, k = 200, 60
	o := defaults[DCTCP](t, "dctcp")
	o.Largest = *amount(10 * bdp)
	c := build(t, o)

	// A tick is the transmission of one packet. A packet reaches the queue at
	// once, and its acknowledgement the sender bdp ticks after its transmission.
	type packet struct {
		sent   int
		marked bool
	}
	var queue, wire []packet
	inflight, lowest, highest := 0, math.MaxInt, 0
	const ticks, settled = 60_000, 20_000
	for now := range ticks {
		at := func(tick int) unit.Time { return unit.Time(tick+1) * us }
		if len(wire) == bdp {
			p := wire[0]
			wire = wire[1:]
			if p.sent >= 0 {
				inflight--
				c.Acked(ack(at(now), at(p.sent), 1, map[bool]int32{true: 1}[p.marked]))
			}
		}
		for unit.Bytes(inflight+1)*4096 <= c.Window() {
			queue = append(queue, packet{now, len(queue) >= k})
			inflight++
		}
		if now > settled {
			lowest, highest = min(lowest, len(queue)), max(highest, len(queue))
		}
		if len(queue) > 0 {
			wire = append(wire, queue[0])
			queue = queue[1:]
		} else {
			wire = append(wire, packet{sent: -1})
		}
	}
	swing := 0.5 * math.Sqrt(2*(bdp+k))
	if highest < k || highest > k+2 {
		t.Errorf("the queue peaks at %d packets, want %d", highest, k+1)
	}
	if got := float64(highest - lowest); got < 0.7*swing || got > 1.3*swing {
		t.Errorf("the queue swings by %.0f packets, want %.1f", got, swing)
	}
}
