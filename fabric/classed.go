package fabric

import (
	"weft/internal/packet"
	"weft/sim"
	"weft/unit"
)

// acceptClassed offers a frame to a port with classes, which has been drained, and
// carries out the verdict.
func (d *Domain) acceptClassed(p *port, i int32, id FrameID, from via, now sim.Time) {
	q := p.disc
	f := &d.Packets[id]
	k := q.classOf(f)
	if q.more && !q.showArrival(p, i, f, id, k, from, now) {
		return
	}
	size := uint32(f.Size)
	c := &q.classes[k]
	verdict, why := take, Reason(0)
	if q.more || c.bytes+size > c.limit || k == 0 && q.limiter != nil {
		verdict, why = q.admit(d, p, k, size, from, now)
	}
	switch verdict {
	case take:
		if q.more || q.found(p, k) > p.kmin {
			q.markArriving(d, p, i, f, k, now)
		}
		if q.occupied == 0 && p.busyUntil <= now && (k > 0 || q.limiter == nil) && q.blocked>>k&1 == 0 {
			d.cutThrough(p, i, k, id, size, from, now)
			if q.accounts {
				q.pool.arrived(i, from, k, now)
			}
			return
		}
		d.queue(p, i, k, id, size, from, now)
		if q.accounts {
			q.pool.arrived(i, from, k, now)
		}
	case cut:
		if !d.queueHeader(p, i, id, from, now) {
			return
		}
	case cutLast:
		d.swapLast(p, i, k, id, from, now)
	case refusing:
		d.drop(i, id, why, now)
		return
	}
	d.await(p, i, now)
}

// showArrival shows an arriving frame to the witness and the taps of the port. It reports
// whether they let the frame through.
func (q *discipline) showArrival(p *port, i int32, f *Frame, id FrameID, k uint8, from via, now sim.Time) bool {
	if q.witness != nil {
		q.witness.before(p, i, now)
	}
	return q.tap == nil || q.tap.onArrival(p, i, f, id, k, from, now)
}

// cutThrough sends a frame that finds the wire idle and the queues empty. Such a frame
// would be queued and taken out again at once.
func (d *Domain) cutThrough(p *port, i int32, k uint8, id FrameID, size uint32, from via, now sim.Time) {
	q := p.disc
	d.admit(p, i, size, now)
	c := &q.classes[k]
	c.bytes += size
	c.head++
	c.tail++
	if q.more {
		if q.scheduler != nil {
			q.scheduler.sole(k, size)
		}
		q.begin(d, i, waiting{now, id, from}, k, now)
	}
	d.launch(p, i, id, now, now, now)
}

// queue puts a frame into the queue of class k.
func (d *Domain) queue(p *port, i int32, k uint8, id FrameID, size uint32, from via, now sim.Time) {
	q := p.disc
	d.admit(p, i, size, now)
	c := &q.classes[k]
	c.bytes += size
	c.push(waiting{now, id, from})
	q.occupied |= 1 << k
	d.settlePool(p, i, now)
	if q.notes {
		q.note(p, k, size)
	}
	if q.blocked|q.pauses != 0 {
		d.queuedBesidePaused(p, i, k, now)
	}
}

// note informs the limiter, the groups of classes and the scheduler that a frame waits in class k.
func (q *discipline) note(p *port, k uint8, size uint32) {
	if k == 0 && q.limiter != nil {
		q.limiter.waits(size)
	}
	if q.groups != nil {
		q.groups.note(k, &q.classes[k], p.frames)
	}
	if q.scheduler != nil {
		c := &q.classes[k]
		q.scheduler.rule.Queued(int(k), unit.Bytes(size), c.tail-c.head == 1)
	}
}

// queuedBesidePaused handles a frame that begins to wait at a port with a blocked class.
func (d *Domain) queuedBesidePaused(p *port, i int32, k uint8, now sim.Time) {
	q := p.disc
	if q.pauses>>k&1 != 0 && q.tap != nil {
		q.tap.onHeld(i, k, now)
	}
	if q.asleep && q.blocked>>k&1 == 0 {
		d.rouse(p, i)
	}
}

// queueHeader trims a frame that is in no queue and queues its header in class 0,
// or drops the header if class 0 is full.
func (d *Domain) queueHeader(p *port, i int32, id FrameID, from via, now sim.Time) bool {
	header := p.disc.trim.header
	d.trim(i, id, uint16(header))
	if !p.disc.hasHeaderRoom() {
		d.drop(i, id, HeaderQueueFull, now)
		return false
	}
	d.queue(p, i, 0, id, header, from, now)
	return true
}

// swapLast trims the last waiting frame of class k and queues another frame in its place.
func (d *Domain) swapLast(p *port, i int32, k uint8, id FrameID, from via, now sim.Time) {
	d.drain(p, i, now) // a record of the queue must see its length until now
	q := p.disc
	c := &q.classes[k]
	c.tail--
	last := *c.at(c.tail)
	freed := uint32(d.Packets[last.frame].Size)
	c.bytes -= freed
	p.queued -= freed
	d.settlePool(p, i, now)
	p.frames--
	p.bytes -= uint64(freed)
	p.residence += float64(freed) * float64(now-last.since)
	f := &d.Packets[id]
	q.markArriving(d, p, i, f, k, now)
	d.queue(p, i, k, id, uint32(f.Size), from, now)
	d.queueHeader(p, i, last.frame, last.ingress, now)
}

// trim cuts a frame to its header.
func (d *Domain) trim(i int32, id FrameID, header uint16) {
	f := &d.Packets[id]
	cut := uint64(f.Size - header)
	f.Size = header
	f.Flags |= packet.Trimmed
	f.SetPriority(0)
	s := d.cold[i].counted()
	s.Trims++
	s.TrimmedBytes += cut
	d.tally.totals.TrimmedBytes += cut
	if d.follow != nil {
		d.follow.trimmed(d.cold[i].id, id)
	}
}
