package homa

import (
	"fmt"

	"weft/unit"
)

// ranking orders the senders that want grants.
type ranking struct {
	// ranked are the senders with messages that are not granted in full, the one whose
	// best message has the fewest bytes to grant first. The first k are granted to.
	ranked []*senderState
	// top is the slot of the first of them, the others follow: a slot is a level of
	// priority. The lowest slots are taken first.
	top int
	// timed are the senders whose next grant waits for a time, soonest is the first.
	timed   []*senderState
	soonest unit.Time
}

func (r *ranking) start(c *config) {
	r.top = c.slots
	r.soonest = unit.Forever
}

// want puts a message into the list of those of its sender that want grants.
func (h *host) want(s *senderState, i int32) {
	s.wanting = append(s.wanting, i)
	k := len(s.wanting) - 1
	for ; k > 0 && h.better(i, s.wanting[k-1]); k-- {
		s.wanting[k] = s.wanting[k-1]
	}
	s.wanting[k] = i
}

// better tells whether a message is granted to before another one: fewer bytes to grant,
// smaller, older.
func (h *host) better(a, b int32) bool {
	x, y := &h.inbox[a], &h.inbox[b]
	if p, q := x.size-x.granted, y.size-y.granted; p != q {
		return p < q
	}
	if x.size != y.size {
		return x.size < y.size
	}
	return x.age < y.age
}

// lowest returns the slot of the first of n ranked senders where those that are granted to
// have the lowest slots.
func (h *host) lowest(n int) int { return h.slots - min(n, h.overcommit) }

// unrank takes a sender out of the ranking, if it is there.
func (h *host) unrank(s *senderState) {
	if len(h.ranked) == 0 {
		h.top = h.slots
	}
	if len(s.wanting) == 0 {
		return
	}
	for i, other := range h.ranked {
		if other == s {
			h.remove(i)
			return
		}
	}
}

// remove takes out the sender at a place. With preset paper the others have the lowest slots.
// With sird those before it keep their slots; if it was the first, those behind it do, as long
// as there is room.
func (h *host) remove(i int) {
	h.ranked[i].slot = h.top + i
	h.ranked = append(h.ranked[:i], h.ranked[i+1:]...)
	switch low := h.lowest(len(h.ranked)); {
	case !h.sird:
		h.top = low
	case i == 0 && h.top < low:
		h.top++
	}
}

// rank returns where a sender belongs in the ranking, and which slot the first one has
// when it is there. With preset paper that is the lowest there can be. With sird a newcomer at
// the front takes the slot above, if there is one and it is not where the sender was already;
// the others move up only if the slots do not suffice.
func (h *host) rank(s *senderState) (i, top int) {
	best := s.wanting[0]
	for i < len(h.ranked) && !h.better(best, h.ranked[i].wanting[0]) {
		i++
	}
	low := h.lowest(len(h.ranked) + 1)
	if !h.sird {
		return i, low
	}
	top = h.top
	if i == 0 && top > 0 && top != s.slot {
		top--
	}
	return i, min(top, low)
}

func (h *host) insert(s *senderState, i, top int) {
	h.top = top
	h.ranked = append(h.ranked, nil)
	copy(h.ranked[i+1:], h.ranked[i:])
	h.ranked[i] = s
}

// grantTo puts a sender that is not in the ranking into it and grants to it, if it is
// among the first k. If it thereby leaves them, the one that comes in its place is
// granted to.
func (h *host) grantTo(s *senderState) {
	for s != nil && len(s.wanting) > 0 {
		i, top := h.rank(s)
		if i >= h.overcommit {
			h.insert(s, i, top)
			return
		}
		h.grant(s, top+i, top)
		if len(s.wanting) > 0 {
			i, top = h.rank(s)
			h.insert(s, i, top)
			if i < h.overcommit {
				return
			}
		}
		if len(h.ranked) < h.overcommit {
			return
		}
		s = h.ranked[h.overcommit-1]
		h.remove(h.overcommit - 1)
	}
}

// grant grants a packet of the best message of a sender, unless the last grant is too young
// or enough is in flight.
func (h *host) grant(s *senderState, slot, top int) {
	i := s.wanting[0]
	m := &h.inbox[i]
	level := h.grantLevel(slot, top, m.size, m.size-m.granted)
	if s.timer < unit.Forever {
		if level >= s.level {
			return
		}
		h.stop(s)
	}
	if m.inFlight >= h.rttBytes {
		return
	}
	payload := min(h.schedPayload, m.size-m.granted)
	wire := h.frame(payload, true)
	m.granted += payload
	m.inFlight += wire
	m.scheduled += wire
	h.outstanding += wire
	s.level = level
	m.heard = h.now // that it was silent before means nothing
	h.orders.Push(order{kind: kindGrant, peer: s.peer, group: m.group, number: m.number, at: m.granted, level: uint8(level)})
	if m.granted == m.size {
		s.wanting = append(s.wanting[:0], s.wanting[1:]...)
		if len(s.wanting) == 0 {
			return
		}
		m = &h.inbox[s.wanting[0]]
	}
	if m.inFlight < h.rttBytes {
		s.timer = h.now + h.rate.Transmit(wire)
		h.timed = append(h.timed, s)
		h.soonest = min(h.soonest, s.timer)
	}
}

// stop stops the timer of a sender.
func (h *host) stop(s *senderState) {
	s.timer = unit.Forever
	h.soonest = unit.Forever
	kept := h.timed[:0]
	for _, other := range h.timed {
		if other != s {
			kept = append(kept, other)
			h.soonest = min(h.soonest, other.timer)
		}
	}
	h.timed = kept
}

// grantAgain grants to the senders whose timers have expired.
func (h *host) grantAgain() {
	for h.soonest <= h.now {
		s := h.timed[0]
		for _, other := range h.timed {
			if other.timer < s.timer {
				s = other
			}
		}
		h.stop(s)
		h.unrank(s)
		h.grantTo(s)
	}
}

// checkOrder tells what is wrong with the ranking.
func (h *host) checkOrder() error {
	if n := min(len(h.ranked), h.overcommit); h.top < 0 || h.top+n > h.slots {
		return fmt.Errorf("homa: %d senders are granted to from slot %d on, of %d", n, h.top, h.slots)
	}
	ranked := 0
	for _, s := range h.senders {
		if s != nil && len(s.wanting) > 0 {
			ranked++
		}
	}
	if ranked != len(h.ranked) {
		return fmt.Errorf("homa: %d senders want grants and %d are ranked", ranked, len(h.ranked))
	}
	for i, s := range h.ranked {
		if len(s.wanting) == 0 {
			return fmt.Errorf("homa: a sender that wants no grants is ranked")
		}
		if i > 0 && h.better(s.wanting[0], h.ranked[i-1].wanting[0]) {
			return fmt.Errorf("homa: sender %d of the ranking should be before the one before it", i)
		}
		for k, j := range s.wanting {
			if m := &h.inbox[j]; !m.live || m.granted >= m.size || k > 0 && h.better(j, s.wanting[k-1]) {
				return fmt.Errorf("homa: the messages of a sender that want grants are out of order")
			}
		}
	}
	return nil
}
