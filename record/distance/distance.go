// Package distance says how far the completion times of one run are from those of another of the same scenario, such as one that was
// simulated and one on real endpoints: by group of traffic, at the median and at the 99th percentile.
package distance

import (
	"math"
	"slices"

	"weft/record"
	"weft/unit"
)

// Tolerance is how far apart two runs may be for the same distribution, as shares of the first one's.
type Tolerance struct{ Median, P99 float64 }

// Wire is the tolerance of a simulation and a run of the same messages on real endpoints. It was stated before any such run.
func Wire() Tolerance { return Tolerance{Median: 0.10, P99: 0.25} }

// Times are completion times of messages of one group.
type Times struct {
	Messages, Unfinished int // of those that were measured
	Median, P99          unit.Time
}

// Group is a group of traffic of both runs.
type Group struct {
	Name          string
	First, Second Times
}

// Of returns the groups of the first run, in its order, with those of the second.
func Of(first, second []record.Flow) (groups []Group) {
	a, names := byGroup(first)
	b, _ := byGroup(second)
	for _, name := range names {
		groups = append(groups, Group{name, a[name].sum(), b[name].sum()})
	}
	return groups
}

// Median returns by which share of the first median the second is larger, or smaller if it is negative. NaN is that there is none.
func (g *Group) Median() float64 { return more(g.First.Median, g.Second.Median) }

// P99 is Median for the 99th percentiles.
func (g *Group) P99() float64 { return more(g.First.P99, g.Second.P99) }

// mostUnfinished is by how much the shares of messages that did not finish may differ: the others say nothing of them.
const mostUnfinished = 0.05

// Within tells whether the second run is as the first. A run without messages is not.
func (g *Group) Within(t Tolerance) bool {
	return math.Abs(g.Median()) <= t.Median && math.Abs(g.P99()) <= t.P99 && math.Abs(g.First.unfinished()-g.Second.unfinished()) <= mostUnfinished
}

// unfinished returns the share of messages that did not finish.
func (t *Times) unfinished() float64 {
	return float64(t.Unfinished) / float64(max(1, t.Messages+t.Unfinished))
}

func more(from, to unit.Time) float64 {
	if from <= 0 || to <= 0 {
		return math.NaN()
	}
	return float64(to)/float64(from) - 1
}

// list is the completion times of messages that were measured and finished, and how many did not finish.
type list struct {
	times      []unit.Time
	unfinished int
}

// byGroup returns the messages that were measured, and the names of groups in order.
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
	if l == nil {
		return t
	}
	t.Messages, t.Unfinished = len(l.times), l.unfinished
	if n := t.Messages; n > 0 {
		slices.Sort(l.times)
		t.Median, t.P99 = l.times[(n-1)/2], l.times[(99*n+99)/100-1]
	}
	return t
}
