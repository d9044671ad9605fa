package hosted

import (
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/unit"
)

// This file takes messages back, and forgets other hosts.

// withdrawals are the messages that were cancelled, of which the receiver has not said yet that it knows. Their numbers are
// not free before.
type withdrawals struct {
	list []withdrawal
	due  unit.Time // the first of them; Forever without any
}

// withdrawal is one of them.
type withdrawal struct {
	place
	serial    uint32
	due, wait unit.Time
	tries     int
}

// A withdrawal is repeated so often, with waits that double up to the longest, 5 s in all. After that the next message of its number tells the receiver.
const (
	mostTries   = 12
	longestWait = unit.Second
)

// Cancel implements protocol.Canceler.
func (h *host) Cancel(now unit.Time, m *protocol.HostMessage) bool {
	h.catchUp(now)
	p := h.peers[m.Peer]
	if p == nil {
		return false
	}
	for g := range p.waiting {
		for i := range p.waiting[g].Len() {
			if w := p.waiting[g].At(i); w.tag == m.Tag && w.bytes > 0 {
				w.bytes = 0
				return true
			}
		}
	}
	for n := range p.outgoing {
		if o := &p.outgoing[n]; o.state == underWay && o.tag == m.Tag {
			h.withdraw(now, p, uint32(n))
			return true
		}
	}
	return false
}

// withdraw takes a message back that is on its way.
func (h *host) withdraw(now unit.Time, p *peer, number uint32) {
	m := &p.outgoing[number]
	h.connections.Cancel(now, local, int32(m.group), ordinalOf(p.number, number, m.serial))
	if m.sent == 0 { // nobody knows of it
		p.release(number)
		h.begin(now, p)
		return
	}
	m.state = cancelled
	h.withdrawals.list = append(h.withdrawals.list, withdrawal{place: place{p.number, number}, serial: m.serial, due: now, wait: leastRTO})
	h.withdrawals.due = now
	h.repeat(now)
}

// repeat sends the withdrawals that are due.
func (h *host) repeat(now unit.Time) {
	w := &h.withdrawals
	if now < w.due {
		return
	}
	w.due = unit.Forever
	kept := w.list[:0]
	for _, one := range w.list {
		if one.due <= now {
			if one.tries == mostTries {
				h.settle(now, one.place)
				continue
			}
			h.say(end.Withdrawal, one.peer, one.number, one.serial)
			one.due, one.wait, one.tries = now+one.wait, min(2*one.wait, longestWait), one.tries+1
		}
		w.due = min(w.due, one.due)
		kept = append(kept, one)
	}
	w.list = kept
}

// settle gives the number of a message free that was cancelled.
func (h *host) settle(now unit.Time, at place) {
	p := h.peers[at.peer]
	p.release(at.number)
	h.begin(now, p)
}

// say sends a packet that names a message and says nothing more.
func (h *host) say(kind uint8, to int32, number, serial uint32) {
	host := h.connections.Host(local)
	id := host.Control(&h.store, &h.net.Groups[short], short, kind, to, 0)
	f := h.store.At(id)
	f.Message, f.Serial, f.Seq = number, serial, ours
	host.Out.Push(id)
}

// onWithdrawal ends a message that its sender took back.
func (h *host) onWithdrawal(now unit.Time, p *protocol.Packet) {
	if p.Number >= mostNumbers || h.full() {
		return
	}
	m := h.incoming(p)
	switch newer := int32(p.Message - m.serial); {
	case m.state == none || newer > 0: // nothing of it has come yet
		h.abandon(now, p.Peer, p.Number)
		*m = incoming{state: cancelled, serial: p.Message}
	case newer == 0:
		h.abandon(now, p.Peer, p.Number)
	}
	h.say(withdrawn, p.Peer, p.Number, p.Message)
}

// abandon ends the last message of a number, if it did not arrive in full.
func (h *host) abandon(now unit.Time, from int32, number uint32) {
	m := &h.peers[from].incoming[number]
	if m.state != underWay {
		return
	}
	m.state = cancelled
	id, _ := h.arrives(&protocol.Packet{Peer: from, Number: number, Message: m.serial}, end.Withdrawal, m.group)
	h.connections.Receive(now, local, id)
	h.env.Out.Report(protocol.HostEvent{Kind: protocol.MessageWithdrawn, Peer: from, Tag: uint64(m.serial)})
}

// onWithdrawn takes the word that a receiver knows of a withdrawal.
func (h *host) onWithdrawn(p *protocol.Packet) {
	if h.find(p, cancelled) == nil {
		return
	}
	at := place{p.Peer, p.Number}
	list := h.withdrawals.list
	for i := range list {
		if list[i].place == at {
			h.withdrawals.list = append(list[:i], list[i+1:]...)
			h.peers[p.Peer].release(p.Number)
			h.freed = append(h.freed, p.Peer)
			return
		}
	}
}

// Forget implements protocol.Forgetter.
func (h *host) Forget(now unit.Time, number int32) {
	h.catchUp(now)
	h.connections.Forget(now, local, number)
	h.peers[number] = nil
	for i, to := range h.probes {
		if to == number+1 {
			h.probes[i] = 0
		}
	}
	kept := h.withdrawals.list[:0]
	for _, one := range h.withdrawals.list {
		if one.peer != number {
			kept = append(kept, one)
		}
	}
	h.withdrawals.list = kept
	out := h.outbox()
	for range out.Len() {
		if id := out.Pop(); h.store.At(id).Dst() == number {
			h.store.Free(id)
		} else {
			out.Push(id)
		}
	}
}

var _ interface {
	protocol.Canceler
	protocol.Forgetter
} = (*host)(nil)
