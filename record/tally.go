package record

import (
	"cmp"
	"math"
	"slices"

	"weft/internal/histogram"
	"weft/unit"
)

// Tally sums up measured messages that are added one by one, in any order, so that rows need not
// be held in memory. It keeps the values that percentiles need.
type Tally struct {
	cuts          []unit.Bytes
	all           sums
	groups, sizes split
	// Of the finished messages: completion times, and slowdowns by the definitions in Flow, NaN
	// for messages without one.
	fcts      []unit.Time
	rates     []unit.Rate // payload over completion time
	slowdowns [4][]float64
	// Scratch space for sorting the values of one part of the messages.
	times  []unit.Time
	speeds []unit.Rate
	ratios []float64
}

// split divides messages into parts.
type split struct {
	parts []sums
	// of holds the part of each finished message, or none.
	of []int32
}

const none int32 = -1

// sums holds what is known about some messages without their columns.
type sums struct {
	name  string
	first uint64 // least ID
	// stats has only the counts.
	stats    Stats
	payload  unit.Bytes
	from, to unit.Time
}

func newSums(name string) sums { return sums{name: name, first: math.MaxUint64, from: unit.Forever} }

// NewTally returns a tally with room for a number of messages. The cuts, in ascending order,
// divide messages by size for Summary.Sizes. Without cuts, Sizes stays empty.
func NewTally(messages int, cuts []unit.Bytes) *Tally {
	t := &Tally{cuts: cuts, all: newSums(""), fcts: make([]unit.Time, 0, messages), rates: make([]unit.Rate, 0, messages)}
	for k := range t.slowdowns {
		t.slowdowns[k] = make([]float64, 0, messages)
	}
	t.groups.of = make([]int32, 0, messages)
	if len(cuts) == 0 {
		return t
	}
	t.sizes.of = make([]int32, 0, messages)
	for k := range len(cuts) + 1 {
		t.sizes.parts = append(t.sizes.parts, newSums(SizeClass(k)))
	}
	return t
}

// Add adds a message.
func (t *Tally) Add(f *Flow) {
	t.all.add(f)
	group := t.groupOf(f)
	t.groups.parts[group].add(f)
	size := none
	if len(t.cuts) > 0 && f.IdealBare > 0 {
		size = sizeOf(f, t.cuts)
		t.sizes.parts[size].add(f)
	}
	if !f.Finished() {
		return
	}
	t.fcts = append(t.fcts, f.FCT())
	t.rates = append(t.rates, f.Bytes.Over(f.FCT()))
	for k, v := range [...]float64{f.Slowdown(), f.SlowdownRef(), f.SlowdownBare(), f.SlowdownAck()} {
		t.slowdowns[k] = append(t.slowdowns[k], v)
	}
	t.groups.of = append(t.groups.of, group)
	if len(t.cuts) > 0 {
		t.sizes.of = append(t.sizes.of, size)
	}
}

// groupOf returns the index of a message's group. Consecutive messages mostly have the same
// group.
func (t *Tally) groupOf(f *Flow) int32 {
	parts := t.groups.parts
	if n := len(t.groups.of); n > 0 {
		if last := t.groups.of[n-1]; parts[last].name == f.Group {
			return last
		}
	}
	i := slices.IndexFunc(parts, func(s sums) bool { return s.name == f.Group })
	if i < 0 {
		i = len(parts)
		t.groups.parts = append(parts, newSums(f.Group))
	}
	return int32(i)
}

func (s *sums) add(f *Flow) {
	s.first = min(s.first, f.ID)
	s.stats.Messages++
	s.stats.Retransmits = sum(s.stats.Retransmits, f.Retransmits)
	s.stats.Timeouts = sum(s.stats.Timeouts, f.Timeouts)
	s.from = min(s.from, f.Start)
	if !f.Finished() {
		s.stats.Unfinished++
		return
	}
	s.to = max(s.to, f.End)
	s.payload += f.Bytes
}

// Summary computes the part of a summary that follows from the messages so far and the ports.
func (t *Tally) Summary(ports []Port, e Extent) Summary {
	var s Summary
	t.times, t.speeds, t.ratios = make([]unit.Time, 0, len(t.fcts)), make([]unit.Rate, 0, len(t.fcts)), make([]float64, 0, len(t.fcts))
	s.Stats = t.stats(&t.all, nil, none, e.End, e.Planned)
	if len(t.groups.parts) > 1 {
		for _, i := range t.groups.byID() {
			g := &t.groups.parts[i]
			s.Groups = append(s.Groups, Group{Name: g.name, Stats: t.stats(g, t.groups.of, i, e.End, e.Groups[g.name])})
		}
	}
	for k := range t.sizes.parts {
		s.Sizes = append(s.Sizes, t.size(k, e.End))
	}
	for i := range ports {
		s.Drops.add(&ports[i].Drops)
		s.Trims += ports[i].Trims
		s.ECNMarks += ports[i].Marks
	}
	return s
}

// byID returns the indices of the parts, ordered by the ID of their first message, so that the
// result does not depend on the order of messages.
func (s *split) byID() []int32 {
	places := make([]int32, len(s.parts))
	for i := range places {
		places[i] = int32(i)
	}
	slices.SortFunc(places, func(a, b int32) int { return cmp.Compare(s.parts[a].first, s.parts[b].first) })
	return places
}

// stats returns the numbers of a part. The part consists of the messages with the given place in
// of, or of all messages if of is nil. end is when the run ended.
func (t *Tally) stats(part *sums, of []int32, place int32, end unit.Time, planned int64) Stats {
	s, to := part.stats, part.to
	s.Planned = planned
	if s.Missing() > 0 {
		to = max(to, end)
	}
	if to > part.from {
		s.Runtime = to - part.from
		s.Goodput = part.payload.Over(s.Runtime)
	}
	in := func(i int) bool { return of == nil || of[i] == place }
	t.times, t.speeds = t.times[:0], t.speeds[:0]
	for i, v := range t.fcts {
		if in(i) {
			t.times, t.speeds = append(t.times, v), append(t.speeds, t.rates[i])
		}
	}
	if len(t.times) == 0 {
		return s
	}
	slices.Sort(t.times)
	s.FCT = Times{
		Mean: mean(t.times),
		P50:  histogram.Percentile(t.times, 50),
		P99:  histogram.Percentile(t.times, 99),
		Max:  t.times[len(t.times)-1],
	}
	slices.Sort(t.speeds)
	s.Throughput = Throughput{Mean: mean(t.speeds), P50: histogram.Percentile(t.speeds, 50), P1: histogram.Percentile(t.speeds, 1)}
	for k, to := range [...]*Quantiles{&s.Slowdown, &s.SlowdownRef, &s.SlowdownBare, &s.SlowdownAck} {
		t.ratios = t.ratios[:0]
		for i, v := range t.slowdowns[k] {
			if in(i) && !math.IsNaN(v) {
				t.ratios = append(t.ratios, v)
			}
		}
		if v := t.ratios; len(v) > 0 {
			slices.Sort(v)
			*to = Quantiles{P50: histogram.Percentile(v, 50), P99: histogram.Percentile(v, 99)}
		}
	}
	return s
}
