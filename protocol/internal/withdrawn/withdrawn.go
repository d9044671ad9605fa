// Package withdrawn keeps the messages that a host took back, until their receivers have said that they know.
//
// A transport tells the receiver of such a message at once, with a packet of a kind of its own, and again whenever Again
// says so. The receiver answers each time, whatever it knew of the message. The waits between are at first as long as an
// answer can take, since a receiver that was not reached may hold others of the same sender back, and double then, since it
// may be gone: whoever carries the transport has it forget such a host.
package withdrawn

import (
	"weft/protocol/internal/deadlines"
	"weft/protocol/internal/numbered"
	"weft/unit"
)

// mostDoublings is how often the wait doubles.
const mostDoublings = 12

// Message is one that was taken back.
type Message struct {
	Peer   int32 // the receiver
	Number uint32
	Group  uint8
}

// List holds messages.
type List struct {
	wait   unit.Time // at first
	places map[place]int32
	told   []told
	free   []int32
	due    deadlines.Set // of told
}

type place struct {
	peer   int32
	number uint32
}

type told struct {
	Message
	times uint8
}

// Start must be called first, with the round-trip time of an idle network: an answer can take 4 of them
// (protocol.HostEnv.CheckWait).
func (l *List) Start(rtt unit.Time) {
	l.wait = max(unit.Microsecond, 4*rtt)
	l.places = map[place]int32{}
}

// Add notes that the receiver of a message was told for the first time.
func (l *List) Add(now unit.Time, m Message) {
	i := numbered.Take(&l.told, &l.free)
	l.told[i] = told{Message: m}
	l.places[place{m.Peer, m.Number}] = i
	l.due.Put(i, now+l.wait)
}

// Has tells whether a receiver has not said yet that it knows.
func (l *List) Has(peer int32, number uint32) bool {
	_, ok := l.places[place{peer, number}]
	return ok
}

// Known notes that a receiver knows.
func (l *List) Known(peer int32, number uint32) {
	if i, ok := l.places[place{peer, number}]; ok {
		l.remove(i)
	}
}

// Again returns a message whose receiver is to be told once more, until there is none.
func (l *List) Again(now unit.Time) (m Message, ok bool) {
	i, at := l.due.First()
	if at > now {
		return m, false
	}
	t := &l.told[i]
	t.times = min(t.times+1, mostDoublings)
	l.due.Put(i, now+l.wait<<t.times)
	return t.Message, true
}

// Due returns when Again has one; unit.Forever if the list is empty.
func (l *List) Due() unit.Time {
	_, at := l.due.First()
	return at
}

// Len is how many messages there are.
func (l *List) Len() int { return l.due.Len() }

// Forget drops all messages to a receiver.
func (l *List) Forget(peer int32) {
	for i := range l.told {
		m := &l.told[i]
		if k, ok := l.places[place{m.Peer, m.Number}]; ok && k == int32(i) && m.Peer == peer {
			l.remove(k)
		}
	}
}

func (l *List) remove(i int32) {
	m := &l.told[i]
	delete(l.places, place{m.Peer, m.Number})
	l.due.Remove(i)
	l.free = append(l.free, i)
}
