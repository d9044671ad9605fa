package sending

import (
	"cmp"

	"weft/unit"
)

// Connection is the visible state of a connection that carries a message.
type Connection struct {
	Group    int
	Src, Dst int32
	// Ordinal identifies the message if the connection carries only one. For a pool it is the
	// connection's number, from 1. For a connection per pair it is 0.
	Ordinal uint64
	// Part is the number of the subflow, for messages that are divided.
	Part int32
	// Window is the congestion window. InFlight is the payload that was sent and is neither
	// acknowledged nor given up.
	Window, InFlight unit.Bytes
	// Pace is the rate at which its control spaces packets, 0 if it has none.
	Pace unit.Rate
}

// Identity returns the connection without its changing state.
func (c Connection) Identity() Connection {
	c.Window, c.InFlight, c.Pace = 0, 0, 0
	return c
}

// Compare orders connections by their identity.
func (c Connection) Compare(o Connection) int {
	return cmp.Or(cmp.Compare(c.Src, o.Src), cmp.Compare(c.Dst, o.Dst), cmp.Compare(c.Group, o.Group), cmp.Compare(c.Ordinal, o.Ordinal), cmp.Compare(c.Part, o.Part))
}

// Connections appends the connections that carry an unfinished message between two hosts accepted
// by want. A connection may appear more than once. It changes nothing.
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

// Sending is the progress of a message that a connection sends.
type Sending struct {
	Group    int
	Src, Dst int32
	// Ordinal is the message's ordinal, and Part the number of this subflow.
	Ordinal uint64
	Part    int32
	// Acked is the acknowledged payload, counted in full packets.
	Acked unit.Bytes
}

// Sending calls each with every message that has a connection and is not fully acknowledged.
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
