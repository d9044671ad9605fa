package fabric

import (
	"math"
	"math/rand/v2"

	"weft/sim"
	"weft/unit"
)

// transit is a frame between its acceptance by a port and its arrival.
type transit struct {
	departs sim.Time // the end of its serialisation
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

// push adds an entry for the caller to fill field by field: an entry built
// elsewhere and copied whole would be read back before its parts are stored.
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
// A plain port serves one FIFO at a fixed rate, so a frame's departure is known
// when it is accepted and the hop needs one event, the arrival. Its queue is
// drained by looking at departures passed whenever the port is touched.
// A port with a discipline queues frames there; serve and serveLate move each
// to the ring when its transmission begins.
//
// The struct is two cache lines; the first is what an arrival looks at too.
type port struct {
	ring
	drained uint32 // entries of the ring before it have left the queue
	queued  uint32 // bytes accepted and not fully serialised
	// busyUntil is when the wire has nothing more to send.
	busyUntil sim.Time
	// ample is how long the wire may have something to send such that the next frame, if no
	// larger than any before it, needs no look at the queue: see suffice.
	ample   sim.Time
	perByte uint32 // picoseconds a byte, or 0 if they aren't whole
	remote  int16  // the domain to which frames are exported, or -1 if they stay in the ring
	special special

	delay         sim.Time // until the frame is ready at the next node
	frames, bytes uint64   // accepted
	wire          int32    // receiving end: its index in the receiving domain
	queuedMax     uint32
	limit         uint32 // bytes
	kmin          uint32 // ECN threshold in bytes; noECN without
	// residence is the sum over accepted frames of bytes times the picoseconds
	// until they are serialised: the integral of the queue over time.
	residence float64

	disc    *discipline
	largest uint16 // frame accepted
	backlog bool   // see serveAfter
}

// special says what a port does beyond the plain path.
type special uint16

const (
	recorded special = 1 << iota // has a series
	lossy                        // loses frames at random
	followed                     // its frames are followed
	pooled                       // what its switch holds is counted
	stepped                      // its service needs events
	down                         // its link is
	classed                      // has a discipline
	uneven                       // a byte takes no whole number of picoseconds

	// punctual are the ports at which events begin transmissions, unless windows are swept.
	punctual = lossy | followed | stepped
)

// portCold is what of a port is touched rarely.
type portCold struct {
	// RED, together on a cache line.
	mark rand.PCG
	kmax uint32 // ECN threshold in bytes
	pmax uint32 // RED's largest probability, in 2⁻³² (saturated)
	// spells is nil unless the first frame above a threshold goes unmarked.
	spells *spells

	id      int32 // topo.PortID
	sw      int32 // the switch that sends, 0 for hosts
	rate    unit.Rate
	flight  sim.Time // propagation alone, without the next node's latency
	service sim.Entity
	trails  bool // among Domain.behind
	marks   uint64
	// stats is nil until the port drops or cuts a frame, and faults until its link changes.
	stats  *PortCounters
	faults *faults
	series *Series
	// pool counts what the switch holds, if that is counted, and place is the port's there.
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

// due tells whether drain has something to do.
func (p *port) due(now sim.Time) bool {
	return p.drained != p.tail && p.at(p.drained).departs <= now || p.backlog && p.busyUntil <= now
}

// drain takes from the queue what has been serialised by now, after it has begun the
// transmissions that were due.
func (d *Domain) drain(p *port, i int32, now sim.Time) {
	if p.special&pooled != 0 {
		if l := d.cold[i].pool; l.merges() { // which sees departures in order
			l.advance(now)
		}
	}
	if p.backlog && p.busyUntil <= now {
		d.serveLate(p, i, now)
	}
	d.takeSent(p, i, now)
}

// takeSent takes from the queue what has been serialised by now.
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

// settlePool tells the pool of a port's switch, if there is one, what the port holds.
func (d *Domain) settlePool(p *port, i int32, now sim.Time) {
	if p.special&pooled != 0 {
		d.cold[i].pool.settle(d.cold[i].place, now)
	}
}

// drainOne takes the first frame of the ring from the queue, before it arrives.
func (d *Domain) drainOne(p *port, i int32, now sim.Time) {
	if p.special&(recorded|pooled) != 0 {
		d.drain(p, i, now)
		return
	}
	t := p.at(p.drained)
	p.left(i, t)
	p.drained++
}

// left takes a frame that is serialised from what port i holds.
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

// drainAll is drain for a port without specialities whose wire has nothing to send.
func (p *port) drainAll() {
	p.drained, p.queued = p.tail, 0
	if p.remote >= 0 {
		p.head = p.tail
	}
}

// drainPlain is drain for a port without specialities.
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

// suffice sets ample. Where the wire has something to send for some time, no more than the
// bytes of that time are queued, and what went before of the frame in service. While that is
// at most kmin, and one more frame neither fills the queue nor makes it longer than ever,
// the queue need not be known. A frame that finds nothing to send is such a one.
func (p *port) suffice() {
	if p.queuedMax < uint32(p.largest) { // since ResetQueueMax
		p.ample = -1
		return
	}
	largest := int64(p.largest)
	bytes := min(int64(p.kmin), int64(p.limit)-largest, int64(p.queuedMax)-largest) - largest
	p.ample = max(0, sim.Time(bytes)*sim.Time(p.perByte))
}

// admit counts a frame into the queue, before it is put there or launched.
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

// launch commits the wire to a frame that waited since some time, from begin on.
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

// tellSent tells who follows frames that port i is to send one until it departs.
func (d *Domain) tellSent(p *port, i int32, id FrameID, departs sim.Time) {
	d.follow.sent(d.cold[i].id, id, d.serialise(p, i, d.Packets[id].Size), departs)
}

// drop ends a frame at port i.
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

// setRate makes r the rate of frames whose transmission begins from now on.
func (p *port) setRate(r unit.Rate) {
	p.special |= uneven
	p.perByte = 0
	if t, whole := r.PerByte(); whole && t <= math.MaxUint32 {
		p.special &^= uneven
		p.perByte = uint32(t)
	}
}

// takeCounted is takeSent for a port with a series, or of a switch whose holding is counted.
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
	if c := d.cold[i].faults; c != nil && f.departs <= c.begun { // it kept the rate it began with
		return f.departs - c.begunRate.Transmit(unit.Bytes(f.bytes))
	}
	return f.departs - d.serialise(p, i, f.bytes)
}

// counted returns what the port counts of frames that it drops or cuts.
func (c *portCold) counted() *PortCounters {
	if c.stats == nil {
		c.stats = new(PortCounters)
	}
	return c.stats
}

// decision returns when a port with a backlog decides what to send next.
func (d *Domain) decision(p *port) sim.Time { return max(p.busyUntil, p.disc.wake()) }

// sentInFull returns the bytes that port i serialised: all that it took but what it holds and what a failure of
// its link had it lose.
func (d *Domain) sentInFull(p *port, i int32) uint64 {
	sent := p.bytes - uint64(p.queued)
	if c := d.cold[i].stats; c != nil {
		sent -= c.FlushedBytes
	}
	return sent
}

// faults returns what port i of a domain has of its link's changes.
func (n *Network) faults(d *Domain, i int32) *faults {
	c := &d.cold[i]
	if c.faults == nil {
		c.faults = &faults{outage: outage{last: never, before: never, quiet: n.quiet}}
	}
	return c.faults
}
