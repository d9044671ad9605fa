package sending

import (
	"cmp"

	"weft/unit"
)

// Connection is what can be seen of a connection while it carries a message.
type Connection struct {
	Group    int
	Src, Dst int32
	// Ordinal is that of the message if the connection carries only one, and that of the
	// connection, from 1, if it is of a pool.
	Ordinal uint64
	// Part is which subflow it is of a message that is divided.
	Part int32
	// Window is the congestion window, InFlight the payload sent that is neither
	// acknowledged nor given up.
	Window, InFlight unit.Bytes
	// Pace is the rate at which its control spaces packets, 0 if it does not by a rate.
	Pace unit.Rate
}

// Identity returns what is the same of a connection at all times.
func (c Connection) Identity() Connection {
	c.Window, c.InFlight, c.Pace = 0, 0, 0
	return c
}

// Compare orders connections by what is the same of them at all times.
func (c Connection) Compare(o Connection) int {
	return cmp.Or(cmp.Compare(c.Src, o.Src), cmp.Compare(c.Dst, o.Dst), cmp.Compare(c.Group, o.Group), cmp.Compare(c.Ordinal, o.Ordinal), cmp.Compare(c.Part, o.Part))
}

// Connections appends those connections between two hosts that want accepts which
// carry a message that is not fully acknowledged, some perhaps more than once. It changes nothing.
func (s *Side) Connections(want func(src, dst int32) bool, list []Connection) []Connection {
	for _, m := range s.messages {
		if !m.live {
			continue
		}
		c := m.conn
		if c.pool != nil && c == &c.pool.room {
			continue
		}
		src := s.hosts[c.src].ID
		if !want(src, c.dst) {
			continue
		}
		seen := Connection{Group: int(c.group), Src: src, Dst: c.dst, Part: c.part, Window: c.window, InFlight: c.inflight}
		if c.clock != nil && c.clock.pacer != nil {
			seen.Pace = c.clock.pacer.Pace().Rate
		}
		if b := c.bundle; b != nil && (seen.Pace == 0 || b.Pace().Rate < seen.Pace) {
			seen.Pace = b.Pace().Rate
		}
		switch {
		case c.pool != nil:
			seen.Ordinal = uint64(c.number)
		case !s.group(c).PerPair:
			seen.Ordinal = m.ordinal
		}
		list = append(list, seen)
	}
	return list
}

// Sending is a message that a connection sends: how much of it is acknowledged.
type Sending struct {
	Group    int
	Src, Dst int32
	// Ordinal is that of the message, and Part which subflow of it this is.
	Ordinal uint64
	Part    int32
	// Acked is the payload that is acknowledged, in full packets.
	Acked unit.Bytes
}

// Sending calls each with the messages that connections have begun to send and that are not fully acknowledged.
func (s *Side) Sending(each func(Sending)) {
	for _, m := range s.messages {
		if !m.live || m.conn.pool != nil && m.conn == &m.conn.pool.room {
			continue
		}
		each(Sending{
			Group: int(m.conn.group), Src: s.hosts[m.conn.src].ID, Dst: m.conn.dst, Ordinal: m.ordinal, Part: m.conn.part,
			Acked: unit.Bytes(m.packets-m.Left()) * s.group(m.conn).Payload,
		})
	}
}
