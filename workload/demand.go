package workload

import (
	"math"

	"weft/sim"
	"weft/unit"
)

// Demand is the average traffic of a host while its traffic lasts.
type Demand struct {
	Host int32
	// Messages is the number of messages started per second, and Bytes their payload per second.
	Messages, Bytes float64
	// Targets lists the receivers, with equal probabilities; a receiver that is listed twice is
	// twice as likely. The host itself may be listed, but gets nothing. Hosts share lists where
	// possible.
	Targets []int32
}

// Targeted is implemented by destinations that know whom a host sends to in the long run, as in
// Demand.Targets. For others a sample is drawn.
type Targeted interface {
	Targets(host int32) []int32
}

func (d single) Targets(host int32) []int32 { return d[host : host+1] }
func (d anyOf) Targets(int32) []int32       { return d }
func (d inTurn) Targets(host int32) []int32 { return d[host] }

func (d shifted) Targets(host int32) []int32 { return d.members[d.to[host]] }

// Demands returns the average traffic of hosts. It returns false for traffic without a rate of
// its own: collectives, closed loops, and messages that all start together. Messages listed in a
// file have the rate at which they start, from the first to the last.
func Demands(t Traffic, s Setting) ([]Demand, bool) {
	s, destinations, err := t.resolve(s)
	if err != nil {
		return nil, false
	}
	switch d := destinations.(type) {
	case *bursts:
		return d.demands(t)
	case *connections:
		return d.demands()
	case Schedule:
		return nil, false
	}
	arrival, ok := t.Arrival.(Poisson)
	if !ok {
		return nil, false
	}
	mean := t.Sizes.Mean()
	var list []Demand
	for _, h := range s.Members {
		if destinations.Fan(h) == 0 {
			continue
		}
		one := Demand{Host: h, Targets: targets(destinations, h, s)}
		switch {
		case arrival.Rate != nil:
			one.Messages = *arrival.Rate
		case s.LineRate == nil:
			return nil, false
		default:
			one.Messages = float64(*arrival.Load) * float64(s.LineRate(h)) / float64(8*mean)
		}
		one.Bytes = float64(one.Messages * mean)
		list = append(list, one)
	}
	return list, true
}

// drawnTargets is the number of destinations sampled for patterns that are not Targeted.
const drawnTargets = 64

func targets(d Destinations, host int32, s Setting) []int32 {
	if d, ok := d.(Targeted); ok {
		return d.Targets(host)
	}
	r := sim.Stream(s.Seed, s.senderHash(host), "targets")
	list := make([]int32, max(drawnTargets, d.Fan(host)))
	for i := range list {
		list[i] = d.Destination(host, int64(i), &r)
	}
	return list
}

// demands returns the traffic of bursts: any host sends as often as any other, to any other.
func (b *bursts) demands(t Traffic) ([]Demand, bool) {
	every, err := b.every(t)
	if err != nil {
		return nil, false
	}
	members := b.setting.Members
	each := float64(b.Senders) * float64(unit.Second) / float64(every) / float64(len(members))
	list := make([]Demand, len(members))
	for i, h := range members {
		list[i] = Demand{Host: h, Messages: each, Bytes: float64(each * t.Sizes.Mean()), Targets: members}
	}
	return list, true
}

// leastStarts is the number of different start times that a list needs to have a rate.
const leastStarts = 100

// demands returns the traffic of a list: what each host sends to another, over the time from the
// first start to the last. A list whose messages start each other has no rate of its own.
func (p *connections) demands() ([]Demand, bool) {
	starts := map[unit.Time]bool{}
	first, last := unit.Forever, unit.Time(0)
	for i := range p.list {
		if p.links[i].starts >= 0 {
			return nil, false
		}
		at := p.list[i].Start
		first, last = min(first, at), max(last, at)
		if len(starts) < leastStarts {
			starts[at] = true
		}
	}
	if len(starts) < leastStarts {
		return nil, false
	}
	span := float64(last-first) / float64(unit.Second)
	type pair struct{ src, dst int32 }
	place := map[pair]int{}
	var list []Demand
	for i := range p.list {
		c := &p.list[i]
		if c.Start == last { // it belongs to the time after the span
			continue
		}
		k, known := place[pair{c.Src, c.Dst}]
		if !known {
			k = len(list)
			place[pair{c.Src, c.Dst}] = k
			list = append(list, Demand{Host: p.members[c.Src], Targets: p.members[c.Dst : c.Dst+1]})
		}
		list[k].Messages += 1 / span
		list[k].Bytes += float64(float64(c.Size) / span)
	}
	return list, true
}

// Packets returns the mean number of packets per message. For sizes from a table, it samples how
// full last packets are.
func Packets(sizes Sizes, payload unit.Bytes) float64 {
	if f, ok := sizes.(Fixed); ok {
		return math.Ceil(float64(f) / float64(payload))
	}
	const draws = 4096
	r := sim.Stream(0, 0, "packets")
	missing := 0.0
	for range draws {
		n := sizes.Draw(&r)
		missing += float64((payload - n%payload) % payload)
	}
	return (sizes.Mean() + missing/draws) / float64(payload)
}
