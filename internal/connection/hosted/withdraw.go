package hosted

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// This file withdraws messages and forgets other hosts.

// withdrawals lists cancelled messages whose receiver has not yet confirmed the withdrawal. Until
// then their numbers are not free.
type withdrawals struct {
	list []withdrawal
	due  unit.Time // earliest deadline; Forever if the list is empty
}

// withdrawal is one cancelled message.
type withdrawal struct {
	place
	serial    uint32
	due, wait unit.Time
	tries     int
}

// Limits on repeating a withdrawal. The wait doubles up to longestWait, for 5 s in all. After
// that, the receiver learns of the withdrawal from the next message with the same number.
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

// withdraw cancels a message that is under way.
func (h *host) withdraw(now unit.Time, p *peer, number uint32) {
	m := &p.outgoing[number]
	h.connections.Cancel(now, local, int32(m.group), ordinalOf(p.number, number, m.serial))
	if m.sent == 0 && !h.announcesBacklog { // the receiver does not know of it
		p.release(number)
		h.begin(now, p)
		return
	}
	h.tellWithdrawn(now, p, number)
	h.repeat(now)
}

// tellWithdrawn schedules the withdrawal of a message.
func (h *host) tellWithdrawn(now unit.Time, p *peer, number uint32) {
	m := &p.outgoing[number]
	m.state = cancelled
	h.withdrawals.list = append(h.withdrawals.list, withdrawal{place: place{p.number, number}, serial: m.serial, due: now, wait: leastRTO})
	h.withdrawals.due = now
}

// repeat sends the withdrawals that are due.
func (h *host) repeat(now unit.Time) {
	for w := &h.withdrawals; now >= w.due; h.beginFreed(now) {
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

// sayWithdrawal sends a withdrawal to the message's receiver. If the control wants Backlog, the
// withdrawal also names the connection (by its group) and says whether other messages wait there.
func (h *host) sayWithdrawal(w *withdrawal) {
	if !h.announcesBacklog {
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

// settle frees the number of a cancelled message.
func (h *host) settle(at place) {
	h.peers[at.peer].release(at.number)
	h.freed = append(h.freed, at.peer)
}

// say queues a packet that names a message of a group.
func (h *host) say(kind uint8, to int32, number, serial uint32, group uint8) *packet.Packet {
	host := h.connections.Host(local)
	id := host.Control(&h.store, &h.net.Groups[group], group, kind, to, 0)
	f := h.store.At(id)
	f.Message, f.Serial, f.Seq = number, serial, ours
	host.Out.Push(id)
	return f
}

// onWithdrawal ends a message that its sender withdrew.
func (h *host) onWithdrawal(now unit.Time, p *protocol.Packet) {
	if p.Number >= mostNumbers || h.full() {
		return
	}
	m := h.incoming(p)
	switch newer := int32(p.Message - m.serial); {
	case m.state == none || newer > 0: // nothing of it has arrived yet
		h.abandon(now, p.Peer, p.Number, 0)
		*m = incoming{state: cancelled, serial: p.Message}
		if h.announcesBacklog {
			h.endWithdrawn(now, p, groupOf(p))
		}
	case newer == 0:
		h.abandon(now, p.Peer, p.Number, p.Flags&backlog)
	}
	h.say(withdrawn, p.Peer, p.Number, p.Message, short)
}

// abandon ends the last message that had a number, unless it has arrived in full. The flags say
// whether other messages wait behind it.
func (h *host) abandon(now unit.Time, from int32, number uint32, flags protocol.PacketFlags) {
	m := &h.peers[from].incoming[number]
	if m.state != underWay {
		return
	}
	m.state = cancelled
	h.endWithdrawn(now, &protocol.Packet{Peer: from, Number: number, Message: m.serial, Flags: flags}, m.group)
	h.env.Out.Report(protocol.HostEvent{Kind: protocol.MessageWithdrawn, Peer: from, Tag: uint64(m.serial)})
}

// endWithdrawn passes a withdrawal on to the connections.
func (h *host) endWithdrawn(now unit.Time, p *protocol.Packet, group uint8) {
	id, f := h.arrives(p, end.Withdrawal, group)
	if p.Flags&backlog != 0 {
		f.Flags |= end.Backlog
	}
	h.connections.Receive(now, local, id)
}

// onWithdrawn handles a receiver's confirmation of a withdrawal.
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
