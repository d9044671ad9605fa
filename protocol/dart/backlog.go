package dart

import (
	"weft/protocol"
	"weft/unit"
)

// backlog is what a receiver knows of the messages that wait at the sender of a connection. A message that ends says whether others
// came after it. If so, its sender stays in the set until the next one begins: an application that posts one message after another is
// one transmission (§V-A), and leaves when all of its messages have terminated (§III-B).
//
// Messages of a connection begin in order, but packets may overtake each other or be lost:
//
//   - What the latest message says counts. One that ends when a later one has begun says nothing new.
//   - A message that waits may be taken back. Its receiver hears of that, and whether others wait still. If none does, messages before
//     it have nothing behind them, whatever they say when they end.
//   - If the sender fails, or nothing is heard of a message that was taken back, the backlog counts until idle.
type backlog struct {
	// latest is the latest message that began, and emptied the latest that was taken back and left none; if there was any.
	latest, emptied sequel
	// counts tells that the backlog counts as one of the sender's messages, in its life.
	counts bool
}

// sequel is the latest of some messages of a connection.
type sequel struct {
	message uint32
	any     bool
}

// before tells whether there is none that is as late as a message.
func (s sequel) before(message uint32) bool { return !s.any || int32(message-s.message) > 0 }

// add adds a message, and tells whether it is the latest.
func (s *sequel) add(message uint32) bool {
	if !s.before(message) {
		return false
	}
	*s = sequel{message, true}
	return true
}

// behind tells whether others wait that came after a message which ended, and said so.
func (b *backlog) behind(message uint32) bool {
	return b.latest.message == message && b.emptied.before(message)
}

// hold has the backlog of a connection count from now on.
func (r *receiver) hold(now unit.Time, i int32) {
	p := &r.peers[i]
	if !p.counts {
		p.counts = true
		r.set.change(now, p.sender, 1, 0)
	}
	r.backlogs.Put(i, now)
}

// release ends that.
func (r *receiver) release(now unit.Time, i int32) {
	p := &r.peers[i]
	if p.counts && p.life == r.set.list[p.sender].life {
		r.set.change(now, p.sender, -1, 0)
	}
	r.drop(i)
}

// drop forgets the backlog of a connection whose sender does not count any more.
func (r *receiver) drop(i int32) {
	if p := &r.peers[i]; p.counts {
		p.counts = false
		r.backlogs.Remove(i)
	}
}

// Withdrawn implements protocol.Withdrawer.
func (r *receiver) Withdrawn(now unit.Time, m protocol.Withdrawn) {
	r.expire(now)
	r.count(now, m.Peer, 0)
	p := &r.peers[m.Peer]
	switch {
	case !m.Begun && !m.Backlog:
		p.emptied.add(m.Message)
		if p.latest.before(m.Message) { // else it is of before what the latest said
			r.release(now, m.Peer)
		}
	case m.Begun && m.Backlog && p.behind(m.Message):
		r.hold(now, m.Peer)
	}
	if m.Begun && p.open > 0 {
		r.count(now, m.Peer, -1)
	}
	r.set.touch(now, p.sender)
}
