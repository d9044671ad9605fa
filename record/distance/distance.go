// Package distance compares the completion times of two runs of the same scenario, such as a
// simulation and a run on real endpoints. It compares the median and the 99th percentile of each
// traffic group.
package distance

import (
	"math"
	"slices"

	"weft/record"
	"weft/unit"
)

// Tolerance is how far apart two runs may be to count as the same, as shares of the first run's
// values.
type Tolerance struct{ Median, P99 float64 }

// Wire returns the tolerance between a simulation and a run of the same messages on real
// endpoints. It was fixed before any such run.
func Wire() Tolerance { return Tolerance{Median: 0.10, P99: 0.25} }

// Times summarizes the completion times of one group's messages.
type Times struct {
	Messages, Unfinished int // measured messages
	Median, P99          unit.Time
}

// There reports whether the run has measured messages of the group.
func (t *Times) There() bool { return t.Messages+t.Unfinished > 0 }

// Group is a traffic group of either run.
type Group struct {
	Name          string
	First, Second Times
}

// Verdict is the result of comparing a group.
type Verdict string

// Verdicts. OnlyFirst and OnlySecond mean that only one run has the group, so there is nothing to
// compare. Void means that one of the runs is void and shows nothing.
const (
	Within     Verdict = "within"
	Outside    Verdict = "outside"
	Void       Verdict = "void"
	OnlyFirst  Verdict = "only-first"
	OnlySecond Verdict = "only-second"
)

// Verdict compares the group with a tolerance. void says that one of the runs is void.
func (g *Group) Verdict(t Tolerance, void bool) Verdict {
	switch {
	case !g.Second.There():
		return OnlyFirst
	case !g.First.There():
		return OnlySecond
	case void:
		return Void
	case g.within(t):
		return Within
	}
	return Outside
}

// Run holds the completion times of each group in a run.
type Run struct {
	names  []string // in order
	groups map[string]Times
}

// Sum returns the completion times of a run. It does not keep the messages.
func Sum(flows []record.Flow) *Run {
	lists, names := byGroup(flows)
	r := &Run{names: names, groups: make(map[string]Times, len(names))}
	for name, l := range lists {
		r.groups[name] = l.sum()
	}
	return r
}

// Beside pairs the groups of two runs: first the groups of r, in its order, then those that only
// second has.
func (r *Run) Beside(second *Run) (groups []Group) {
	for _, name := range r.names {
		groups = append(groups, Group{name, r.groups[name], second.groups[name]})
	}
	for _, name := range second.names {
		if _, both := r.groups[name]; !both {
			groups = append(groups, Group{Name: name, Second: second.groups[name]})
		}
	}
	return groups
}

// Of is Beside for the messages of two runs.
func Of(first, second []record.Flow) []Group { return Sum(first).Beside(Sum(second)) }

// Median returns by which share the second median exceeds the first, negative if it is smaller.
// It is NaN if either does not exist.
func (g *Group) Median() float64 { return more(g.First.Median, g.Second.Median) }

// P99 is Median for the 99th percentiles.
func (g *Group) P99() float64 { return more(g.First.P99, g.Second.P99) }

// mostUnfinished is by how much the shares of unfinished messages may differ. The times of
// finished messages say nothing about the others.
const mostUnfinished = 0.05

// within reports whether the second run agrees with the first. A run without finished messages
// never does.
func (g *Group) within(t Tolerance) bool {
	return near(g.First.Median, g.Second.Median, t.Median) && near(g.First.P99, g.Second.P99, t.P99) && math.Abs(g.First.unfinished()-g.Second.unfinished()) <= mostUnfinished
}

// near reports whether the second time deviates from the first by at most the given share of it.
func near(first, second unit.Time, share float64) bool {
	return first > 0 && second > 0 && math.Abs(float64(second-first)) <= share*float64(first)
}

// unfinished returns the share of unfinished messages.
func (t *Times) unfinished() float64 {
	return float64(t.Unfinished) / float64(max(1, t.Messages+t.Unfinished))
}

func more(from, to unit.Time) float64 {
	if from <= 0 || to <= 0 {
		return math.NaN()
	}
	return float64(to)/float64(from) - 1
}

// list holds the completion times of a group's measured and finished messages, and the number of
// unfinished ones.
type list struct {
	times      []unit.Time
	unfinished int
}

// byGroup returns the measured messages by group, and the groups' names in order.
func byGroup(flows []record.Flow) (lists map[string]*list, names []string) {
	lists = map[string]*list{}
	for i := range flows {
		f := &flows[i]
		if !f.Measured {
			continue
		}
		l := lists[f.Group]
		if l == nil {
			l = new(list)
			names, lists[f.Group] = append(names, f.Group), l
		}
		if f.End >= f.Start {
			l.times = append(l.times, f.End-f.Start)
		} else {
			l.unfinished++
		}
	}
	return lists, names
}

func (l *list) sum() (t Times) {
	t.Messages, t.Unfinished = len(l.times), l.unfinished
	if n := t.Messages; n > 0 {
		slices.Sort(l.times)
		t.Median, t.P99 = l.times[(n-1)/2], l.times[(99*n+99)/100-1]
	}
	return t
}
