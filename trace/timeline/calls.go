package timeline

import (
	"cmp"
	"runtime"
	"slices"
	"strings"

	"weft/trace"
	"weft/unit"
)

// Collective is the calls of one collective in groups of one class.
type Collective struct {
	Name string
	// Group is the name of the groups without the number at its end: tp0 and tp1 are of the class tp.
	Group string
	// Ranks is how many ranks a group has.
	Ranks int
	// Calls counts those that ended at all ranks, and Unfinished the others. Sizes and times are of the former.
	Calls, Unfinished int
	// Size is the bytes of all buffers, as nccl-tests count them.
	Size int64
	// Time adds up the calls, each from its first begin at any rank to its last end. RankTime adds up
	// their means over ranks, each from the begin to the end at the rank.
	Time, RankTime unit.Time
}

// Algorithm returns the algorithm bandwidth of nccl-tests, size over time, in bytes per second. It is 0 if the calls
// take no time.
func (c *Collective) Algorithm() float64 {
	if c.Time <= 0 {
		return 0
	}
	return float64(c.Size) / (float64(c.Time) / float64(unit.Second))
}

// Bus returns the bus bandwidth of nccl-tests, in bytes per second: the algorithm bandwidth times the share of the
// buffer that each link must carry at least. It is 0 for what nccl-tests do not have.
func (c *Collective) Bus() float64 {
	n := float64(c.Ranks)
	if n < 1 {
		return 0
	}
	share := 0.0
	switch c.Name {
	case "all-reduce":
		share = 2 * (n - 1) / n
	case "all-gather", "reduce-scatter", "all-to-all", "gather", "scatter":
		share = (n - 1) / n
	case "broadcast", "reduce", "sendrecv":
		share = 1
	}
	return share * c.Algorithm()
}

// Collectives returns the calls of a trace by collective, class of groups, and ranks. Those that took the most time
// come first.
func Collectives(t *trace.Trace, l *Log) []Collective {
	defer runtime.KeepAlive(l)
	calls := make([]call, len(t.Calls))
	for i := range calls {
		calls[i].begin = unit.Forever
	}
	for r := range t.Ranks {
		for _, s := range t.Ranks[r].Spans() {
			begin, end, whole := l.Ranks[r].Span(s)
			c := &calls[s.Call]
			c.left = c.left || !whole
			c.begin, c.end = min(c.begin, begin), max(c.end, end)
			c.sum += end - begin
			c.ranks++
		}
	}
	index := map[Collective]int{}
	var list []Collective
	for i, c := range calls {
		of := t.Calls[i]
		key := Collective{Name: of.Name, Group: GroupClass(of.Group), Ranks: of.Ranks}
		at, ok := index[key]
		if !ok {
			at = len(list)
			index[key] = at
			list = append(list, key)
		}
		if c.left || c.ranks == 0 {
			list[at].Unfinished++
			continue
		}
		list[at].Calls++
		list[at].Size += of.Size
		list[at].Time += c.end - c.begin
		list[at].RankTime += c.sum / c.ranks
	}
	slices.SortStableFunc(list, func(a, b Collective) int { return cmp.Compare(b.Time, a.Time) })
	return list
}

// GroupClass returns the name of a group without the number at its end.
func GroupClass(group string) string { return strings.TrimRight(group, "0123456789") }

// call is what ranks did for one call.
type call struct {
	begin, end unit.Time
	sum, ranks unit.Time
	left       bool
}

// Span returns when the first of some operations began and when the last one ended, and whether all of them ended.
func (r *Rank) Span(s trace.Span) (begin, end unit.Time, whole bool) {
	begin, end, whole = unit.Forever, 0, true
	for i := s.First; i < s.End; i++ {
		if r.Begin[i] == Never {
			whole = false
			continue
		}
		begin, end = min(begin, r.Begin[i]), max(end, r.Begin[i], r.End[i])
		whole = whole && r.End[i] != Never
	}
	return min(begin, end), end, whole
}
