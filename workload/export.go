package workload

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weft/unit"
	"weft/workload/matrix"
)

// lister is a schedule that can be written as a connection matrix.
type lister interface {
	listing(t Traffic, s Setting) (*matrix.Matrix, error)
}

// Matrix writes a group of traffic as a connection matrix: its messages with the
// times at which they start before until, or with the triggers that start them.
// Messages whose start depends on the network otherwise cannot be listed.
func Matrix(t Traffic, s Setting, until unit.Time) (*matrix.Matrix, error) {
	resolved, d, err := t.resolve(s)
	if err != nil {
		return nil, err
	}
	if schedule, ok := d.(Schedule); ok {
		l, ok := d.(lister)
		if !ok {
			return nil, fmt.Errorf("the pattern orders its messages in a way that a connection matrix cannot say")
		}
		if _, err := schedule.Sources(t, resolved); err != nil {
			return nil, err
		}
		return l.listing(t, resolved)
	}
	switch t.Arrival.(type) {
	case Once, Poisson:
	default:
		return nil, fmt.Errorf("arrival: messages that start when others end cannot be listed beforehand; use once or poisson")
	}
	if t.Stop > 0 {
		until = min(until, t.Stop)
	}
	sources, err := NewSources(t, s)
	if err != nil {
		return nil, err
	}
	m := &matrix.Matrix{Nodes: s.Hosts}
	for h, source := range sources {
		for source != nil {
			w, ok := source.Next()
			if !ok || w.At >= until {
				break
			}
			if len(m.Connections) == math.MaxInt32 {
				return nil, fmt.Errorf("the messages before %v are too many for a connection matrix; give until or stop", until)
			}
			m.Connections = append(m.Connections, matrix.Connection{Src: int32(h), Dst: w.Dst, Start: w.At, Size: w.Size})
		}
	}
	slices.SortStableFunc(m.Connections, func(a, b matrix.Connection) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Src, b.Src))
	})
	for i := range m.Connections {
		m.Connections[i].ID = uint32(i + 1)
	}
	return m, nil
}

// listable refuses what the format has no word for.
func (r *ranks) listable() error {
	switch {
	case r.Compute > 0:
		return fmt.Errorf("compute: a connection matrix knows no time to compute between steps; set it to 0ns")
	case r.Barrier && r.Repeat > 1:
		return fmt.Errorf("barrier: what waits for all is not written as a connection matrix; leave it out, or repeat: 1")
	}
	return nil
}

// listing implements lister: each message of a ring starts the next of its receiver.
func (p *steps) listing(t Traffic, s Setting) (*matrix.Matrix, error) {
	if p.kind != ring {
		return nil, fmt.Errorf("in a butterfly a message waits for several, of which each would set off several triggers; a connection matrix cannot say that")
	}
	if err := p.listable(); err != nil {
		return nil, err
	}
	size, err := oneSize(t)
	if err != nil {
		return nil, err
	}
	cut := part{int64(size), int64(p.size)}
	all := int64(p.Repeat) * int64(p.count)
	ranks := int64(len(p.host))
	if ranks*all > math.MaxInt32 {
		return nil, fmt.Errorf("%d messages are too many for a connection matrix", ranks*all)
	}
	m := &matrix.Matrix{Nodes: s.Hosts}
	for n := range all {
		for place := range int32(ranks) {
			c := matrix.Connection{
				Src: p.host[place], Dst: p.host[p.at(place, 1)], ID: uint32(len(m.Connections) + 1),
				Size: cut.of(p.parts(place, int32(n%int64(p.count)))),
			}
			// Trigger k starts connection k + ranks, counted from 1.
			if n == 0 {
				c.Start = t.begins(s, c.Src)
			} else {
				c.Trigger = uint32((n-1)*ranks + int64(place) + 1)
			}
			if n+1 < all {
				c.RecvDone = uint32(n*ranks + int64(p.at(place, 1)) + 1)
				m.Triggers = append(m.Triggers, matrix.Trigger{ID: uint32(len(m.Triggers) + 1), Kind: matrix.Oneshot})
			}
			m.Connections = append(m.Connections, c)
		}
	}
	return m, nil
}

// listing implements lister: each message of a rank that is acknowledged starts the
// next one of it.
func (p *exchange) listing(t Traffic, s Setting) (*matrix.Matrix, error) {
	if err := p.listable(); err != nil {
		return nil, err
	}
	if p.Repeat > 1 {
		return nil, fmt.Errorf("repeat: a connection matrix cannot say that a rank has sent and received all; write one all-to-all")
	}
	size, err := oneSize(t)
	if err != nil {
		return nil, err
	}
	cut := part{int64(size), int64(p.size)}
	m := &matrix.Matrix{Nodes: s.Hosts}
	for n := range p.peers() {
		for place := range int32(len(p.host)) {
			to := p.to(place, n)
			rank := int64(p.rank(to))
			c := matrix.Connection{
				Src: p.host[place], Dst: p.host[to], ID: uint32(len(m.Connections) + 1), Size: cut.of(rank, rank+1),
			}
			if p.peers() > int64(p.connections) {
				c.SendDone = uint32(place + 1)
			}
			if n < int64(p.connections) {
				c.Start = t.begins(s, c.Src)
			} else {
				c.Trigger = uint32(place + 1)
			}
			m.Connections = append(m.Connections, c)
		}
	}
	for place := range len(p.host) {
		if p.peers() > int64(p.connections) {
			m.Triggers = append(m.Triggers, matrix.Trigger{ID: uint32(place + 1), Kind: matrix.Multishot})
		}
	}
	return m, nil
}

// listing implements lister.
func (p *connections) listing(t Traffic, s Setting) (*matrix.Matrix, error) {
	m := &matrix.Matrix{Nodes: s.Hosts, Connections: slices.Clone(p.list), Triggers: slices.Clone(p.declared)}
	for i := range m.Connections {
		c := &m.Connections[i]
		c.Src, c.Dst = p.members[c.Src], p.members[c.Dst]
		if c.Trigger == 0 {
			c.Start = sum(c.Start, t.Start)
		}
	}
	return m, nil
}
