package sending

import (
	"fmt"

	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/unit"
)

// This file implements how a connection spends credit (protocol.Credited) and asks for it.

// lend gives a new connection the state to spend credit, if its control needs it.
func (s *Side) lend(c *connection) {
	k, ok := c.congestion.(protocol.Credited)
	if !ok {
		return
	}
	c.credits = &credits{Credited: k, slot: uint32(len(s.slots.borrowers))}
	s.slots.borrowers = append(s.slots.borrowers, c)
}

// owe adds to the bytes that a connection has to send.
func (s *Side) owe(now unit.Time, h int32, c *connection, more unit.Bytes) {
	c.credits.backlog += more
	s.settle(now, h, c)
}

// limit sets the window to what credit allows. Any remaining credit allows a full packet.
func (c *connection) limit(payload unit.Bytes) {
	room := c.credits.Credit()
	if room > 0 {
		room = max(room, payload)
	}
	c.window = min(c.congestion.Window(), c.inflight+max(0, room))
}

// spend subtracts a data frame that is about to be sent from the credit, and writes the sender's
// request into it.
func (s *Side) spend(now unit.Time, c *connection, p *packet.Packet) {
	k := c.credits
	wire := unit.Bytes(p.Size)
	k.Sent(now, wire)
	k.backlog -= wire
	k.moved = now
	s.writeAsk(c, p, wire)
	c.limit(s.group(c).Payload)
	s.await(now, c)
}

// settle lets a connection continue after its credit or backlog changed.
func (s *Side) settle(now unit.Time, h int32, c *connection) {
	c.limit(s.group(c).Payload)
	k := c.credits
	if c.active == 0 {
		return
	}
	if k.MustAsk(k.backlog) {
		s.ask(now, h, c, 0)
	}
	s.await(now, c)
}

// await sets a deadline if a connection waits for credit.
func (s *Side) await(now unit.Time, c *connection) {
	k := c.credits
	if k.starving || k.backlog <= 0 || k.Credit() > 0 {
		return
	}
	k.starving = true
	s.Await(s.hosts[c.src].Host, end.Deadline{At: now + s.group(c).RTO, Slot: k.slot, Serial: k.life, What: end.OverdueCredit})
}

// ask sends a request for credit on behalf of the first message that has something to send.
func (s *Side) ask(now unit.Time, local int32, c *connection, bits uint8) {
	h := &s.hosts[local]
	for m := c.queue.head; m != nil; m = m.next {
		if m.Unsent() == 0 {
			continue
		}
		id := s.control(c, end.Request, h.GrantEntropy())
		p := s.Store.At(id)
		p.Message, p.Serial, p.Aux, p.Bits = s.number(m), m.serial, m.packets, bits
		s.writeAsk(c, p, 0)
		h.Out.Push(id)
		c.credits.moved = now
		s.Counts.Requests++
		return
	}
}

// writeAsk puts the sender's request into a packet, with the packet's size before any trimming
// and the connection's part.
func (s *Side) writeAsk(c *connection, p *packet.Packet, wire unit.Bytes) {
	*s.Store.AddAsk(p) = packet.Ask{Ask: c.credits.Ask(c.credits.backlog), Wire: uint32(wire), Part: c.part}
}

// checkCredit reports a connection that sent more than its grants and its unsolicited allowance.
func (s *Side) checkCredit() error {
	for _, c := range s.slots.borrowers {
		k := c.credits
		packet := s.group(c).Payload + s.group(c).Header
		if sent, granted, unsolicited := k.Balance(); sent >= granted+unsolicited+packet {
			return fmt.Errorf("connection: one of host %d sent %v with credit for %v, and %v without grant", s.hosts[c.src].ID, sent, granted, unsolicited)
		}
		if k.backlog < 0 || c.active == 0 && k.backlog != 0 {
			return fmt.Errorf("connection: one of host %d with %d messages has %v to send", s.hosts[c.src].ID, c.active, k.backlog)
		}
	}
	return nil
}
