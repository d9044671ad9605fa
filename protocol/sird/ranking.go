package sird

import (
	"weft/internal/ranked"
	"weft/unit"
)

// This file finds the message to grant to next where many wait. What decides is Algorithm 1,
// lines 8 to 10, as scan has it, which looks at every message; an incast has thousands, and
// asks twice a packet. Nearly all of that stays the same from one time to the next: a packet
// or a credit changes one sender. So each sender has its best message found, only when anything
// about it has changed, and a heap has the senders in the order of these.
//
// Only the sender's bucket is part of that. The global bucket (line 8) changes with every credit, but
// bounds all alike: if it has room for a full packet's credit it refuses nobody, and if it
// has not, it refuses all but messages whose next credit is shorter. Only where there are such
// is it looked at each, which is once at the end of most messages.
//
// Of messages that are equal, the first in wanting goes. So their places there are part of the
// order, and a message that is moved has its sender ranked anew.

// few is how many messages are looked through faster than ranked. Most scenarios never have
// more at a receiver.
const few = 8

// ranking is what a receiver knows of the order of its senders.
type ranking struct {
	// ranks has the senders with a message that their bucket allows, the best first, if they
	// are not stale.
	ranks ranked.Heap
	// stale are the senders of whom something has changed since they were ranked.
	stale []*senderState
	// short counts the messages in wanting whose next credit is less than that of a full packet.
	short int
}

// rank is what a sender is ranked by. It stays as it was when that was done, so that the heap
// is in order whatever has changed since.
type rank struct {
	waiting []int32 // its messages in wanting
	best    int32   // of these as its bucket allows, noMessage if it allows none
	key     uint64  // of the policy
	left    unit.Bytes
	place   int32 // of best in wanting
	stale   bool
}

// before is the order of the heap.
func (r *rank) before(other *rank) bool {
	switch {
	case r.key != other.key:
		return r.key < other.key
	case r.left != other.left:
		return r.left < other.left
	}
	return r.place < other.place
}

// change notes that something has changed by which a sender is ranked.
func (h *host) change(s *senderState) {
	h.next = undecided
	if !s.stale {
		s.stale = true
		h.stale = append(h.stale, s)
	}
}

// join puts a message into wanting.
func (h *host) join(i int32) {
	m := &h.inbox[i]
	s := h.senders[m.peer]
	m.place, m.among = int32(len(h.wanting)), int32(len(s.waiting))
	h.wanting = append(h.wanting, want{m.size - m.received, i, m.peer})
	s.waiting = append(s.waiting, i)
	h.shorten(m)
	h.change(s)
}

// leave takes a message out of wanting, where the last one takes its place.
func (h *host) leave(i int32) {
	m := &h.inbox[i]
	s := h.senders[m.peer]
	n := len(h.wanting) - 1
	last := h.wanting[n]
	h.wanting[m.place] = last
	h.inbox[last.message].place = m.place
	h.wanting = h.wanting[:n]
	m.place = -1
	h.change(h.senders[last.peer])

	n = len(s.waiting) - 1
	other := s.waiting[n]
	s.waiting[m.among] = other
	h.inbox[other].among = m.among
	s.waiting = s.waiting[:n]
	if m.short {
		m.short = false
		h.short--
	}
	h.change(s)
}

// shorten notes whether the next credit of a message in wanting is less than that of a full packet,
// as it stays then.
func (h *host) shorten(m *inMessage) {
	if !m.short && m.size-m.granted < h.payload {
		m.short = true
		h.short++
	}
}

// selectSender is Algorithm 1, lines 8 to 10: of the messages whose credit fits both
// buckets, the one that the policy prefers.
func (h *host) selectSender() int32 {
	if len(h.wanting) <= few || h.policy == classes { // a class is not a matter of the sender
		return h.scan()
	}
	for _, s := range h.stale {
		s.stale = false
		h.rankSender(s)
	}
	h.stale = h.stale[:0]
	switch {
	case h.ranks.Len() == 0:
		return noMessage
	case h.used+h.packet <= h.b:
		return h.senders[h.ranks.First()].best
	case h.short == 0 || h.used+h.control > h.b:
		return noMessage
	}
	return h.scan()
}

// rankSender puts a sender where it belongs.
func (h *host) rankSender(s *senderState) {
	s.best = noMessage
	for _, i := range s.waiting {
		m := &h.inbox[i]
		left := h.wanting[m.place].left
		if s.best >= 0 && (left > s.left || left == s.left && m.place > s.place) {
			continue
		}
		if h.allows(s, h.nextCredit(m)) {
			s.best, s.left, s.place = i, left, m.place
		}
	}
	if s.best < 0 {
		h.ranks.Remove(s.peer)
		return
	}
	s.key = 0
	if h.policy == roundRobin {
		s.key = s.served
	}
	h.ranks.Put(s.peer)
}

// scan is selectSender as it is printed: it looks at all messages.
func (h *host) scan() int32 {
	best := noMessage
	var bestKey uint64
	var bestLeft unit.Bytes
	for k := range h.wanting {
		w := &h.wanting[k]
		key := uint64(0)
		switch h.policy {
		case roundRobin:
			key = h.senders[w.peer].served
		case classes:
			key = h.begins(h.inbox[w.message].group)
		}
		if best >= 0 && (key > bestKey || key == bestKey && w.left >= bestLeft) {
			continue
		}
		credit := h.nextCredit(&h.inbox[w.message])
		if h.used+credit <= h.b && h.allows(h.senders[w.peer], credit) { // line 8
			best, bestKey, bestLeft = w.message, key, w.left
		}
	}
	return best
}

// nextCredit is what the next packet of a message takes.
func (h *host) nextCredit(m *inMessage) unit.Bytes { return h.cost(min(h.payload, m.size-m.granted)) }

// allows tells whether a sender's bucket allows a credit. The sender is not dead: with its credit
// all its messages left the list, and none enters it before something is heard.
func (h *host) allows(s *senderState, credit unit.Bytes) bool {
	if h.paper {
		return s.used+credit <= s.bucket // line 9
	}
	return s.used+credit <= h.bucket && s.used <= s.bucket
}
