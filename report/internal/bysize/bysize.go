// Package bysize counts messages by their size: how many there were, how many did not
// finish, and percentiles of their completion times and slowdowns. The HTML report and the
// figure of slowdown over message size show the same numbers from here.
package bysize

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"weft/record"
	"weft/unit"
)

// mostSizes is how many message sizes are kept apart. If there are more, messages are
// counted in bins of sizes from 1, 2 and 5 times each power of ten.
const mostSizes = 12

// Group are the messages of one group of traffic, by size.
type Group struct {
	// Name is "" for all messages.
	Name string
	All  Sizes
	// NotStarted is the share of the messages that did not start that there are rows of
	// the others.
	NotStarted int64
	// sizes are by exact size while they are few, and then by bin; binned says which.
	sizes  map[unit.Bytes]*Sizes
	binned bool
}

// Sizes are the messages of a range of sizes.
type Sizes struct {
	From, To      unit.Bytes
	Messages      int64
	FCT, Slowdown Sketch

	bytes float64
}

// Mean is the mean size in bytes.
func (s *Sizes) Mean() float64 { return s.bytes / float64(s.Messages) }

// Unfinished counts the messages that did not finish.
func (s *Sizes) Unfinished() int64 { return s.Messages - s.FCT.n }

// Few tells whether so few of the messages did not finish that the percentiles of the
// others count.
func (s *Sizes) Few() bool {
	return float64(s.Unfinished()) <= record.FewUnfinished*float64(s.Messages)
}

func (s *Sizes) add(f *record.Flow) {
	s.see(f.Bytes, f.Bytes, 1, float64(f.Bytes))
	if !f.Finished() {
		return
	}
	s.FCT.Add(float64(f.FCT()) / float64(unit.Microsecond))
	if f.IdealBare > 0 {
		s.Slowdown.Add(f.SlowdownBare())
	}
}

func (s *Sizes) merge(o *Sizes) {
	s.see(o.From, o.To, o.Messages, o.bytes)
	s.FCT.Merge(&o.FCT)
	s.Slowdown.Merge(&o.Slowdown)
}

func (s *Sizes) see(from, to unit.Bytes, messages int64, bytes float64) {
	if s.Messages == 0 {
		s.From, s.To = from, to
	}
	s.From, s.To = min(s.From, from), max(s.To, to)
	s.Messages += messages
	s.bytes += bytes
}

// NewGroup returns a group without messages.
func NewGroup(name string) *Group { return &Group{Name: name, sizes: map[unit.Bytes]*Sizes{}} }

// Count returns the measured messages of a run, all of them first and then, if there are
// several groups, those of each by the least ID.
func Count(r *record.Result) []*Group {
	groups := count(r.Flows)
	for _, g := range groups {
		g.wait(&r.Summary)
	}
	return groups
}

func count(flows []record.Flow) []*Group {
	all := NewGroup("")
	byName := map[string]*Group{}
	first := map[*Group]uint64{}
	groups := []*Group{}
	for i := range flows {
		f := &flows[i]
		if !f.Measured {
			continue
		}
		g := byName[f.Group]
		if g == nil {
			g = NewGroup(f.Group)
			byName[f.Group], first[g] = g, f.ID
			groups = append(groups, g)
		}
		first[g] = min(first[g], f.ID)
		g.add(f)
		all.add(f)
	}
	if len(groups) < 2 {
		return []*Group{all}
	}
	slices.SortFunc(groups, func(a, b *Group) int { return cmp.Compare(first[a], first[b]) })
	return append([]*Group{all}, groups...)
}

// wait counts the messages that a summary says did not start.
func (g *Group) wait(s *record.Summary) {
	of, ok := s.Of(g.Name)
	if !ok { // it is the only group
		of = s.Stats
	}
	if of.Messages > 0 {
		share := float64(g.All.Messages) / float64(of.Messages)
		g.NotStarted = int64(math.Round(share * float64(of.NotStarted())))
	}
}

func (g *Group) add(f *record.Flow) {
	g.All.add(f)
	g.of(f.Bytes).add(f)
	if !g.binned && len(g.sizes) > mostSizes {
		g.bin()
	}
}

func (g *Group) of(size unit.Bytes) *Sizes {
	if g.binned {
		size = binOf(size)
	}
	s := g.sizes[size]
	if s == nil {
		s = &Sizes{}
		g.sizes[size] = s
	}
	return s
}

// bin goes over to bins of sizes.
func (g *Group) bin() {
	if g.binned {
		return
	}
	exact := g.sizes
	g.binned, g.sizes = true, map[unit.Bytes]*Sizes{}
	// In order, so that sums are rounded in the same way each time.
	for _, size := range sortedKeys(exact) {
		g.of(size).merge(exact[size])
	}
}

// Merge adds the messages of another run.
func (g *Group) Merge(o *Group) {
	g.All.merge(&o.All)
	g.NotStarted += o.NotStarted
	if o.binned {
		g.bin()
	}
	for _, size := range sortedKeys(o.sizes) {
		g.of(size).merge(o.sizes[size])
	}
	if len(g.sizes) > mostSizes {
		g.bin()
	}
}

// Sorted returns the messages by size, in ascending order.
func (g *Group) Sorted() []*Sizes {
	list := make([]*Sizes, 0, len(g.sizes))
	for _, size := range sortedKeys(g.sizes) {
		list = append(list, g.sizes[size])
	}
	return list
}

// Align has groups that are shown beside each other count by the same sizes: by bins if one
// does, or if they have too many sizes together. It returns whether they do, and the size
// of all messages if they have the same, or else 0. Groups may be nil.
func Align(groups []*Group) (binned bool, one unit.Bytes) {
	sizes := map[unit.Bytes]bool{}
	for _, g := range groups {
		if g == nil {
			continue
		}
		binned = binned || g.binned
		for size := range g.sizes {
			sizes[size] = true
		}
	}
	if len(sizes) == 1 && !binned {
		for size := range sizes {
			one = size
		}
	}
	if binned = binned || len(sizes) > mostSizes; !binned {
		return false, one
	}
	for _, g := range groups {
		if g != nil {
			g.bin()
		}
	}
	return true, 0
}

// binOf returns the largest of 1, 2 and 5 times a power of ten that is not above a size.
func binOf(size unit.Bytes) unit.Bytes {
	for power := unit.Bytes(1); ; power *= 10 {
		if size >= 10*power && power < 1e17 {
			continue
		}
		for _, m := range []unit.Bytes{5, 2} {
			if size >= m*power {
				return m * power
			}
		}
		return power
	}
}

func sortedKeys[V any](m map[unit.Bytes]V) []unit.Bytes { return slices.Sorted(maps.Keys(m)) }
