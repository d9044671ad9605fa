package replay_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"weft/trace"
	"weft/trace/internal/draw"
	"weft/trace/replay"
	"weft/unit"
	"weft/workload"
)

// source drives a rank as a fabric's carrier will, by the calls that a host makes to its sources. A
// message ends at its sender when it starts. Each processor takes computations in order.
type source struct {
	id       int32
	schedule *trace.Schedule
	rank     *replay.Rank
	all      []*source

	now     unit.Time
	cpus    []processor
	sends   []uint32 // that may start now
	started []uint32 // by ordinal, which the receiver reads
	ends    []unit.Time
}

type processor struct {
	queue []uint32 // the first one runs
	ends  unit.Time
}

var _ workload.Receiver = (*source)(nil)

func newSource(id int32, s *trace.Schedule, cpus int) *source {
	c := &source{id: id, schedule: s, rank: replay.New(&trace.Trace{Ranks: []trace.Schedule{*s}})[0], cpus: make([]processor, cpus), ends: make([]unit.Time, s.Len())}
	c.begin(0, c.rank.Begin(nil))
	return c
}

// begin begins operations that may.
func (c *source) begin(now unit.Time, ready []uint32) {
	for _, op := range slices.Clone(ready) {
		switch o := c.schedule.At(op); o.Kind {
		case trace.Send:
			c.sends = append(c.sends, op)
		case trace.Recv:
			_, took := c.rank.Post(op)
			c.begin(now, c.rank.Started(op, nil))
			if took {
				c.end(now, op)
			}
		case trace.Calc:
			p := &c.cpus[o.CPU]
			if p.queue = append(p.queue, op); len(p.queue) == 1 {
				c.run(now, p)
			}
		}
	}
}

// run starts the first computation of a processor.
func (c *source) run(now unit.Time, p *processor) {
	op := p.queue[0]
	p.ends = now + unit.Time(c.schedule.At(op).Size)*unit.Nanosecond
	c.begin(now, c.rank.Started(op, nil))
}

func (c *source) end(now unit.Time, op uint32) {
	c.ends[op] = now
	c.begin(now, c.rank.Ended(op, nil))
}

// advance ends the computations whose time has come.
func (c *source) advance(now unit.Time) {
	for {
		var first *processor
		for i := range c.cpus {
			if p := &c.cpus[i]; len(p.queue) > 0 && p.ends <= now && (first == nil || p.ends < first.ends) {
				first = p
			}
		}
		if first == nil {
			return
		}
		op, at := first.queue[0], first.ends
		c.now = at
		if first.queue = first.queue[1:]; len(first.queue) > 0 {
			c.run(at, first)
		}
		c.end(at, op)
	}
}

// Due implements workload.Receiver. Nothing may start then but a computation end.
func (c *source) Due() (at unit.Time, ok bool) {
	if len(c.sends) > 0 {
		return c.now, true
	}
	for i := range c.cpus {
		if p := &c.cpus[i]; len(p.queue) > 0 && (!ok || p.ends < at) {
			at, ok = p.ends, true
		}
	}
	return at, ok
}

// Next implements workload.Source.
func (c *source) Next() (workload.Message, bool) {
	at, _ := c.Due()
	c.advance(at)
	if len(c.sends) == 0 {
		return workload.Message{}, false
	}
	op := c.sends[0]
	c.sends = c.sends[1:]
	c.started = append(c.started, op)
	c.begin(at, c.rank.Started(op, nil))
	c.end(at, op)
	o := c.schedule.At(op)
	return workload.Message{At: at, Dst: o.Peer, Size: unit.Bytes(o.Size)}, true
}

// Completed implements workload.Source.
func (*source) Completed(unit.Time, uint64) {}

// Received implements workload.Receiver.
func (c *source) Received(now unit.Time, src int32, ordinal uint64) {
	c.advance(now)
	c.now = now
	from := c.all[src]
	op := from.started[ordinal]
	if recv, ok := c.rank.Arrive(replay.Message{Tag: from.schedule.At(op).Tag, Source: src, Op: op}); ok {
		c.end(now, recv)
	}
}

// network drives sources as hosts do, with random delays, and returns when operations ended.
func network(tr *trace.Trace, cpus int, seed uint64) (left int, ends [][]unit.Time) {
	rnd := rand.New(rand.NewPCG(seed, 3))
	all := make([]*source, len(tr.Ranks))
	for r := range tr.Ranks {
		all[r] = newSource(int32(r), &tr.Ranks[r], cpus)
	}
	type delivery struct {
		at       unit.Time
		src, dst int32
		ordinal  uint64
	}
	var way []delivery
	for _, c := range all {
		c.all = all
	}
	for now := unit.Time(0); ; {
		for r, c := range all {
			for {
				if at, ok := c.Due(); !ok || at > now {
					break
				}
				if m, ok := c.Next(); ok {
					way = append(way, delivery{now + 1 + unit.Time(rnd.Int64N(int64(unit.Microsecond))), int32(r), m.Dst, uint64(len(c.started) - 1)})
				}
			}
		}
		next, found := unit.Time(0), false
		for _, c := range all {
			if at, ok := c.Due(); ok && (!found || at < next) {
				next, found = at, true
			}
		}
		first := -1
		for i, d := range way {
			if first < 0 || d.at < way[first].at {
				first = i
			}
		}
		if first < 0 && !found {
			break
		}
		if first >= 0 && (!found || way[first].at <= next) {
			d := way[first]
			way = slices.Delete(way, first, first+1)
			now = d.at
			all[d.dst].Received(now, d.src, d.ordinal)
			continue
		}
		now = next
	}
	for _, c := range all {
		left += c.rank.Left()
		ends = append(ends, c.ends)
	}
	return left, ends
}

// TestSource: the core can be driven by what a host tells its sources. All operations end, none before
// what it requires.
func TestSource(t *testing.T) {
	for seed := range uint64(60) {
		tr := draw.Trace(seed, draw.Shape{Ranks: 5, Messages: 60, Calcs: 40, CPUs: 2, NICs: 1, Eager: 500, Distinct: true})
		left, ends := network(tr, 2, seed)
		if left != 0 {
			t.Errorf("seed %d: %d operations are left", seed, left)
			continue
		}
		for r := range tr.Ranks {
			s := &tr.Ranks[r]
			for i := range uint32(s.Len()) {
				s.Dependants(i, func(op uint32, start bool) {
					if !start && ends[r][op] < ends[r][i] {
						t.Errorf("seed %d: rank %d: %s ends before %s, which it requires", seed, r, s.Name(op), s.Name(i))
					}
				})
			}
		}
	}
}
