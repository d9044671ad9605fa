package transport

import (
	"fmt"
	"reflect"

	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// bundle is what the connections of a host to another one share whose control has a
// protocol.Bundle: after a frame of one, all wait for its gap, and then take turns.
type bundle struct {
	protocol.Bundle
	gap  gap
	line unit.Rate // of the host's link
	// held tells that the gap goes on, and look when the host looks whether it is over, Forever
	// if it does not.
	held bool
	look unit.Time
	// kept tells that a gap ever went on.
	kept bool
	slot uint32
	// taken is when the last frame was sent, at a host with a backlog.
	taken unit.Time
	// active counts the messages that are under way.
	active int32
	// first and last are the ends of the list of connections that wait for the gap.
	first, last *connection
}

// bundleOf returns the bundle of a group's connections from a host to another one.
func (e *Endpoint) bundleOf(h *host, group, dst int32) *bundle {
	g := &e.t.groups[group]
	if g.Congestion.NewBundle == nil {
		return nil
	}
	key := pair{group: e.t.bundles[group], dst: dst}
	if b := h.bundles[key]; b != nil {
		return b
	}
	env := g.Env
	env.LineRate = h.line
	if e.t.lineRate != nil {
		env.PeerRate = e.t.lineRate(dst)
	}
	b := &bundle{Bundle: g.Congestion.NewBundle(env), line: h.line, look: unit.Forever, slot: uint32(len(e.bundles))}
	e.bundles = append(e.bundles, b)
	if h.bundles == nil {
		h.bundles = map[pair]*bundle{}
	}
	h.bundles[key] = b
	return b
}

// sharing returns, by group, the first one whose bundles serve it, too.
func sharing(groups []Group) []int32 {
	first := make([]int32, len(groups))
	for i := range first {
		first[i] = sharesWith(groups, int32(i))
	}
	return first
}

func sharesWith(groups []Group, group int32) int32 {
	g := &groups[group]
	if g.Congestion.NewBundle == nil || g.Congestion.Receivers == nil {
		return group
	}
	for j := range group {
		o := &groups[j]
		if o.Tenant == g.Tenant && o.Congestion.NewBundle != nil && reflect.DeepEqual(o.Congestion.Receivers, g.Congestion.Receivers) {
			return j
		}
	}
	return group
}

// began notes that a message begins.
func (e *Endpoint) began(now sim.Time, h int32, b *bundle) {
	if b.active++; b.active == 1 {
		b.Start(now)
		e.changed(now, h, b)
	}
}

// changed takes up the pace of a bundle after it was told of something.
func (e *Endpoint) changed(now sim.Time, h int32, b *bundle) {
	if b.gap.rate > 0 {
		b.gap.change(now, max(1, b.Pace().Rate))
		e.wait(now, h, b)
	}
}

// bundleSent begins the wait after a frame.
func (e *Endpoint) bundleSent(now sim.Time, h int32, b *bundle, wire unit.Bytes) {
	b.gap.send(now, wire, max(1, b.Pace().Rate))
	e.wait(now, h, b)
}

// wait holds the connections of a bundle until its gap ends. At the rate of the link the wire does so
// itself, but for what is left of a slower gap.
func (e *Endpoint) wait(now sim.Time, h int32, b *bundle) {
	b.held = b.gap.until > now && (b.held || b.gap.rate < b.line || b.line == 0)
	if !b.held {
		e.passOn(now, h, b)
	} else if b.gap.until < b.look {
		b.kept = true
		b.look = b.gap.until
		e.setDeadline(&e.hosts[h], h, deadline{at: b.look, slot: b.slot, source: dueBundle})
	}
}

// spaced ends the wait of a bundle, and returns when to look again if it goes on.
func (e *Endpoint) spaced(now sim.Time, h int32, d deadline) (unit.Time, bool) {
	b := e.bundles[d.slot]
	if b.look != d.at {
		return 0, false
	}
	if b.held && b.gap.until > now {
		b.look = b.gap.until
		return b.look, true
	}
	b.held, b.look = false, unit.Forever
	e.passOn(now, h, b)
	return 0, false
}

// passOn lets the connection send that has waited longest, and passes over those that cannot.
func (e *Endpoint) passOn(now sim.Time, h int32, b *bundle) {
	for b.first != nil && !b.held {
		c := b.first
		b.drop(c)
		if e.makeReady(now, &e.hosts[h], c); c.ready {
			return
		}
	}
}

// keep has a connection wait that could send but for its bundle, or for those that waited longer: while some wait
// and the gap is over, one has its turn, and passes it on.
func (b *bundle) keep(c *connection) bool {
	if c.queues {
		return true
	}
	if !b.held {
		return false
	}
	c.queues, c.nextReady = true, nil
	if b.first == nil {
		b.first = c
	} else {
		b.last.nextReady = c
	}
	b.last = c
	return true
}

// drop takes a connection from those that wait.
func (b *bundle) drop(c *connection) {
	at, prev := &b.first, (*connection)(nil)
	for *at != c {
		prev = *at
		at = &prev.nextReady
	}
	*at = c.nextReady
	if b.last == c {
		b.last = prev
	}
	c.queues, c.nextReady = false, nil
}

// checkBundles reports a bundle that lost count of its messages or whose connections wait for nobody.
func (e *Endpoint) checkBundles() error {
	active := make([]int32, len(e.bundles))
	turn := make([]bool, len(e.bundles))
	for _, m := range e.messages {
		if m.live && m.conn.bundle != nil {
			active[m.conn.bundle.slot]++
			turn[m.conn.bundle.slot] = turn[m.conn.bundle.slot] || m.conn.ready
		}
	}
	for i, b := range e.bundles {
		switch {
		case b.active != active[i]:
			return fmt.Errorf("transport: a bundle counts %d messages of %d", b.active, active[i])
		case b.first != nil && !b.held && !turn[i]:
			return fmt.Errorf("transport: connections wait for their bundle, but none of it has the turn")
		case b.held && b.look == unit.Forever:
			return fmt.Errorf("transport: a bundle waits for a time that nobody looks at")
		}
	}
	for i := range e.hosts {
		if b := e.hosts[i].backlog; b != nil && (b.left < 0 || b.queued < 0) {
			return fmt.Errorf("transport: host %d has %v to send, of which %v wait", e.hosts[i].id, b.left, b.queued)
		}
	}
	return nil
}
