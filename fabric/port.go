package fabric

import (
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

// gone stands for a frame that is lost on the wire or kept in another domain.
const gone FrameID = -1

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
	perByte   uint32 // picoseconds a byte, or 0 if they aren't whole
	limit     uint32 // bytes
	kmin      uint32 // ECN threshold in bytes; noECN without
	remote    int16  // index into the domain's outboxes, or -1 if the end is local
	special   special
	backlog   bool // see serveAfter

	delay     sim.Time // until the frame is ready at the next node
	wire      int32    // receiving end: its index in the receiving domain
	queuedMax uint32

	frames, bytes uint64 // accepted
	// residence is the sum over accepted frames of bytes times the picoseconds
	// until they are serialised: the integral of the queue over time.
	residence float64

	disc *discipline
}

// special says what a port does beyond the plain path.
type special uint8

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
	loss    rand.PCG
	lossIn  uint64 // loss probability in 2⁻⁶⁴
	// lossSeeded tells that the stream of losses was begun.
	lossSeeded bool
	series     *Series
	// begun is the departure of the last frame that had begun transmission when
	// the rate last changed, and begunRate the rate at which it is sent.
	begun     sim.Time
	begunRate unit.Rate
	stats     PortCounters
	// phantom is when the link would have sent what was offered while it is down.
	phantom sim.Time
	outage  outage
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
		if l := d.cold[i].pool; l.meter != nil { // which sees departures in order
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
	d.takePlain(p, now)
}

// takePlain is takeSent for a port of which nobody else keeps count.
func (d *Domain) takePlain(p *port, now sim.Time) {
	k := p.drained
	for ; k != p.tail; k++ {
		t := p.at(k)
		if t.departs > now {
			break
		}
		p.queued -= uint32(t.bytes)
		if p.disc != nil {
			p.disc.leave(t.class, uint32(t.bytes))
		}
	}
	p.drained = k
	if p.remote >= 0 {
		p.head = k
	}
}

// takeCounted is takeSent for a port with a series, or of a switch whose holding is counted.
func (d *Domain) takeCounted(p *port, i int32, now sim.Time) {
	if p.special&recorded != 0 {
		d.drainRecorded(p, i, now)
	} else {
		d.takePlain(p, now)
	}
	d.settlePool(p, i, now)
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
	p.queued -= uint32(t.bytes)
	if p.disc != nil {
		p.disc.leave(t.class, uint32(t.bytes))
	}
	p.drained++
}

// accept offers a frame to a port. The frame is queued, cut or dropped.
func (d *Domain) accept(i int32, id FrameID, now sim.Time) {
	p := &d.ports[i]
	if p.special != 0 {
		d.acceptSpecial(p, i, id, now)
		return
	}
	// What follows is acceptSpecial for a port without specialities: drain, admit and launch.
	f := &d.frames[id]
	size := uint32(f.Size)
	q := p.queued
	if k := p.drained; k != p.tail {
		for t := p.at(k); t.departs <= now; t = p.at(k) {
			q -= uint32(t.bytes)
			if k++; k == p.tail {
				break
			}
		}
		p.drained = k
		if p.remote >= 0 {
			p.head = k
		}
	}
	if q+size > p.limit {
		p.queued = q
		d.refuse(i, id, QueueFull, now)
		return
	}
	if q > p.kmin {
		d.markByQueue(p, i, f, q, 0, p.frames)
	}
	departs := max(p.busyUntil, now) + sim.Time(size)*sim.Time(p.perByte)
	p.busyUntil = departs
	q += size
	p.queued = q
	p.queuedMax = max(p.queuedMax, q)
	p.frames++
	p.bytes += uint64(size)
	p.residence += float64(size) * float64(departs-now)
	if int(p.tail-p.head) == len(p.buf) {
		p.grow()
	}
	t := &p.buf[p.tail&uint32(len(p.buf)-1)]
	t.departs, t.frame, t.bytes, t.class, t.lost = departs, id, f.Size, f.Class&classMask, false
	p.tail++
	if p.remote < 0 {
		if p.tail-p.head == 1 {
			d.sched.Schedule(sim.Entity(p.wire), departs+p.delay)
		}
		return
	}
	t.frame = gone
	d.export(p, t, f)
	d.slab.release(id)
}

