package fabric

import (
	"math"
	"math/rand/v2"

	"weft/sim"
	"weft/unit"
)

// transit is a frame between its acceptance by a port and its arrival.
type transit struct {
	departs sim.Time // end of serialisation
	frame   FrameID  // or gone
	bytes   uint16
	class   uint8
	lost    bool
}

// ring is a FIFO of frames under way, indexed by free-running counters.
type ring struct {
	buf        []transit
	head, tail uint32
}

func (r *ring) at(i uint32) *transit { return &r.buf[i&uint32(len(r.buf)-1)] }

// push adds an entry for the caller to fill field by field. Copying a complete
// entry would load it before its stores have finished.
func (r *ring) push() *transit {
	if int(r.tail-r.head) == len(r.buf) {
		r.grow()
	}
	t := &r.buf[r.tail&uint32(len(r.buf)-1)]
	r.tail++
	return t
}

func (r *ring) grow() {
	buf := make([]transit, max(4, 2*len(r.buf)))
	for i := r.head; i != r.tail; i++ {
		buf[i&uint32(len(buf)-1)] = *r.at(i)
	}
	r.buf = buf
}

// port is the sending end of a directed link.
//
// A plain port serves one FIFO at a fixed rate. It knows a frame's departure when it accepts
// the frame, so a hop needs one event, the arrival. Whenever the port is touched, it drains
// from its queue the frames whose departure has passed. A port with a discipline queues frames
// there; serve and serveLate move each frame to the ring when its transmission begins.
//
// The struct has two cache lines. An arrival uses only the first.
type port struct {
	ring
	drained uint32 // entries of the ring before this index have left the queue
	queued  uint32 // bytes accepted and not fully serialised
	// busyUntil is when the wire has nothing left to send.
	busyUntil sim.Time
	// ample is the longest remaining busy time of the wire at which the next frame needs
	// no check of the queue, if it is no larger than any frame before: see suffice.
	ample   sim.Time
	perByte uint32 // picoseconds per byte, or 0 if that is not a whole number
	remote  int16  // domain to which frames are exported, or -1 if they stay in the ring
	special special

	delay         sim.Time // until the frame is ready at the next node
	frames, bytes uint64   // accepted
	wire          int32    // receiving end: index of the wire in its domain
	queuedMax     uint32
	limit         uint32 // bytes
	kmin          uint32 // ECN threshold in bytes, or noECN
	// residence is the integral of the queue over time. Each accepted frame adds its
	// bytes times the picoseconds until it is serialised.
	residence float64

	disc    *discipline
	largest uint16 // largest frame accepted
	backlog bool   // see serveAfter
}

// special is the set of features that take a port off the plain path.
type special uint16

const (
	recorded special = 1 << iota // has a series
	lossy                        // loses frames at random
	followed                     // its frames are followed
	pooled                       // its bytes count in a pool
	stepped                      // its service needs events
	down                         // its link is down
	classed                      // has a discipline
	uneven                       // the picoseconds per byte are not a whole number

	// punctual ports begin transmissions in events, unless windows are swept.
	punctual = lossy | followed | stepped
)

// portCold holds the rarely used fields of a port.
type portCold struct {
	// RED state, together on a cache line.
	mark rand.PCG
	kmax uint32 // ECN threshold in bytes
	pmax uint32 // largest probability of RED, in 2⁻³² (saturated)
	// spells is nil unless the first frame above a threshold goes unmarked.
	spells *spells

	id      int32 // topo.PortID
	sw      int32 // index of the sending switch, 0 for hosts
	rate    unit.Rate
	flight  sim.Time // propagation alone, without the next node's latency
	service sim.Entity
	trails  bool // listed in Domain.behind
	marks   uint64
	// stats is nil until the port drops or trims a frame, faults until its link changes.
	stats  *PortCounters
	faults *faults
	series *Series
	// pool counts what the switch holds, if anything needs that. place is the index
	// of the port in it.
	pool  *pool
	place int32
}

const noECN = 1<<32 - 1

// serialise returns how long n bytes occupy the wire.
func (d *Domain) serialise(p *port, i int32, n uint16) sim.Time {
	if p.perByte != 0 {
		return sim.Time(n) * sim.Time(p.perByte)
	}
	return d.cold[i].rate.Transmit(unit.Bytes(n))
}

