package workload

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"weft/sim"
	"weft/unit"
)

// Traffic is a group of messages: who sends to whom, how much and when.
type Traffic struct {
	Pattern Pattern
	Sizes   Sizes
	Arrival Arrival
	// Start is when the first messages may start.
	Start unit.Time
	// Jitter delays each sender's start by a random time of its own, uniform from 0 to Jitter.
	Jitter unit.Time
	// Stop is the instant from which no message starts any more; 0 means never.
	Stop unit.Time
	// LookAhead selects whom the messages of an incast list as senders: ListNone (also ""),
	// ListSenders or ListMembers.
	LookAhead string
}

// NewSources returns the sources of a traffic group by host; nil for a host that sends nothing. A
// host's random streams depend on the seed, the group's name and the host's name. There are
// separate streams for its start, arrivals, sizes and destinations, so changing one of these
// leaves the others as they were.
func NewSources(t Traffic, s Setting) ([]Source, error) {
	s, destinations, err := t.resolve(s)
	if err != nil {
		return nil, err
	}
	if d, ok := destinations.(Schedule); ok {
		if _, bursts := d.(*bursts); !bursts && t.LookAhead != ListNone && t.LookAhead != "" {
			return nil, errNoIncasts
		}
		return d.Sources(t, s)
	}
	plan := &plan{destinations: destinations, sizes: t.Sizes, stop: t.Stop}
	mean := t.Sizes.Mean()
	list := make([]Source, s.Hosts)
	slab := make([]source, 0, len(s.Members))
	for _, h := range s.Members {
		fan := destinations.Fan(h)
		if fan == 0 {
			continue
		}
		entity := s.senderHash(h)
		sender := Sender{Start: t.begins(s, h), Fan: fan, MeanSize: mean, Rand: sim.Stream(s.Seed, entity, "arrival")}
		if s.LineRate != nil {
			sender.LineRate = s.LineRate(h)
		}
		process, err := t.Arrival.Process(sender)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.HostName(h), err)
		}
		slab = append(slab, source{
			plan: plan, process: process, host: h,
			sizes:        sim.Stream(s.Seed, entity, "size"),
			destinations: sim.Stream(s.Seed, entity, "destination"),
		})
		list[h] = &slab[len(slab)-1]
	}
	return list, t.lists(destinations, s, list)
}

// Total returns the number of messages of a traffic group and their bytes. It returns false if
// they are known only when the run has ended. The bytes are expected values, and exact if all
// messages have the same size.
func Total(t Traffic, s Setting) (messages int64, size unit.Bytes, ok bool) {
	s, destinations, err := t.resolve(s)
	if err != nil {
		return 0, 0, false
	}
	if d, ok := destinations.(Schedule); ok {
		messages, size, err := d.Total(t)
		return messages, size, err == nil
	}
	if t.Stop > 0 {
		return 0, 0, false
	}
	for _, h := range s.Members {
		fan := destinations.Fan(h)
		if fan == 0 {
			continue
		}
		n, known := t.Arrival.Messages(fan)
		if !known || n > math.MaxInt64-messages {
			return 0, 0, false
		}
		messages += n
	}
	return messages, bytesOf(messages, t.Sizes), true
}

// bytesOf returns the expected size of n messages, at most the largest Bytes.
func bytesOf(n int64, sizes Sizes) unit.Bytes {
	if f, ok := sizes.(Fixed); ok {
		if hi, lo := bits.Mul64(uint64(n), uint64(f)); hi == 0 && lo <= math.MaxInt64 {
			return unit.Bytes(lo)
		}
		return math.MaxInt64
	}
	if b := math.Round(float64(n) * sizes.Mean()); b < math.MaxInt64 {
		return unit.Bytes(b)
	}
	return math.MaxInt64
}

func (t Traffic) resolve(s Setting) (Setting, Destinations, error) {
	switch {
	case t.Pattern == nil || t.Arrival == nil || t.Sizes == nil && !lists(t.Pattern):
		return s, nil, errors.New("traffic needs a pattern, sizes and an arrival")
	case t.Sizes != nil && !(t.Sizes.Mean() >= 1):
		return s, nil, fmt.Errorf("the mean size is %v bytes; a message has at least 1", t.Sizes.Mean())
	case t.Start < 0:
		return s, nil, fmt.Errorf("start is %v; it cannot be before the run", t.Start)
	case t.Jitter < 0:
		return s, nil, fmt.Errorf("jitter is %v; it cannot be negative", t.Jitter)
	}
	if t.Sizes != nil {
		if err := s.fits(t.Sizes.Max()); err != nil {
			return s, nil, err
		}
	}
	s, err := s.withMembers()
	if err != nil {
		return s, nil, err
	}
	if s.Kept == nil {
		d, err := t.Pattern.Resolve(s)
		return s, d, err
	}
	if s.Kept.destinations == nil {
		s.Kept.destinations, err = t.Pattern.Resolve(s)
	}
	return s, s.Kept.destinations, err
}

// Kept caches the result of resolving a pattern for NewSources, Total and Demands. NewSources
// must be called only once, because the sources change the state of the destinations.
type Kept struct{ destinations Destinations }

// plan is what the sources of a group share.
type plan struct {
	destinations Destinations
	sizes        Sizes
	stop         unit.Time
}

// source yields the messages of one host.
type source struct {
	plan    *plan
	process Process
	sent    int64
	host    int32
	round   *Round // nil unless messages list the senders of their incast

	sizes, destinations rand.PCG
}

// Next implements Source.
func (s *source) Next() (Message, bool) {
	at, ok := s.process.Next()
	if !ok || s.plan.stop > 0 && at >= s.plan.stop {
		return Message{}, false
	}
	m := Message{
		At:   at,
		Dst:  s.plan.destinations.Destination(s.host, s.sent, &s.destinations),
		Size: s.plan.sizes.Draw(&s.sizes),
	}
	s.sent++
	if s.round != nil {
		s.round.Number = uint32(s.sent)
		m.Round = s.round
	}
	return m, true
}

// Completed implements Source.
func (s *source) Completed(now unit.Time, _ uint64) { s.process.Completed(now) }
