package workload

import (
	"errors"
	"math/rand/v2"
	"slices"

	"weft/analysis/pattern"
	"weft/problem"
	"weft/unit"
)

// Stencil makes every member send to its neighbours in a two-dimensional stencil, which FatPaths
// (§II-C) models as four off-diagonals: the members 1 and 42 places further on and back, in a
// ring of the members. With more than 10 000 members it uses 1 and 1337, where the paper has them
// "also".
//
// Without Rounds, messages start by the group's arrival and cycle through the neighbours. With
// Rounds, the members form an application (§VII-C, Figure 17). In each round they send a message
// to each neighbour and continue when they have received the messages of all their neighbours, or
// with Barrier when all members have. Then they compute, and the next round begins.
type Stencil struct {
	Offsets []int     `yaml:"offsets" default:"[]" doc:"How many places further on the neighbours are, negative for back ([]: 1, -1, 42 and -42; of more than 10 000 hosts 1, -1, 1337 and -1337)." source:"FatPaths §II-C"`
	Ranks   Layout    `yaml:"ranks" default:"hosts" enum:"hosts,shuffled" doc:"Order of hosts in the ring: as listed, or at random." source:"FatPaths §III-D"`
	Rounds  *int      `yaml:"rounds" min:"1" max:"1000000" doc:"Rounds of an application: the next one begins when the messages of the last have arrived (default: none; messages start by arrival)."`
	Compute unit.Time `yaml:"compute" default:"0ns" doc:"Time that a host computes between rounds; with a barrier, after it."`
	Barrier bool      `yaml:"barrier" default:"false" doc:"Whether the next round waits until all hosts have their messages of the last, not only one's own neighbours': they signal the first host, which signals all. Each way takes trigger_delay." source:"FatPaths §VII-C"`
}

// newStencil returns a Stencil, or an ordered pattern if it has rounds.
func newStencil(o Stencil) (Pattern, error) {
	if o.Rounds != nil {
		return stencilRounds{o}, nil
	}
	return o, nil
}

// Resolve implements Pattern.
func (o Stencil) Resolve(s Setting) (Destinations, error) {
	if o.Compute != 0 || o.Barrier {
		return nil, problem.At("compute", "stencil: compute and barrier are those of rounds").Mend("give rounds, or remove them")
	}
	ring, err := s.ring("stencil", string(o.Ranks))
	if err != nil {
		return nil, err
	}
	offsets, err := o.offsets(len(ring))
	if err != nil {
		return nil, err
	}
	to := make(inTurn, s.Hosts)
	for i, h := range ring {
		for _, c := range offsets {
			to[h] = append(to[h], ring[pattern.OffDiagonal(i, int(c), len(ring))])
		}
	}
	return to, nil
}

// offsets returns the offsets that lead to other members, in a ring of n.
func (o Stencil) offsets(n int) ([]int32, error) {
	list := o.Offsets
	if len(list) == 0 {
		usual := pattern.StencilOffsets(n)
		list = usual[:]
	}
	var kept []int32
	for i, c := range o.Offsets {
		switch {
		case c == 0:
			return nil, errors.New("stencil: an offset of 0 leads back to the sender; remove it")
		case slices.Contains(o.Offsets[:i], c):
			return nil, problem.At("offsets", "stencil: offset %d stands twice; write it once", c)
		}
	}
	for _, c := range list {
		if c %= n; c != 0 {
			kept = append(kept, int32(c))
		}
	}
	if len(kept) == 0 {
		return nil, problem.New("stencil: with offsets %v each of the %d hosts would send to itself", list, n).Mend("use from 1 to %d, or negative ones", n-1)
	}
	return kept, nil
}

// stencilRounds is a Stencil with rounds.
type stencilRounds struct{ Stencil }

// Lists implements Ordered.
func (stencilRounds) Lists() bool { return false }

