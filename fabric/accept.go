package fabric

import (
	"weft/internal/packet"
	"weft/sim"
	"weft/unit"
)

// accept offers a frame to a port, which queues, trims or drops it. id is gone if
// the frame arrived by value in a swept window. from is the wire over which the
// frame came, or noIngress if a host of the domain sent it.
func (d *Domain) accept(i int32, f *Frame, id FrameID, from via, now sim.Time) {
	p := &d.ports[i]
	if p.special != 0 {
		d.acceptSpecial(p, i, d.Keep(f, id), from, now)
		return
	}
	// The rest is acceptSpecial for a port without specialities, with drain, admit
	// and launch inlined.
	size := uint32(f.Size)
	begin := p.busyUntil
	if begin <= now {
		begin = now
		p.drainAll()
	}
	if begin-now > p.ample || f.Size > p.largest {
		p.drainPlain(now)
		if p.queued+size > p.limit {
			d.drop(i, d.Keep(f, id), QueueFull, now)
			return
		}
		if p.queued > p.kmin {
			d.markByQueue(p, i, f, p.queued, 0, p.frames)
		}
		p.largest = max(p.largest, f.Size)
		p.queuedMax = max(p.queuedMax, p.queued+size)
		p.suffice()
	}
	departs := begin + sim.Time(size)*sim.Time(p.perByte)
	p.busyUntil = departs
	p.queued += size
	p.frames++
	p.bytes += uint64(size)
	p.residence += float64(size) * float64(departs-now)
	if int(p.tail-p.head) == len(p.buf) {
		if p.drainPlain(now); int(p.tail-p.head) == len(p.buf) {
			p.grow()
		}
	}
	t := &p.buf[p.tail&uint32(len(p.buf)-1)]
	t.departs, t.frame, t.bytes, t.class, t.lost = departs, gone, f.Size, f.Priority(), false
	p.tail++
	if p.remote >= 0 {
		arrives := departs + p.delay
		if d.late.sending == nil {
			d.export(p, f, id, arrives)
			return
		}
		late := d.sendLate(f, arrives)
		d.export(p, f, id, arrives+sim.Time(late)).port = late
		return
	}
	t.frame = d.Keep(f, id)
	if p.tail-p.head == 1 {
		d.scheduleArrival(p.wire, departs+p.delay)
	}
}

// acceptSpecial does what accept does, for ports that leave the plain path.
func (d *Domain) acceptSpecial(p *port, i int32, id FrameID, from via, now sim.Time) {
	f := &d.Packets[id]
	size := uint32(f.Size)
	if p.due(now) {
		d.drain(p, i, now)
	}
	if p.special&(down|pooled) != 0 {
		if p.special&pooled != 0 {
			grown := uint64(size)
			if f.Way() == packet.Backward { // the frame grows when it is stamped, before it is taken
				grown += uint64(d.TrailOf(f).Grow)
			}
			if l := d.cold[i].pool; from == noIngress || !l.calm(p.disc, from, f.Priority(), grown) {
				l.advance(now)
			}
		}
		if p.special&down != 0 {
			d.refuseDown(p, i, id, now)
			return
		}
	}
	if p.disc != nil {
		if p.special&followed != 0 {
			d.follow.queued(d.cold[i].id, id, now)
		}
		d.acceptClassed(p, i, id, from, now)
		return
	}
	q := p.queued
	if q+size > p.limit || p.special&pooled != 0 && !d.cold[i].pool.admits(q, size) {
		d.drop(i, id, QueueFull, now)
		return
	}
	if q > p.kmin {
		d.markByQueue(p, i, f, q, 0, p.frames)
	}
	if size > uint32(p.largest) { // a port that becomes plain must know it
		p.largest, p.ample = uint16(size), -1
	}
	d.admit(p, i, size, now)
	d.launch(p, i, id, max(p.busyUntil, now), now, now)
}

// refuseDown drops a frame that is sent to a port whose link is down.
func (d *Domain) refuseDown(p *port, i int32, id FrameID, now sim.Time) {
	size := d.Packets[id].Size
	if p.special&recorded != 0 {
		d.cold[i].series.offer(now, uint32(size))
	}
	d.offerDown(i, size, now)
	d.cold[i].counted().refused(uint32(size))
	d.cold[i].faults.outage.refuse(now)
	d.drop(i, id, LinkDown, now)
}

// offerDown records the load offered to a port whose link is down. A switch that
// does not know of the failure sees the port as if its link were sending.
func (d *Domain) offerDown(i int32, size uint16, now sim.Time) {
	c := &d.cold[i]
	c.faults.phantom = max(c.faults.phantom, now) + c.rate.Transmit(unit.Bytes(size))
}
