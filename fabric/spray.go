package fabric

import (
	"fmt"
	"math"

	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

func checkSprays(table []protocol.Spray) error {
	if len(table) > MaxSprays {
		return fmt.Errorf("fabric: %d ways to spray; frames tell %d apart", len(table), MaxSprays)
	}
	for i, s := range table {
		if err := s.Check(); err != nil {
			return fmt.Errorf("fabric: way %d to spray: %w", i, err)
		}
		if i == 0 && s.Way != protocol.ByHash {
			return fmt.Errorf("fabric: the first way to spray must be by hash")
		}
	}
	return nil
}

// prepareSprays gives domains the table of spraying policies, and switches the
// state that the policies need.
func (n *Network) prepareSprays(table []protocol.Spray) {
	remembers, symmetric, shuffles := false, false, false
	for _, s := range table {
		shuffles = shuffles || s.Shuffled
		symmetric = symmetric || s.Way == protocol.BySymmetricHash
		remembers = remembers || symmetric || s.Way == protocol.ByRoundRobin || s.Way == protocol.ByFlowlet
	}
	for _, d := range n.domains {
		d.sprays.ways = table
		if !remembers {
			continue
		}
		for i := range d.switches {
			st := &sprayState{flowlets: make([]flowletTable, len(table)), shuffles: shuffles}
			for k, s := range table {
				if s.Way == protocol.ByFlowlet {
					st.flowlets[k] = newFlowletTable(s.Flowlets)
				}
			}
			d.switches[i].sprayState = st
		}
	}
	if !symmetric {
		return
	}
	for i, salt := range tierSalts(n.graph, n.seed) {
		if n.graph.Nodes[i].Kind == topo.Switch {
			at := n.nodes[i]
			n.domains[at.domain].switches[at.index].tierSalt = salt
		}
	}
}

// spray returns the index of a frame's next hop in a set of n, with n at least 2.
func (d *Domain) spray(s *switchState, set uint16, n uint32, f *Frame, now sim.Time) uint32 {
	p := &d.sprays.ways[f.Spray()]
	if unit.Bytes(f.Size) < p.HashBelow {
		return uint32(pathHash(f, s.salt) * uint64(n) >> 32)
	}
	switch p.Way {
	case protocol.ByRandom:
		return s.draw(n)
	case protocol.ByLoad:
		return d.leastLoaded(s, p, set, n, now)
	case protocol.ByRoundRobin:
		t := &s.turns[set]
		*t++
		if p.Shuffled {
			return s.shuffledTurn(t, s.order[s.offsets[set]:][:n])
		}
		if *t >= n {
			*t %= n
		}
		return *t
	case protocol.BySymmetricHash:
		return uint32(pairHash(f.Src(), f.Dst(), f.Entropy, s.tierSalt) * uint64(n) >> 32)
	case protocol.ByFlowlet:
		return s.flowlet(&s.flowlets[f.Spray()], p.Gap, set, n, f, now)
	}
	return uint32(pathHash(f, s.salt) * uint64(n) >> 32)
}

// shuffledTurn returns the index whose turn it is. It draws a new order when a round begins.
func (s *switchState) shuffledTurn(t *uint32, order []uint32) uint32 {
	if *t >= uint32(len(order)) {
		*t = 0
		for i := range order { // Fisher and Yates, inside out
			k := s.draw(uint32(i + 1))
			order[i] = order[k]
			order[k] = uint32(i)
		}
	}
	return order[*t]
}

// leastLoaded returns the index of the port with the least load.
func (d *Domain) leastLoaded(s *switchState, p *protocol.Spray, set uint16, n uint32, now sim.Time) uint32 {
	ports := s.ports[s.offsets[set]:][:n]
	compare := n
	if p.Choices > 0 && uint32(p.Choices) < n {
		compare = uint32(p.Choices)
	}
	least, equal := sim.Forever, uint32(0)
	for k := range compare {
		at := k
		if compare < n {
			at = s.draw(n)
		}
		load := d.load(p, ports[at], now)
		if load > least {
			continue
		}
		if load < least {
			least, equal = load, 0
		}
		d.sprays.equals[equal] = at
		equal++
	}
	switch {
	case equal == 1 || p.Tie == protocol.FirstTie:
		return d.sprays.equals[0]
	case p.Tie == protocol.RankedTie:
		return s.preferred(d.sprays.equals[:equal])
	}
	return d.sprays.equals[s.draw(equal)]
}

// preferred returns the candidate that comes first in the switch's own fixed order.
func (s *switchState) preferred(places []uint32) uint32 {
	first, least := places[0], uint64(math.MaxUint64)
	for _, at := range places {
		if rank := sim.Mix(s.salt + uint64(at)); rank < least {
			first, least = at, rank
		}
	}
	return first
}

// load returns a port's load as a policy measures it: in bytes or picoseconds,
// rounded down to whole steps.
func (d *Domain) load(s *protocol.Spray, i int32, now sim.Time) sim.Time {
	p := &d.ports[i]
	if p.due(now) {
		d.drain(p, i, now)
	}
	switch {
	case p.special&down != 0 && s.AvoidDown:
		return sim.Forever
	case s.Load == protocol.QueuedTime:
		return step(d.queuedTime(p, i, now), s.Step)
	case p.special&down != 0:
		return step(sim.Time(d.cold[i].rate.In(max(0, d.cold[i].faults.phantom-now))), sim.Time(s.Bin))
	}
	return step(sim.Time(p.queued), sim.Time(s.Bin))
}

// queuedTime returns how long a port's link takes to send its backlog.
func (d *Domain) queuedTime(p *port, i int32, now sim.Time) sim.Time {
	if p.special&down != 0 {
		return max(0, d.cold[i].faults.phantom-now)
	}
	t := max(0, p.busyUntil-now)
	if p.disc != nil {
		waiting := p.queued
		if p.drained != p.tail {
			waiting -= uint32(p.at(p.drained).bytes)
		}
		t += d.cold[i].rate.Transmit(unit.Bytes(waiting))
	}
	return t
}

// step rounds down to a multiple; 0 works like 1.
func step(v, multiple sim.Time) sim.Time {
	if multiple > 1 {
		v -= v % multiple
	}
	return v
}

// flowlet keeps a flow on its port while its frames follow each other within the gap (LetFlow, §3).
func (s *switchState) flowlet(table *flowletTable, gap sim.Time, set uint16, n uint32, f *Frame, now sim.Time) uint32 {
	e := table.entry(pathHash(f, s.salt))
	if e.set != uint32(set)+1 || now-e.last > gap {
		e.set, e.at = uint32(set)+1, uint16(s.draw(n))
	}
	e.last = now
	return uint32(e.at)
}
