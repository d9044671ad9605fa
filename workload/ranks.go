package workload

import (
	"fmt"
	"slices"

	"weft/internal/portable"
	"weft/internal/turns"
	"weft/problem"
	"weft/sim"
	"weft/unit"
)

// Layout is the order in which hosts become ranks of collectives.
type Layout string

// Layouts.
const (
	// ByHost takes the hosts as listed.
	ByHost Layout = "hosts"
	// Shuffled takes the hosts in random order.
	Shuffled Layout = "shuffled"
	// Interleaved takes one host from each edge switch in turn, so that neighbours in a ring are
	// never under the same switch.
	Interleaved Layout = "interleaved"
)

// Collective has the options that all collectives share.
type Collective struct {
	Ranks         Layout    `yaml:"ranks" default:"hosts" doc:"Order in which hosts become ranks: as listed, at random, or one of each edge switch in turn, so that neighbours in a ring are under different switches." source:"ARCANE §4.2" enum:"hosts,shuffled,interleaved"`
	RanksPerGroup *int      `yaml:"ranks_per_group" doc:"Ranks per collective, for several side by side that take their ranks one after another (default: one collective of all)." min:"2"`
	Compute       unit.Time `yaml:"compute" default:"0ns" doc:"Time that a rank computes between receiving the data of a step and sending the next; it computes one step at a time."`
	Repeat        int       `yaml:"repeat" default:"1" doc:"How many collectives follow each other; a rank begins the next when it has all data of the last and has computed." min:"1" max:"1000000"`
	Barrier       bool      `yaml:"barrier" default:"false" doc:"Whether the next of repeated collectives waits until all ranks of the group have finished the last: they signal the first rank, which signals all. Each way takes trigger_delay."`
}

// ranks maps hosts to places. A place is a rank in one of the collectives, counted across all of
// them.
type ranks struct {
	Collective
	hosts  int
	size   int32   // ranks per collective
	host   []int32 // by place
	places []int32 // by host; -1 for hosts without a place
}

// arrange assigns places to the members. name is the pattern's.
func (o Collective) arrange(name string, s Setting) (*ranks, error) {
	switch n := len(s.Members); {
	case n < 2:
		return nil, fmt.Errorf("%s: only %s takes part; at least two hosts are needed", name, s.HostName(s.Members[0]))
	case o.Compute < 0:
		return nil, problem.At("compute", "compute: %v is negative", o.Compute)
	case o.Repeat < 1:
		return nil, problem.At("repeat", "repeat: %d is less than 1", o.Repeat)
	}
	r := &ranks{Collective: o, hosts: s.Hosts, size: int32(len(s.Members)), host: slices.Clone(s.Members), places: nowhere(s.Hosts)}
	if k := o.RanksPerGroup; k != nil {
		if *k < 2 || len(s.Members)%*k != 0 {
			return nil, problem.At("ranks_per_group", "ranks_per_group: %d hosts take part, which cannot be split into groups of %d; name a divisor of %[1]d that is at least 2, or list other hosts", len(s.Members), *k)
		}
		r.size = int32(*k)
	}
	switch o.Ranks {
	case Shuffled:
		stream := sim.Stream(s.Seed, s.groupHash(), "ranks")
		portable.Shuffle(&stream, r.host)
	case Interleaved:
		if err := r.interleave(s); err != nil {
			return nil, problem.At("ranks", "ranks: %w", err)
		}
	}
	for i, h := range r.host {
		r.places[h] = int32(i)
	}
	return r, nil
}

// interleave orders hosts by taking one from each edge switch in turn.
func (r *ranks) interleave(s Setting) error {
	if s.Edge == nil {
		return fmt.Errorf("interleaved: the switch of each host is not known")
	}
	r.host = turns.Take(turns.Groups(r.host, s.Edge))
	for i, h := range r.host {
		next := r.host[r.at(int32(i), 1)]
		if s.Edge(h) == s.Edge(next) {
			return problem.New("interleaved: %s and %s would be neighbours under the same switch", s.HostName(h), s.HostName(next)).Mend("take as many hosts of each of at least two switches (and ranks_per_group that is a multiple of their number), or another order")
		}
	}
	return nil
}

// at returns the place a number of ranks further on in the same collective.
func (r *ranks) at(place, ranks int32) int32 {
	first := place - place%r.size
	return first + (place-first+ranks+r.size)%r.size
}

// rank returns the rank of a place in its collective.
func (r *ranks) rank(place int32) int32 { return place % r.size }

// begins returns when the first message of a host may start.
func (t Traffic) begins(s Setting, h int32) unit.Time {
	if t.Jitter == 0 {
		return t.Start
	}
	r := sim.Stream(s.Seed, s.senderHash(h), "jitter")
	return sum(t.Start, unit.Time(portable.Below(&r, uint64(t.Jitter)+1)))
}

// sources returns the sources of all ranks by host. fresh makes the source of a place, which may
// begin its first message at ready and allowed collectives without waiting for a barrier.
func (r *ranks) sources(t Traffic, s Setting, fresh func(place int32, cut part, ready unit.Time, allowed int64) ordered) ([]Source, error) {
	size, err := oneSize(t)
	if err != nil {
		return nil, err
	}
	if err := r.enough(size); err != nil {
		return nil, err
	}
	return r.spread(t, s, func(place int32, ready unit.Time, allowed int64) ordered {
		return fresh(place, part{int64(size), int64(r.size)}, ready, allowed)
	}), nil
}

// spread returns the sources that fresh makes, by host, each behind a barrier if there is one.
func (r *ranks) spread(t Traffic, s Setting, fresh func(place int32, ready unit.Time, allowed int64) ordered) []Source {
	allowed := int64(r.Repeat)
	if r.Barrier {
		allowed = 1
	}
	list := make([]Source, r.hosts)
	for i, h := range r.host {
		place := int32(i)
		src := fresh(place, t.begins(s, h), allowed)
		list[h] = src
		if r.Barrier {
			list[h] = &barred{ordered: src, ranks: r, place: place}
		}
	}
	return list
}

// enough rejects a collective that would have empty messages.
func (r *ranks) enough(size unit.Bytes) error {
	if size < unit.Bytes(r.size) {
		return problem.At("", "size: %v at each rank cannot be cut into parts for %d ranks", size, r.size).Mend("give at least %v", unit.Bytes(r.size))
	}
	return nil
}
