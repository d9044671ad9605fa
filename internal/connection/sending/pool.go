package sending

import (
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/unit"
)

// This file implements pools of connections.

// take returns a connection for the next message with a key: the idle one that was released last,
// or a new one, or the room where the message waits. If messages take connections in turn, it
// returns the next one, which may be busy.
func (s *Side) take(now unit.Time, local int32, key end.Pair) *connection {
	h := &s.hosts[local]
	p := h.pools[key]
	if p == nil {
		if h.pools == nil {
			h.pools = map[end.Pair]*pool{}
		}
		p = &pool{room: connection{identity: identity{group: key.Group, src: local, dst: key.Peer, part: key.Part}, bundle: s.bundleOf(h, key.Group, key.Peer)}}
		p.room.held, p.room.pool = true, p
		h.pools[key] = p
	}
	g := &s.Network.Groups[key.Group]
	if c := p.pick(g); c != nil {
		s.resume(now, c)
		return c
	}
	if p.made < g.Pool {
		p.made++
		c := s.newConnection(key.Group)
		s.open(now, local, c, key, uint64(p.made))
		c.pool, c.number = p, int32(p.made)
		if g.Turns {
			p.free = append(p.free, c)
		}
		return c
	}
	return &p.room
}

// pick returns an existing connection for the next message, or nil.
func (p *pool) pick(g *end.Group) *connection {
	n := len(p.free)
	switch {
	case n == 0 || g.Turns && n < g.Pool:
		return nil
	case g.Turns:
		c := p.free[p.next]
		p.next = (p.next + 1) % n
		return c
	}
	c := p.free[n-1]
	p.free = p.free[:n-1]
	return c
}

// resume prepares a connection for another message. A connection of a pool may be busy.
func (s *Side) resume(now unit.Time, c *connection) {
	if c.active == 0 {
		if c.clock != nil {
			s.catchUpDeadlines(now, c)
		}
		s.remindPaths(c)
		c.entropy.Resume(now)
	}
	switch {
	case c.credits == nil:
	case c.pool != nil: // its receiver counts anew for each message
		c.congestion.Start(now)
		c.credits.open()
	default:
		c.credits.Resume(now)
	}
	if r, ok := c.congestion.(protocol.Restarter); ok {
		r.Restart(now)
		c.window = c.congestion.Window()
	}
}

// release gives a pool's idle connection to the message that has waited longest, or returns it to
// the pool.
func (s *Side) release(now unit.Time, h int32, c *connection) {
	p := c.pool
	m := p.room.queue.head
	if m == nil {
		s.hosts[h].remove(c, s.group(c).Class)
		if !s.group(c).Turns {
			p.free = append(p.free, c)
		}
		return
	}
	p.room.queue.popFront()
	p.room.active--
	s.resume(now, c)
	m.conn = c
	c.active++
	c.queue.pushBack(m)
	if c.credits != nil {
		s.owe(now, h, c, m.size+unit.Bytes(m.packets)*s.group(c).Header)
	}
}