// acceptSpecial is accept for a port that does more than the plain path.
func (d *Domain) acceptSpecial(p *port, i int32, id FrameID, now sim.Time) {
	f := &d.frames[id]
	size := uint32(f.Size)
	if p.due(now) {
		d.drain(p, i, now)
	}
	if p.special&pooled != 0 {
		d.cold[i].pool.advance(now)
	}
	if p.special&down != 0 {
		if p.special&recorded != 0 {
			d.cold[i].series.offer(now, size)
		}
		d.offerDown(i, f.Size, now)
		d.cold[i].refuse(now, size)
		d.drop(i, id, LinkDown, now)
		return
	}
	if p.disc != nil {
		if p.special&followed != 0 {
			d.tellQueued(i, id, now)
		}
		d.acceptClassed(p, i, id, now)
		return
	}
	q := p.queued
	if q+size > p.limit || p.special&pooled != 0 && !d.cold[i].pool.admits(q, size) {
		d.refuse(i, id, QueueFull, now)
		return
	}
	if q > p.kmin {
		d.markByQueue(p, i, f, q, 0, p.frames)
	}
	d.admit(p, i, size, now)
	d.launch(p, i, id, max(p.busyUntil, now), now, now)
}

// admit counts a frame into the queue.
func (d *Domain) admit(p *port, i int32, size uint32, now sim.Time) {
	if p.special&recorded != 0 {
		d.drainRecorded(p, i, now)
		d.cold[i].series.offer(now, size)
	}
	p.queued += size
	p.queuedMax = max(p.queuedMax, p.queued)
	p.frames++
	p.bytes += uint64(size)
	d.settlePool(p, i, now)
}

// launch commits the wire to a frame that waited since some time, from begin on.
func (d *Domain) launch(p *port, i int32, id FrameID, begin, since, now sim.Time) {
	f := &d.frames[id]
	departs := begin + d.serialise(p, i, f.Size)
	p.residence += float64(f.Size) * float64(departs-since)
	p.busyUntil = departs
	if p.special&followed != 0 {
		d.tellSent(i, id, departs)
	}
	lost := p.special&lossy != 0 && d.cold[i].loss.Uint64() < d.cold[i].lossIn
	if p.remote < 0 && p.head == p.tail {
		d.sched.Schedule(sim.Entity(p.wire), departs+p.delay)
	}
	t := p.push()
	t.departs = departs
	t.frame = id
	t.bytes = f.Size
	t.class = f.Class & classMask
	t.lost = lost
	if p.special&pooled != 0 {
		l := d.cold[i].pool
		l.settle(d.cold[i].place, now)
		l.changed(d.cold[i].place)
	}
	if lost {
		t.frame = gone
		d.drop(i, id, Loss, now)
	} else if p.remote >= 0 {
		t.frame = gone
		d.export(p, t, f)
		d.slab.release(id)
	}
}

// drop ends a frame at port i.
func (d *Domain) drop(i int32, id FrameID, why Reason, now sim.Time) {
	f := &d.frames[id]
	if r := d.cold[i].series; r != nil && why != CreditQueueFull {
		r.drop(now)
	}
	s := &d.cold[i].stats
	s.Drops[why]++
	s.DroppedBytes += uint64(f.Size)
	s.LostBytes[why] += uint64(f.Size)
	d.totals.Dropped++
	d.totals.DroppedBytes += uint64(f.Size)
	if d.follow != nil {
		d.tellDropped(i, id, why)
	}
	d.slab.release(id)
}
