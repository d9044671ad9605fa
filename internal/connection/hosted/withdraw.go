package hosted

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
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
	if m.sent == 0 && !h.tells { // nobody knows of it
		p.release(number)
		h.begin(now, p)
		return
	}
	h.tellWithdrawn(now, p, number)
	h.repeat(now)
}

// tellWithdrawn has the receiver of a message hear that it was taken back.
func (h *host) tellWithdrawn(now unit.Time, p *peer, number uint32) {
	m := &p.outgoing[number]
	m.state = cancelled
	h.withdrawals.list = append(h.withdrawals.list, withdrawal{place: place{p.number, number}, serial: m.serial, due: now, wait: leastRTO})
	h.withdrawals.due = now
}

// repeat sends the withdrawals that are due.
func (h *host) repeat(now unit.Time) {
	for w := &h.withdrawals; now >= w.due; h.goOn(now) {
		w.due = unit.Forever
		kept := w.list[:0]
		for _, one := range w.list {
			if one.due <= now {
				if one.tries == mostTries {
					h.settle(one.place)
					continue
				}
				h.sayWithdrawal(&one)
				one.due, one.wait, one.tries = now+one.wait, min(2*one.wait, longestWait), one.tries+1
			}
			w.due = min(w.due, one.due)
			kept = append(kept, one)
		}
		w.list = kept
	}
}

// sayWithdrawal tells the receiver of a message that it was taken back, and if the control asks for it, of which connection it is and whether
// others wait there.
func (h *host) sayWithdrawal(w *withdrawal) {
	if !h.tells {
		h.say(end.Withdrawal, w.peer, w.number, w.serial, short)
		return
	}
	p := h.peers[w.peer]
	group := p.outgoing[w.number].group
	others := !p.waiting[group].Empty()
	for i := range p.outgoing {
		o := &p.outgoing[i]
		others = others || o.state == underWay && o.group == group && o.sent == 0
	}
	f := h.say(end.Withdrawal, w.peer, w.number, w.serial, group)
	if others {
		f.Flags |= end.Backlog
	}
}

// settle gives the number of a message free that was cancelled.
func (h *host) settle(at place) {
	h.peers[at.peer].release(at.number)
	h.freed = append(h.freed, at.peer)
}

// say sends a packet that names a message of a group.
func (h *host) say(kind uint8, to int32, number, serial uint32, group uint8) *packet.Packet {
	host := h.connections.Host(local)
	id := host.Control(&h.store, &h.net.Groups[group], group, kind, to, 0)
	f := h.store.At(id)
	f.Message, f.Serial, f.Seq = number, serial, ours
	host.Out.Push(id)
	return f
}

// onWithdrawal ends a message that its sender took back.
func (h *host) onWithdrawal(now unit.Time, p *protocol.Packet) {
	if p.Number >= mostNumbers || h.full() {
		return
	}
	m := h.incoming(p)
	switch newer := int32(p.Message - m.serial); {
	case m.state == none || newer > 0: // nothing of it has come yet
		h.abandon(now, p.Peer, p.Number, 0)
		*m = incoming{state: cancelled, serial: p.Message}
		if h.tells {
			h.endWithdrawn(now, p, groupOf(p))
		}
	case newer == 0:
		h.abandon(now, p.Peer, p.Number, p.Flags&backlog)
	}
	h.say(withdrawn, p.Peer, p.Number, p.Message, short)
}

// abandon ends the last message of a number, if it did not arrive in full. Flags tell whether others wait.
func (h *host) abandon(now unit.Time, from int32, number uint32, flags protocol.PacketFlags) {
	m := &h.peers[from].incoming[number]
	if m.state != underWay {
		return
	}
	m.state = cancelled
	h.endWithdrawn(now, &protocol.Packet{Peer: from, Number: number, Message: m.serial, Flags: flags}, m.group)
	h.env.Out.Report(protocol.HostEvent{Kind: protocol.MessageWithdrawn, Peer: from, Tag: uint64(m.serial)})
}

// endWithdrawn tells the connections of a message that its sender took back.
func (h *host) endWithdrawn(now unit.Time, p *protocol.Packet, group uint8) {
	id, f := h.arrives(p, end.Withdrawal, group)
	if p.Flags&backlog != 0 {
		f.Flags |= end.Backlog
	}
	h.connections.Receive(now, local, id)
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
			h.settle(at)
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