// Resolve implements Pattern.
func (o stencilRounds) Resolve(s Setting) (Destinations, error) {
	r, err := Collective{Ranks: o.Ranks, Compute: o.Compute, Repeat: *o.Rounds, Barrier: o.Barrier}.arrange("stencil", s)
	if err != nil {
		return nil, err
	}
	offsets, err := o.offsets(len(r.host))
	if err != nil {
		return nil, err
	}
	return &neighbours{ranks: r, offsets: offsets}, nil
}

// neighbours is a stencil in rounds.
type neighbours struct {
	*ranks
	offsets []int32
}

// fan returns the number of messages that a host sends, and receives, in a round.
func (p *neighbours) fan() int64 { return int64(len(p.offsets)) }

// Fan implements Destinations.
func (p *neighbours) Fan(host int32) int {
	if p.places[host] < 0 {
		return 0
	}
	return len(p.offsets)
}

// Destination implements Destinations.
func (p *neighbours) Destination(host int32, n int64, _ *rand.PCG) int32 {
	return p.host[p.at(p.places[host], p.offsets[n%p.fan()])]
}

// Total implements Schedule.
func (p *neighbours) Total(t Traffic) (messages int64, size unit.Bytes, err error) {
	each, err := oneSize(t)
	messages = int64(p.Repeat) * int64(p.size) * p.fan()
	return messages, unit.Bytes(messages) * each, err
}

// Sources implements Schedule.
func (p *neighbours) Sources(t Traffic, s Setting) ([]Source, error) {
	size, err := oneSize(t)
	if err != nil {
		return nil, err
	}
	slab := make([]stencilHost, len(p.host))
	return p.spread(t, s, func(place int32, ready unit.Time, allowed int64) ordered {
		slab[place] = stencilHost{neighbours: p, bytes: size, place: place, ready: ready, allowed: allowed}
		return &slab[place]
	}), nil
}

// stencilHost is a host of a stencil in rounds.
type stencilHost struct {
	*neighbours
	bytes unit.Bytes
	place int32
	next  int64 // next message to send
	done  int64 // rounds whose messages have all arrived
	// received counts messages of the current round and of later ones. A neighbour that this host
	// receives from but does not send to may be more than one round ahead.
	received []int32
	allowed  int64 // number of rounds that may begin
	ready    unit.Time
}

// Due implements Receiver.
func (c *stencilHost) Due() (unit.Time, bool) {
	if round := c.next / c.fan(); round > c.done || round == int64(c.Repeat) || round >= c.allowed {
		return 0, false
	}
	return c.ready, true
}

// Next implements Source.
func (c *stencilHost) Next() (Message, bool) {
	at, ok := c.Due()
	if !ok {
		return Message{}, false
	}
	to := c.host[c.at(c.place, c.offsets[c.next%c.fan()])]
	c.next++
	if c.next%c.fan() == 0 && c.next <= c.done*c.fan() && !c.Barrier {
		c.ready = sum(at, c.Compute) // all messages had arrived before
	}
	return Message{At: at, Dst: to, Size: c.bytes}, true
}

// Completed implements Source.
func (c *stencilHost) Completed(unit.Time, uint64) {}

// Received implements Receiver.
func (c *stencilHost) Received(now unit.Time, _ int32, ordinal uint64) {
	ahead := int(int64(ordinal)/c.fan() - c.done)
	for len(c.received) <= ahead {
		c.received = append(c.received, 0)
	}
	c.received[ahead]++
	waited := c.next > c.done*c.fan() && c.next%c.fan() == 0 // everything is sent
	for len(c.received) > 0 && int64(c.received[0]) == c.fan() {
		c.received = append(c.received[:0], c.received[1:]...)
		c.done++
	}
	if waited && c.next <= c.done*c.fan() && !c.Barrier {
		c.ready = sum(now, c.Compute)
	}
}

// finished implements ordered.
func (c *stencilHost) finished() int64 { return c.done }

// allow permits one more round to begin, after the time to compute.
func (c *stencilHost) allow(now unit.Time) {
	c.allowed++
	c.ready = sum(now, c.Compute)
}
