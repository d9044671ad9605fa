package lan

import (
	"fmt"
	"net/netip"

	"weft/unit"
)

// most is how often a host may expire at one instant without sending. A host that exceeds it
// would loop forever.
const most = 10_000

// Run handles events in order up to a time and then advances Now to it. Run(unit.Forever) stops
// at the last event. It reports whether nothing is left to happen.
func (n *Network) Run(until unit.Time) (idle bool) {
	for {
		timer := len(n.timers) > 0
		if timer && len(n.events) > 0 {
			first := event{at: n.timers[0].wake, order: n.timers[0].order}
			timer = first.before(&n.events[0])
		}
		switch {
		case timer && n.timers[0].wake <= until:
			n.expire(n.timers[0])
		case !timer && len(n.events) > 0 && n.events[0].at <= until:
			n.handle(n.events.pop())
		default:
			if until < unit.Forever {
				n.now = max(n.now, until)
			}
			return len(n.timers) == 0 && len(n.events) == 0
		}
	}
}

// schedule adds an event. A past time means now.
func (n *Network) schedule(at unit.Time, k kind, number int32) {
	n.order++
	n.events.push(event{max(at, n.now), n.order, k, number})
}

func (n *Network) handle(e event) {
	n.now = e.at
	switch e.kind {
	case freed:
		n.attend(n.stations[e.number])
	case stirred:
		s := n.stations[e.number]
		s.stirred = false
		n.attend(s)
	case reached:
		n.reach(e.number)
	case held:
		n.forward(e.number)
	case left:
		n.leave(e.number)
	case arrived:
		n.arrive(e.number)
	case task:
		do := n.tasks[e.number]
		n.tasks[e.number] = nil
		n.freeTasks = append(n.freeTasks, e.number)
		do()
	}
}

// stir makes Run attend to a host soon. It does not call the host, which may be in the middle of
// a call.
func (n *Network) stir(s *station) {
	if !s.stirred {
		s.stirred = true
		n.schedule(n.now, stirred, s.number)
	}
}

// attend asks a host for a datagram if the wire is free, and for its next wake-up. If the wire is
// busy, a scheduled event attends when it is free.
func (n *Network) attend(s *station) {
	if s.host != nil && s.free <= n.now {
		n.pull(s)
	}
	if s.host != nil { // a host may crash in a call
		n.arm(s)
	}
}

// pull sends a host's next datagram.
func (n *Network) pull(s *station) {
	to, port, size, ok := s.host.Next(n.now, n.scratch)
	if !ok {
		return
	}
	if port < 0 || port >= bank || int(s.addr.Port())+port > 1<<16-1 {
		panic(fmt.Sprintf("lan: the host at %v has no port %d in its bank", s.addr, port))
	}
	n.counts.Sent++
	d := n.get(n.scratch[:size])
	n.datagrams[d].from = netip.AddrPortFrom(s.addr.Addr(), s.addr.Port()+uint16(port))
	n.datagrams[d].to = to
	up := &n.config.Up
	s.free = n.now.Plus(up.Rate.Transmit(n.size(d)))
	n.schedule(s.free, freed, s.number)
	n.schedule(s.free.Plus(up.Delay), reached, d)
}

// arm sets a host's timer to what the host asks for.
func (n *Network) arm(s *station) {
	at := s.host.Wake(n.now)
	if at <= n.now {
		at = n.now
		switch {
		case s.expired != n.now:
		case s.free > n.now:
			at = unit.Forever // it waits to send, and is asked when the wire is free
		default:
			if s.spins++; s.spins > most {
				panic(fmt.Sprintf("lan: at %v the host at %v always wants to be woken at once, and sends nothing", n.now, s.addr))
			}
		}
	}
	if at != s.wake || s.place < 0 {
		n.order++
		n.timers.set(s, at, n.order)
	}
}

// expire calls a host whose timer has expired.
func (n *Network) expire(s *station) {
	n.now = s.wake
	n.timers.set(s, unit.Forever, 0)
	if s.expired != n.now {
		s.expired, s.spins = n.now, 0
	}
	s.host.Expire(n.now)
	n.attend(s)
}

// reach applies faults to a datagram that has reached the fabric.
func (n *Network) reach(d int32) {
	f := &n.config.Faults
	if n.chance(f.Loss) {
		n.counts.Lost++
		n.put(d)
		return
	}
	twice := n.chance(f.Duplicate)
	var c int32
	if twice {
		n.counts.Duplicated++
		c = n.get(n.datagrams[d].bytes)
		n.datagrams[c].from, n.datagrams[c].to = n.datagrams[d].from, n.datagrams[d].to
	}
	n.mistreat(d, f)
	if twice {
		n.mistreat(c, f)
	}
}