// due reports whether drain has something to do.
func (p *port) due(now sim.Time) bool {
	return p.drained != p.tail && p.at(p.drained).departs <= now || p.backlog && p.busyUntil <= now
}

// drain begins the transmissions that were due by now, and removes from the queue
// what has been serialised.
func (d *Domain) drain(p *port, i int32, now sim.Time) {
	if p.special&pooled != 0 {
		if l := d.cold[i].pool; l.merges() { // the pool must see departures in order
			l.advance(now)
		}
	}
	if p.backlog && p.busyUntil <= now {
		d.serveLate(p, i, now)
	}
	d.takeSent(p, i, now)
}

// takeSent removes from the queue what has been serialised by now.
func (d *Domain) takeSent(p *port, i int32, now sim.Time) {
	if p.special&(recorded|pooled) != 0 {
		d.takeCounted(p, i, now)
		return
	}
	k := p.drained
	for ; k != p.tail; k++ {
		t := p.at(k)
		if t.departs > now {
			break
		}
		p.left(i, t)
	}
	p.drained = k
	if p.remote >= 0 {
		p.head = k
	}
}

// settlePool updates the pool of the port's switch, if any, with what the port holds.
func (d *Domain) settlePool(p *port, i int32, now sim.Time) {
	if p.special&pooled != 0 {
		d.cold[i].pool.settle(d.cold[i].place, now)
	}
}

// drainOne removes the first frame of the ring from the queue, before it arrives.
func (d *Domain) drainOne(p *port, i int32, now sim.Time) {
	if p.special&(recorded|pooled) != 0 {
		d.drain(p, i, now)
		return
	}
	t := p.at(p.drained)
	p.left(i, t)
	p.drained++
}

// left removes a serialised frame from what port i holds.
func (p *port) left(i int32, t *transit) {
	q := p.disc
	if q == nil {
		p.queued -= uint32(t.bytes)
		return
	}
	if q.witness != nil {
		q.witness.before(p, i, t.departs)
	}
	p.queued -= uint32(t.bytes)
	q.leave(i, t.class, uint32(t.bytes), t.departs)
}

// drainAll is drain for a plain port whose wire is idle.
func (p *port) drainAll() {
	p.drained, p.queued = p.tail, 0
	if p.remote >= 0 {
		p.head = p.tail
	}
}

// drainPlain is drain for a plain port.
func (p *port) drainPlain(now sim.Time) {
	k := p.drained
	for ; k != p.tail; k++ {
		t := p.at(k)
		if t.departs > now {
			break
		}
		p.queued -= uint32(t.bytes)
	}
	p.drained = k
	if p.remote >= 0 {
		p.head = k
	}
}

// suffice sets ample. If the wire stays busy for some time, the queue holds at most the
// bytes of that time plus the part of the frame in service that has been sent. While this
// is at most kmin, and one more frame neither fills the queue nor sets a new maximum,
// nobody needs to know the queue. That is true of a frame that finds the wire idle.
func (p *port) suffice() {
	if p.queuedMax < uint32(p.largest) { // since ResetQueueMax
		p.ample = -1
		return
	}
	largest := int64(p.largest)
	bytes := min(int64(p.kmin), int64(p.limit)-largest, int64(p.queuedMax)-largest) - largest
	p.ample = max(0, sim.Time(bytes)*sim.Time(p.perByte))
}

// admit counts a frame as queued, before it is queued or launched.
func (d *Domain) admit(p *port, i int32, size uint32, now sim.Time) {
	if p.special&recorded != 0 {
		d.takeCounted(p, i, now)
		d.cold[i].series.offer(now, size)
	}
	p.queued += size
	p.queuedMax = max(p.queuedMax, p.queued)
	p.frames++
	p.bytes += uint64(size)
}

