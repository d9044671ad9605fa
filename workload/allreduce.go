package workload

import (
	"math/bits"
	"math/rand/v2"

	"weft/problem"
	"weft/unit"
)

// RingAllReduce sums a buffer over all ranks and leaves the result at each: a reduce-scatter and
// an all-gather around a ring (Patarasuk and Yuan, JPDC 2009). It takes 2(N-1) steps, in each of
// which every rank sends one N-th of its buffer to the next rank. A rank sends the part that it
// received in the previous step.
type RingAllReduce struct{ Collective }

// Lists implements Ordered.
func (RingAllReduce) Lists() bool { return false }

// Resolve implements Pattern.
func (o RingAllReduce) Resolve(s Setting) (Destinations, error) {
	r, err := o.arrange("ring-allreduce", s)
	if err != nil {
		return nil, err
	}
	return &steps{ranks: r, kind: ring, count: 2 * (r.size - 1)}, nil
}

// ButterflyAllReduce sums a buffer over all ranks and leaves the result at each: a reduce-scatter
// by recursive halving and an all-gather by recursive doubling (Rabenseifner, 2004; Thakur et
// al., IJHPCA 2005). It takes 2 log2 N steps. In each, pairs of ranks exchange equal amounts:
// half of the buffer with the rank N/2 away, a quarter with the rank N/4 away, and so on, and
// then in reverse.
type ButterflyAllReduce struct{ Collective }

// Lists implements Ordered.
func (ButterflyAllReduce) Lists() bool { return false }

// Resolve implements Pattern.
func (o ButterflyAllReduce) Resolve(s Setting) (Destinations, error) {
	r, err := o.arrange("butterfly-allreduce", s)
	if err != nil {
		return nil, err
	}
	if n := uint32(r.size); n&(n-1) != 0 {
		low := 1 << (bits.Len32(n) - 1)
		return nil, problem.New("butterfly-allreduce: %d ranks are not a power of two", n).Mend("let %d hosts take part (hosts:), set ranks_per_group to a power of two, or use ring-allreduce", low)
	}
	return &steps{ranks: r, kind: butterfly, count: int32(2 * (bits.Len32(uint32(r.size)) - 1))}, nil
}

type stepKind int

const (
	ring stepKind = iota
	butterfly
)

// steps is a collective in which every rank sends and receives one message per step. It sends a
// step's message when it has received the messages of all earlier steps.
type steps struct {
	*ranks
	kind  stepKind
	count int32 // number of steps in one collective
}

// to returns the place that another place sends to in a step.
func (p *steps) to(place, step int32) int32 {
	if p.kind == ring {
		return p.at(place, 1)
	}
	rank := p.rank(place)
	return place - rank + (rank ^ p.span(step))
}

// span returns the distance between partners in a step of a butterfly, in ranks.
func (p *steps) span(step int32) int32 {
	if step < p.count/2 {
		return p.size >> (step + 1)
	}
	return 1 << (step - p.count/2)
}

// parts returns the range of the buffer's parts that a place sends in a step.
func (p *steps) parts(place, step int32) (from, to int64) {
	rank := p.rank(place)
	if p.kind == ring {
		i := int64(((rank-step)%p.size + p.size) % p.size)
		return i, i + 1
	}
	span := p.span(step)
	if step < p.count/2 {
		rank ^= span // send the half that the partner continues with
	}
	from = int64(rank &^ (span - 1))
	return from, from + int64(span)
}

// Fan implements Destinations.
func (p *steps) Fan(host int32) int {
	switch {
	case p.places[host] < 0:
		return 0
	case p.kind == ring:
		return 1
	}
	return int(p.count / 2)
}

// Destination implements Destinations.
func (p *steps) Destination(host int32, n int64, _ *rand.PCG) int32 {
	return p.host[p.to(p.places[host], int32(n%int64(p.count)))]
}

// Total implements Schedule.
func (p *steps) Total(t Traffic) (messages int64, size unit.Bytes, err error) {
	each, err := oneSize(t)
	if err != nil {
		return 0, 0, err
	}
	cut := part{int64(each), int64(p.size)}
	for place := range p.size {
		for step := range p.count {
			size += cut.of(p.parts(place, step))
		}
	}
	times := int64(p.Repeat) * int64(len(p.host)) / int64(p.size)
	return times * int64(p.size) * int64(p.count), unit.Bytes(times) * size, nil
}

// Sources implements Schedule.
func (p *steps) Sources(t Traffic, s Setting) ([]Source, error) {
	slab := make([]stepper, len(p.host))
	return p.sources(t, s, func(place int32, cut part, ready unit.Time, allowed int64) ordered {
		slab[place] = stepper{
			steps: p, cut: cut, place: place,
			ready: ready, left: int64(p.Repeat) * int64(p.count), allowed: allowed,
		}
		return &slab[place]
	})
}

// stepper is a rank of a collective in steps.
type stepper struct {
	*steps
	cut   part
	place int32
	next  int64 // next message to send
	left  int64
	seen  seen // messages received
	// ready is when the next message may start, if all earlier ones have been received.
	ready   unit.Time
	allowed int64 // number of collectives that may begin
}

// Due implements Receiver.
func (s *stepper) Due() (unit.Time, bool) {
	if s.left == 0 || s.seen.prefix < s.next || s.next >= s.allowed*int64(s.count) {
		return 0, false
	}
	return s.ready, true
}

// Next implements Source.
func (s *stepper) Next() (Message, bool) {
	at, ok := s.Due()
	if !ok {
		return Message{}, false
	}
	step := int32(s.next % int64(s.count))
	s.next++
	s.left--
	if s.seen.prefix >= s.next {
		s.ready = sum(at, s.Compute)
	}
	return Message{At: at, Dst: s.host[s.to(s.place, step)], Size: s.cut.of(s.parts(s.place, step))}, true
}

// Completed implements Source.
func (s *stepper) Completed(unit.Time, uint64) {}

// Received implements Receiver.
func (s *stepper) Received(now unit.Time, _ int32, ordinal uint64) {
	waited := s.seen.prefix < s.next
	s.seen.note(int64(ordinal))
	if waited && s.seen.prefix >= s.next {
		s.ready = sum(now, s.Compute)
	}
}

// finished returns the number of collectives that the rank has completed.
func (s *stepper) finished() int64 { return s.seen.prefix / int64(s.count) }

// allow permits one more collective to begin, no earlier than now.
func (s *stepper) allow(now unit.Time) {
	s.allowed++
	s.ready = max(s.ready, now)
}
