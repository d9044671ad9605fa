package page

import (
	"math"
	"slices"

	"weft/record"
	"weft/unit"
)

// mostSizes is how many message sizes are kept apart. If there are more, messages are
// counted in bins of sizes from 1, 2 and 5 times each power of ten.
const mostSizes = 12

// Reduced is what a page keeps of one run.
type Reduced struct {
	manifest record.Manifest
	summary  record.Summary
	groups   []*groupSizes
	marks    []record.Mark
	lines    []line
	// left counts the recorded ports or connections that were left out, by kind.
	left map[string]int
	// network is nil if the run has no ports, or was reduced without it.
	network *network
}

// Options choose what is kept.
type Options struct {
	// NumbersOnly leaves out timelines and the map. It suits the runs of a variant
	// after the first, whose timelines no page shows.
	NumbersOnly bool
}

// Reduce boils a result down to what a page shows. It keeps no part of the result.
func Reduce(r *record.Result, o Options) *Reduced {
	out := &Reduced{manifest: r.Manifest, summary: r.Summary, marks: slices.Clone(r.Marks)}
	out.manifest.Scenario = slices.Clone(r.Manifest.Scenario)
	out.groups = reduceFlows(r.Flows)
	for _, g := range out.groups {
		g.wait(&r.Summary)
	}
	if !o.NumbersOnly {
		out.lines, out.left = reduceSeries(r)
		out.network = reduceNetwork(r)
	}
	return out
}

// partial tells whether the run was cut short.
func (r *Reduced) partial() bool { return r.summary.Partial || r.manifest.Partial }

// groupSizes are the messages of one group of traffic, by size.
type groupSizes struct {
	// name is "" for all messages.
	name string
	all  sizeStats
	// notStarted is the share of the messages that did not start that there are rows of
	// the others.
	notStarted int64
	// sizes are by exact size while they are few, and then by bin; binned says which.
	sizes  map[unit.Bytes]*sizeStats
	binned bool
}

// wait counts the messages that a summary says did not start.
func (g *groupSizes) wait(s *record.Summary) {
	of, ok := s.Of(g.name)
	if !ok { // it is the only group
		of = s.Stats
	}
	if of.Messages > 0 {
		share := float64(g.all.messages) / float64(of.Messages)
		g.notStarted = int64(math.Round(share * float64(of.NotStarted())))
	}
}

// sizeStats are the messages of a range of sizes.
type sizeStats struct {
	from, to unit.Bytes
	messages int64
	bytes    float64
	fct      sketch
	slowdown sketch
}

func (s *sizeStats) unfinished() int64 { return s.messages - s.fct.n }

func (s *sizeStats) add(f *record.Flow) {
	s.see(f.Bytes, f.Bytes, 1, float64(f.Bytes))
	if !f.Finished() {
		return
	}
	s.fct.add(float64(f.FCT()) / float64(unit.Microsecond))
	if f.IdealBare > 0 {
		s.slowdown.add(f.SlowdownBare())
	}
}

func (s *sizeStats) merge(o *sizeStats) {
	s.see(o.from, o.to, o.messages, o.bytes)
	s.fct.merge(&o.fct)
	s.slowdown.merge(&o.slowdown)
}

func (s *sizeStats) see(from, to unit.Bytes, messages int64, bytes float64) {
	if s.messages == 0 {
		s.from, s.to = from, to
	}
	s.from, s.to = min(s.from, from), max(s.to, to)
	s.messages += messages
	s.bytes += bytes
}

// reduceFlows returns the measured messages, all of them first and then, if there
// are several, those of each group by the least ID.
func reduceFlows(flows []record.Flow) []*groupSizes {
	all := &groupSizes{sizes: map[unit.Bytes]*sizeStats{}}
	byName := map[string]*groupSizes{}
	first := map[*groupSizes]uint64{}
	groups := []*groupSizes{}
	for i := range flows {
		f := &flows[i]
		if !f.Measured {
			continue
		}
		g := byName[f.Group]
		if g == nil {
			g = &groupSizes{name: f.Group, sizes: map[unit.Bytes]*sizeStats{}}
			byName[f.Group], first[g] = g, f.ID
			groups = append(groups, g)
		}
		first[g] = min(first[g], f.ID)
		g.add(f)
		all.add(f)
	}
	if len(groups) < 2 {
		return []*groupSizes{all}
	}
	slices.SortFunc(groups, func(a, b *groupSizes) int { return compare(first[a], first[b]) })
	return append([]*groupSizes{all}, groups...)
}

func (g *groupSizes) add(f *record.Flow) {
	g.all.add(f)
	g.of(f.Bytes).add(f)
	if !g.binned && len(g.sizes) > mostSizes {
		g.bin()
	}
}

func (g *groupSizes) of(size unit.Bytes) *sizeStats {
	if g.binned {
		size = binOf(size)
	}
	s := g.sizes[size]
	if s == nil {
		s = &sizeStats{}
		g.sizes[size] = s
	}
	return s
}

// bin goes over to bins of sizes.
func (g *groupSizes) bin() {
	if g.binned {
		return
	}
	exact := g.sizes
	g.binned, g.sizes = true, map[unit.Bytes]*sizeStats{}
	// In order, so that sums are rounded in the same way each time.
	for _, size := range sortedKeys(exact) {
		g.of(size).merge(exact[size])
	}
}

// merge adds the messages of another run.
func (g *groupSizes) merge(o *groupSizes) {
	g.all.merge(&o.all)
	g.notStarted += o.notStarted
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
