package load

import (
	"cmp"
	"slices"
)

// Demand is the mean traffic of a host.
type Demand struct {
	// Host is the sender, by its index among the hosts of the graph.
	Host int32
	// Rate is its sending rate in bits per second.
	Rate float64
	// Targets lists the receivers, all with the same probability. A receiver that is listed
	// twice is twice as likely. The sender itself gets nothing. Demands that share a slice
	// cost little more than one.
	Targets []int32
	// Answers reverses the direction: the targets send, and the host receives.
	Answers bool
}

// set groups the demands with the same targets.
type set struct {
	targets []int32 // in order
	answers bool
	senders []sender
	// at holds, for each edge switch, the rate that its senders send to one target. of
	// holds the number of targets at each edge switch. Both are in the order of edge
	// switches.
	at []share
	of []share
}

// sender is a host, with the rate that it sends to each target of a set.
type sender struct {
	host int32
	each float64
}

// share is an amount that belongs to an edge switch.
type share struct {
	edge   int32
	amount float64
}

// gather groups demands by their targets.
func gather(demands []Demand, edge func(host int32) int32) []*set {
	type key struct {
		first   *int32
		length  int
		answers bool
	}
	known := map[key]*set{}
	var sets []*set
	for i := range demands {
		d := &demands[i]
		if len(d.Targets) == 0 || d.Rate <= 0 {
			continue
		}
		k := key{&d.Targets[0], len(d.Targets), d.Answers}
		s := known[k]
		if s == nil {
			s = &set{targets: slices.Sorted(slices.Values(d.Targets)), answers: d.Answers}
			known[k] = s
			sets = append(sets, s)
			for _, t := range s.targets {
				s.of = append(s.of, share{edge(t), 1})
			}
			s.of = merged(s.of)
		}
		others := len(s.targets) - s.times(d.Host)
		if others == 0 {
			continue
		}
		one := sender{d.Host, d.Rate / float64(others)}
		s.senders = append(s.senders, one)
		s.at = append(s.at, share{edge(d.Host), one.each})
	}
	for _, s := range sets {
		s.at = merged(s.at)
	}
	return sets
}

// times returns how often a host is among the targets.
func (s *set) times(host int32) int {
	from, found := slices.BinarySearch(s.targets, host)
	if !found {
		return 0
	}
	to, _ := slices.BinarySearch(s.targets, host+1)
	return to - from
}

// merged adds up the amounts of the same edge switch.
func merged(list []share) []share {
	slices.SortStableFunc(list, func(a, b share) int { return cmp.Compare(a.edge, b.edge) })
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && out[n-1].edge == s.edge {
			out[n-1].amount += s.amount
			continue
		}
		out = append(out, s)
	}
	return out
}

// hosts adds the rates that each host sends and receives to two lists by host.
func (s *set) hosts(sends, gets []float64) {
	if s.answers {
		sends, gets = gets, sends
	}
	total := 0.0
	for _, from := range s.senders {
		sends[from.host] += float64(from.each * float64(len(s.targets)-s.times(from.host)))
		total += from.each
	}
	for _, to := range s.targets {
		gets[to] += total
	}
	for _, from := range s.senders { // nobody sends to itself
		gets[from.host] -= float64(from.each * float64(s.times(from.host)))
	}
}

// column holds the rates that edge switches send to one of them.
type column struct {
	inflow []float64 // by edge switch
	from   []int32   // the edge switches that send anything
}

// add adds the rate from an edge switch.
func (c *column) add(edge int32, amount float64) {
	if c.inflow[edge] == 0 {
		c.from = append(c.from, edge)
	}
	c.inflow[edge] += amount
}

// reset empties the column.
func (c *column) reset() {
	for _, e := range c.from {
		c.inflow[e] = 0
	}
	c.from = c.from[:0]
}

// matrix is the traffic between edge switches, computed column by column.
type matrix struct {
	// to lists the sets that send to each edge switch, with a factor.
	to [][]part
}

// part is the contribution of a set to a column: the amounts of its other side, multiplied
// by a factor.
type part struct {
	set    *set
	factor float64
}

func newMatrix(sets []*set, edges int) *matrix {
	m := &matrix{to: make([][]part, edges)}
	for _, s := range sets {
		ends := s.of
		if s.answers {
			ends = s.at
		}
		for _, end := range ends {
			m.to[end.edge] = append(m.to[end.edge], part{s, end.amount})
		}
	}
	return m
}

// column fills in the rates that other edge switches send to one.
func (m *matrix) column(c *column, edge int32) {
	c.reset()
	for _, p := range m.to[edge] {
		sources := p.set.at
		if p.set.answers {
			sources = p.set.of
		}
		for _, s := range sources {
			if s.edge != edge {
				c.add(s.edge, float64(s.amount*p.factor))
			}
		}
	}
}
