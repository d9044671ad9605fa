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

// There tells whether the run has messages of the group that were measured.
func (t *Times) There() bool { return t.Messages+t.Unfinished > 0 }

// Group is a group of traffic of both runs, or of one of them.
type Group struct {
	Name          string
	First, Second Times
}

// Verdict is what the comparison of a group comes to.
type Verdict string

// Verdicts. One run alone has the group in OnlyFirst and OnlySecond, so that there is nothing to compare. Void tells that one of the runs
// shows nothing.
const (
	Within     Verdict = "within"
	Outside    Verdict = "outside"
	Void       Verdict = "void"
	OnlyFirst  Verdict = "only-first"
	OnlySecond Verdict = "only-second"
)

// Verdict compares with a tolerance. Void tells that one of the runs shows nothing.
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

// Run is what a comparison needs of a run: the completion times of each group of its traffic.
type Run struct {
	names  []string // in order
	groups map[string]Times
}

// Sum returns the completion times of a run. It keeps no part of the messages.
func Sum(flows []record.Flow) *Run {
	lists, names := byGroup(flows)
	r := &Run{names: names, groups: make(map[string]Times, len(names))}
	for name, l := range lists {
		r.groups[name] = l.sum()
	}
	return r
}

// Beside returns the groups of the run, in its order, with those of another one, and after them what only the other one has.
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

// Median returns by which share of the first median the second is larger, or smaller if it is negative. NaN is that there is none.
func (g *Group) Median() float64 { return more(g.First.Median, g.Second.Median) }

// P99 is Median for the 99th percentiles.
func (g *Group) P99() float64 { return more(g.First.P99, g.Second.P99) }

// mostUnfinished is by how much the shares of messages that did not finish may differ: the others say nothing of them.
const mostUnfinished = 0.05

// within tells whether the second run is as the first. A run without messages that finished is not.
func (g *Group) within(t Tolerance) bool {
	return near(g.First.Median, g.Second.Median, t.Median) && near(g.First.P99, g.Second.P99, t.P99) && math.Abs(g.First.unfinished()-g.Second.unfinished()) <= mostUnfinished
}

// near tells whether the second time is at most that share of the first one away from it. Times that are exactly so far apart are.
func near(first, second unit.Time, share float64) bool {
	return first > 0 && second > 0 && math.Abs(float64(second-first)) <= share*float64(first)
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
	t.Messages, t.Unfinished = len(l.times), l.unfinished
	if n := t.Messages; n > 0 {
		slices.Sort(l.times)
		t.Median, t.P99 = l.times[(n-1)/2], l.times[(99*n+99)/100-1]
	}
	return t
}
