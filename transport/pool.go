package transport

import (
	"weft/fabric"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// This file has pools of connections, and the queue that a NIC may have.

// pool is the connections from a host to another that take one message at a time. They
// exist beforehand, as it were; each is made when it is first needed.
type pool struct {
	// free are the idle ones, the one that was freed last at the end; if messages take
	// connections in turn, all of them, whose turn is next at next.
	free []*connection
	made int
	next int
	// room stands for the connection of messages that wait for one, in order.
	room connection
}

// take returns an idle connection for the source's next message to dst: the one that
// was freed last, or else a new one, or else the room where it waits. If connections are
// taken in turn, it is the next one, which may be busy.
func (e *Endpoint) take(now sim.Time, h int32, s *source, dst, part int32) *connection {
	host := &e.hosts[h]
	key := pair{s.group, dst, part}
	p := host.pools[key]
	if p == nil {
		if host.pools == nil {
			host.pools = map[pair]*pool{}
		}
		p = &pool{room: connection{group: s.group, src: h, dst: dst, part: part, held: true, bundle: e.bundleOf(host, s.group, dst)}}
		p.room.pool = p
		host.pools[key] = p
	}
	g := &e.t.groups[s.group]
	if c := p.pick(g); c != nil {
		e.resume(now, c)
		return c
	}
	if p.made < g.Pool {
		p.made++
		c := e.newConnection(s.group)
		e.open(now, h, c, s, dst, part, uint64(p.made))
		c.pool, c.number = p, int32(p.made)
		if g.Turns {
			p.free = append(p.free, c)
		}
		return c
	}
	return &p.room
}

// pick returns the connection there is for the next message, nil if there is none yet.
func (p *pool) pick(g *Group) *connection {
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

// resume lets a connection carry another message; one of a pool may be busy.
func (e *Endpoint) resume(now sim.Time, c *connection) {
	if c.active == 0 {
		if c.clock != nil {
			e.makeUp(now, c)
		}
		e.remindPaths(c)
		c.entropy.Resume(now)
	}
	switch {
	case c.credits == nil:
	case c.pool != nil: // its receiver counts anew with each message
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

// release gives an idle connection of a pool to the message that has waited longest, or
// back to the pool.
func (e *Endpoint) release(now sim.Time, h int32, c *connection) {
	p := c.pool
	m := p.room.queue.head
	if m == nil {
		e.hosts[h].unready(c, e.group(c).Class)
		if !e.group(c).Turns {
			p.free = append(p.free, c)
		}
		return
	}
	p.room.queue.popFront()
	p.room.active--
	e.resume(now, c)
	m.conn = c
	c.active++
	c.queue.pushBack(m)
	if c.credits != nil {
		e.owe(now, h, c, m.size+unit.Bytes(m.packets)*e.group(c).Header)
	}
}

// NICQueue is a FIFO at each host in which frames wait for the wire.
type NICQueue struct {
	// Mark marks the data frames that find more bytes of data in it than the threshold of
	// the host.
	Mark       bool
	Thresholds []unit.Bytes // by host
	// SpareFirst lets the first of them after one that does not go unmarked.
	SpareFirst bool
}

// enqueue puts what windows allow into the host's queue, behind what waits there.
func (e *Endpoint) enqueue(now sim.Time, h *host) {
	for h.readyHead != nil {
		c := h.readyHead
		h.readyHead = c.nextReady
		c.nextReady, c.ready = nil, false
		for e.sendable(c) && (c.bundle == nil || !c.bundle.keep(c)) {
			id := e.send(now, h, c)
			f := e.d.Frame(id)
			above := h.queued > e.t.nic.Thresholds[h.id]
			if q := e.t.nic; q.Mark && above && (h.above || !q.SpareFirst) {
				f.Flags |= fabric.Marked
			}
			h.above = above
			h.queued += unit.Bytes(f.Size)
			h.control.push(id)
		}
		if c.bundle != nil {
			e.passOn(now, c.src, c.bundle)
		}
	}
	h.readyTail = nil
}