// mistreat corrupts a datagram and holds it back, with their probabilities.
func (n *Network) mistreat(d int32, f *Faults) {
	if b := n.datagrams[d].bytes; len(b) > 0 && n.chance(f.Corrupt) {
		n.counts.Corrupted++
		bit := n.rng.IntN(8 * len(b))
		b[bit/8] ^= 1 << (bit % 8)
	}
	if n.chance(f.Reorder) {
		n.counts.Reordered++
		n.schedule(n.now.Plus(f.ReorderBy), held, d)
		return
	}
	n.forward(d)
}

// chance draws an event with the given probability.
func (n *Network) chance(p float64) bool { return p > 0 && n.rng.Float64() < p }

// forward passes a datagram to its path.
func (n *Network) forward(number int32) {
	if len(n.paths) == 0 {
		n.descend(number)
		return
	}
	d := n.datagrams[number]
	d.path = int32(n.Path(d.from, d.to))
	p := &n.paths[d.path]
	p.counts.Sent++
	if p.cut {
		p.counts.Lost++
		n.counts.Lost++
		n.put(number)
		return
	}
	d.cuts = p.cuts
	n.enqueue(&p.queue, number, left)
}

// leave moves a datagram from its path to its host's down link.
func (n *Network) leave(number int32) {
	d := n.datagrams[number]
	p := &n.paths[d.path]
	if d.cuts != p.cuts {
		p.counts.Lost++
		n.counts.Lost++
		n.put(number)
		return
	}
	p.counts.Arrived++
	n.descend(number)
}

// descend passes a datagram to its host's down link.
func (n *Network) descend(number int32) {
	d := n.datagrams[number]
	if d.dst = n.find(d.to); d.dst == nil {
		n.counts.Nowhere++
		n.put(number)
		return
	}
	n.enqueue(&d.dst.down, number, arrived)
}

// enqueue puts a datagram into a queue and marks it if due. It drops the datagram if the queue is
// full or the link does not take its size.
func (n *Network) enqueue(q *queue, number int32, then kind) {
	if q.MTU > 0 && unit.Bytes(len(n.datagrams[number].bytes)) > q.MTU {
		q.counts.Oversized++
		n.counts.Oversized++
		n.put(number)
		return
	}
	at, marked, ok := q.take(n.now, n.size(number))
	if !ok {
		q.counts.Dropped++
		n.counts.Dropped++
		n.put(number)
		return
	}
	if marked {
		q.counts.Marked++
		if d := n.datagrams[number]; !d.marked {
			d.marked = true
			n.counts.Marked++
		}
	}
	n.schedule(at, then, number)
}

// arrive delivers a datagram if its host is still there.
func (n *Network) arrive(number int32) {
	d := n.datagrams[number]
	s := d.dst
	if s.host == nil || !s.has(d.to) {
		n.counts.Nowhere++
		n.put(number)
		return
	}
	n.counts.Arrived++
	s.host.Arrive(n.now, d.from, d.bytes[:len(d.bytes):len(d.bytes)], d.marked)
	clear(d.bytes)
	n.put(number)
	n.attend(s)
}

// size returns the size of a datagram on links.
func (n *Network) size(number int32) unit.Bytes {
	return unit.Bytes(len(n.datagrams[number].bytes)) + n.config.Overhead
}

// get returns a datagram with a copy of b.
func (n *Network) get(b []byte) int32 {
	if len(n.free) == 0 {
		n.free = append(n.free, int32(len(n.datagrams)))
		n.datagrams = append(n.datagrams, &datagram{})
	}
	last := len(n.free) - 1
	number := n.free[last]
	n.free = n.free[:last]
	d := n.datagrams[number]
	if cap(d.bytes) < len(b) {
		d.bytes = make([]byte, 0, room(len(b)))
	}
	*d = datagram{bytes: append(d.bytes[:0], b...)}
	return number
}

// room returns the size of a buffer for a datagram. There are few sizes, so reused buffers soon
// fit.
func room(bytes int) int {
	size := 2048
	for size < bytes {
		size *= 2
	}
	return size
}

// put releases a datagram.
func (n *Network) put(number int32) { n.free = append(n.free, number) }
