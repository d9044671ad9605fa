package workload

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weft/problem"
	"weft/unit"
	"weft/workload/matrix"
)

// lister is a schedule that can be written as a connection matrix.
type lister interface {
	listing(t Traffic, s Setting) (*matrix.Matrix, error)
}

// Matrix returns a traffic group as a connection matrix: its messages that start before until,
// with their start times or the triggers that start them. It fails if starts depend on the
// network in any other way.
func Matrix(t Traffic, s Setting, until unit.Time) (*matrix.Matrix, error) {
	resolved, d, err := t.resolve(s)
	if err != nil {
		return nil, err
	}
	if schedule, ok := d.(Schedule); ok {
		l, ok := d.(lister)
		if !ok {
			return nil, fmt.Errorf("a connection matrix cannot express the order of the pattern's messages")
		}
		if _, err := schedule.Sources(t, resolved); err != nil {
			return nil, err
		}
		return l.listing(t, resolved)
	}
	switch t.Arrival.(type) {
	case Once, Poisson:
	default:
		return nil, problem.At("arrival", "arrival: a connection matrix cannot list messages that start when others end").Mend("use once or poisson")
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
				return nil, problem.New("the messages before %v are too many for a connection matrix", until).Mend("give until or stop")
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

// listable rejects what the format cannot express or has no room for. each is the number of
// messages per rank. It returns how the bytes of a rank are divided.
func (r *ranks) listable(t Traffic, each int64) (part, error) {
	if r.Compute > 0 {
		return part{}, problem.At("compute", "compute: a connection matrix has no time to compute between steps").Mend("set it to 0ns")
	}
	if n := each * int64(len(r.host)); n > math.MaxInt32 {
		return part{}, fmt.Errorf("%d messages are too many for a connection matrix", n)
	}
	size, err := oneSize(t)
	return part{int64(size), int64(r.size)}, err
}

// barrier returns the ID of the trigger that the ranks of place's collective wait for after a
// repetition or a turn. before is the number of trigger IDs already in use.
func (r *ranks) barrier(before, repetition int64, place int32) uint32 {
	return uint32(before + repetition*int64(len(r.host))/int64(r.size) + int64(place/r.size) + 1)
}

// barriers adds the barrier triggers after one repetition or turn. Each waits for count messages.
func (r *ranks) barriers(m *matrix.Matrix, before, repetition int64, count int) {
	for place := int32(0); place < int32(len(r.host)); place += r.size {
		m.Triggers = append(m.Triggers, matrix.Trigger{ID: r.barrier(before, repetition, place), Kind: matrix.Barrier, Count: count})
	}
}

// betweenRepetitions adds the barrier triggers between all repetitions, if there are barriers.
func (r *ranks) betweenRepetitions(m *matrix.Matrix, before int64, count int) {
	if !r.Barrier {
		return
	}
	for repetition := range int64(r.Repeat - 1) {
		r.barriers(m, before, repetition, count)
	}
}

// listing implements lister. Each message of a ring starts the receiver's next message. With a
// barrier, the last messages of a collective start the first messages of the next one together.
func (p *steps) listing(t Traffic, s Setting) (*matrix.Matrix, error) {
	if p.kind != ring {
		return nil, fmt.Errorf("in a butterfly a message waits for several, each of which would set off several triggers; a connection matrix cannot express that")
	}
	count := int64(p.count)
	all := int64(p.Repeat) * count
	cut, err := p.listable(t, all)
	if err != nil {
		return nil, err
	}
	ranks := int64(len(p.host))
	last := func(n int64) bool { return p.Barrier && (n+1)%count == 0 }
	// after is the trigger that message n of a place activates at the next place.
	after := func(place int32, n int64) uint32 {
		if last(n) {
			return p.barrier(ranks*all, n/count, place)
		}
		return uint32(n*ranks + int64(p.at(place, 1)) + 1)
	}
	m := &matrix.Matrix{Nodes: s.Hosts}
	for n := range all {
		for place := range int32(ranks) {
			c := matrix.Connection{
				Src: p.host[place], Dst: p.host[p.at(place, 1)], ID: uint32(len(m.Connections) + 1),
				Size: cut.of(p.parts(place, int32(n%count))),
			}
			if n == 0 {
				c.Start = t.begins(s, c.Src)
			} else {
				c.Trigger = after(p.at(place, -1), n-1)
			}
			if n+1 < all {
				c.RecvDone = after(place, n)
				if !last(n) {
					m.Triggers = append(m.Triggers, matrix.Trigger{ID: c.RecvDone, Kind: matrix.Oneshot})
				}
			}
			m.Connections = append(m.Connections, c)
		}
	}
	p.betweenRepetitions(m, ranks*all, int(p.size))
	// With two steps, the second starts nothing that could come too early.
	when := "where messages overtake each other, as with ECMP and one connection per message, or after a lost packet"
	if t.Jitter > 0 {
		when += ", or arrive before their receiver has begun (jitter)"
	}
	if all > 2 || t.Jitter > 0 {
		m.Notices = append(m.Notices, fmt.Sprintf("%s: in the file each message of the ring starts the next one by itself, while a rank of ring-allreduce waits for the messages of all earlier steps; "+
			"%s, the two results differ, and mostly the ring from the file takes less time; otherwise they are the same", s.Group, when))
	}
	return m, nil
}

// listing implements lister. Each acknowledged message of a rank starts the rank's next one. A
// barrier waits for every rank's last message if ranks send one at a time, or for all messages if
// ranks send all at once.
func (p *exchange) listing(t Traffic, s Setting) (*matrix.Matrix, error) {
	peers := p.peers()
	all := int64(p.Repeat) * peers
	cut, err := p.listable(t, all)
	if err != nil {
		return nil, err
	}
	atOnce := min(int64(p.connections), peers)
	switch {
	case p.turn < peers:
		return p.lockstep(t, s, cut), nil
	case p.Repeat == 1:
	case !p.Barrier:
		return nil, problem.At("repeat", "repeat: a connection matrix cannot express that a rank has sent and received all").Mend("write one all-to-all, or set barrier: true")
	case atOnce > 1 && atOnce < peers:
		return nil, problem.At("barrier", "barrier: a connection matrix cannot express that the last of %d messages in flight is done; set connections to 1, or to at least %d, or write one all-to-all", atOnce, peers)
	}
	ranks := int64(len(p.host))
	m := &matrix.Matrix{Nodes: s.Hosts}
	for n := range all {
		repetition, nth := n/peers, n%peers
		waited := repetition+1 < int64(p.Repeat) && nth >= peers-atOnce
		for place := range int32(ranks) {
			to := p.to(place, n)
			rank := int64(p.rank(to))
			c := matrix.Connection{
				Src: p.host[place], Dst: p.host[to], ID: uint32(len(m.Connections) + 1), Size: cut.of(rank, rank+1),
			}
			switch {
			case waited:
				c.SendDone = p.barrier(ranks, repetition, place)
			case atOnce < peers:
				c.SendDone = uint32(place + 1)
			}
			switch {
			case nth >= atOnce:
				c.Trigger = uint32(place + 1)
			case repetition > 0:
				c.Trigger = p.barrier(ranks, repetition-1, place)
			default:
				c.Start = t.begins(s, c.Src)
			}
			m.Connections = append(m.Connections, c)
		}
	}
	if atOnce < peers {
		for place := range ranks {
			m.Triggers = append(m.Triggers, matrix.Trigger{ID: uint32(place + 1), Kind: matrix.Multishot})
		}
	}
	p.betweenRepetitions(m, ranks, int(atOnce)*int(p.size))
	return m, nil
}

// lockstep lists the messages of ranks that take turns together: all messages of one turn
// activate the barrier that the messages of the next turn wait for.
func (p *exchange) lockstep(t Traffic, s Setting, cut part) *matrix.Matrix {
	peers, turns := p.peers(), int64(p.Repeat)*p.turns()
	m := &matrix.Matrix{Nodes: s.Hosts}
	counts := make([]int, turns)
	for n := range int64(p.Repeat) * peers {
		turn := p.turnOf(n)
		counts[turn] += int(p.size)
		for place, src := range p.host {
			to := p.to(int32(place), n)
			rank := int64(p.rank(to))
			c := matrix.Connection{Src: src, Dst: p.host[to], ID: uint32(len(m.Connections) + 1), Size: cut.of(rank, rank+1)}
			if turn+1 < turns {
				c.SendDone = p.barrier(0, turn, int32(place))
			}
			if turn > 0 {
				c.Trigger = p.barrier(0, turn-1, int32(place))
			} else {
				c.Start = t.begins(s, src)
			}
			m.Connections = append(m.Connections, c)
		}
	}
	for turn, count := range counts[:turns-1] {
		p.barriers(m, 0, int64(turn), count)
	}
	return m
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