// launch commits the wire to a frame from begin on. The frame has waited since the time since.
func (d *Domain) launch(p *port, i int32, id FrameID, begin, since, now sim.Time) {
	f := &d.Packets[id]
	departs := begin + d.serialise(p, i, f.Size)
	p.residence += float64(f.Size) * float64(departs-since)
	p.busyUntil = departs
	if p.special&followed != 0 {
		d.tellSent(p, i, id, departs)
	}
	lost := p.special&lossy != 0 && d.cold[i].faults.loses()
	t := p.push()
	t.departs = departs
	t.frame = id
	t.bytes = f.Size
	t.class = f.Priority()
	t.lost = lost
	if p.special&pooled != 0 {
		l := d.cold[i].pool
		l.settle(d.cold[i].place, now)
		l.changed(d.cold[i].place)
	}
	if lost {
		t.frame = gone
		d.drop(i, id, Loss, now)
	}
	switch {
	case p.remote >= 0:
		t.frame = gone
		switch {
		case lost:
		case d.late.sending != nil:
			late := d.sendLate(f, departs+p.delay)
			d.export(p, f, id, departs+p.delay+sim.Time(late)).port = late
		default:
			d.export(p, f, id, departs+p.delay)
		}
	case p.tail-p.head == 1:
		d.scheduleArrival(p.wire, departs+p.delay)
	}
}

// tellSent informs the Follower that port i is to send a frame until it departs.
func (d *Domain) tellSent(p *port, i int32, id FrameID, departs sim.Time) {
	d.follow.sent(d.cold[i].id, id, d.serialise(p, i, d.Packets[id].Size), departs)
}

// drop drops a frame at port i and counts it.
func (d *Domain) drop(i int32, id FrameID, why Reason, now sim.Time) {
	f := &d.Packets[id]
	if r := d.cold[i].series; r != nil && !why.limits() {
		r.drop(now)
	}
	s := d.cold[i].counted()
	s.dropped(why, uint64(f.Size))
	d.tally.totals.Dropped++
	d.tally.totals.DroppedBytes += uint64(f.Size)
	if d.follow != nil {
		d.follow.dropped(d.cold[i].id, id, why)
	}
	d.Store.Free(id)
}

// setRate sets the rate of frames whose transmission begins from now on.
func (p *port) setRate(r unit.Rate) {
	p.special |= uneven
	p.perByte = 0
	if t, whole := r.PerByte(); whole && t <= math.MaxUint32 {
		p.special &^= uneven
		p.perByte = uint32(t)
	}
}

// takeCounted is takeSent for a port with a series or a pool.
func (d *Domain) takeCounted(p *port, i int32, now sim.Time) {
	s := d.cold[i].series
	k := p.drained
	for ; k != p.tail; k++ {
		t := p.at(k)
		if t.departs > now {
			break
		}
		if s != nil {
			s.sample(t.departs-1, p.queued)
			s.send(d.began(p, i, t), t.departs, uint64(t.bytes))
		}
		p.left(i, t)
	}
	if s != nil {
		s.sample(now, p.queued)
	}
	p.drained = k
	if p.remote >= 0 {
		p.head = k
	}
	d.settlePool(p, i, now)
}

// began returns when the transmission of a frame began.
func (d *Domain) began(p *port, i int32, f *transit) sim.Time {
	if c := d.cold[i].faults; c != nil && f.departs <= c.begun { // it kept the rate at which it began
		return f.departs - c.begunRate.Transmit(unit.Bytes(f.bytes))
	}
	return f.departs - d.serialise(p, i, f.bytes)
}

// counted returns the counters for frames that the port drops or trims.
func (c *portCold) counted() *PortCounters {
	if c.stats == nil {
		c.stats = new(PortCounters)
	}
	return c.stats
}

// decision returns when a port with a backlog decides what to send next.
func (d *Domain) decision(p *port) sim.Time { return max(p.busyUntil, p.disc.wake()) }

// sentInFull returns the bytes that port i has serialised: those accepted, except
// those queued and those lost when its link failed.
func (d *Domain) sentInFull(p *port, i int32) uint64 {
	sent := p.bytes - uint64(p.queued)
	if c := d.cold[i].stats; c != nil {
		sent -= c.FlushedBytes
	}
	return sent
}

// faults returns the fault state of port i in a domain, and makes it if there is none.
func (n *Network) faults(d *Domain, i int32) *faults {
	c := &d.cold[i]
	if c.faults == nil {
		c.faults = &faults{outage: outage{last: never, before: never, quiet: n.quiet}}
	}
	return c.faults
}
