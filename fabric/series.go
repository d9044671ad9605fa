package fabric

import (
	"weft/sim"
)

// Series records a port over time in buckets of equal length.
type Series struct {
	// Interval is the length of a bucket.
	Interval sim.Time
	// Offered is the bytes accepted for the port in each bucket, those sent to
	// it while its link was down included.
	Offered []uint64
	// Sent is the bytes serialised in each bucket; a frame that spans several
	// is shared out by time.
	Sent []uint64
	// Queue is the queue in bytes at the start of each bucket.
	Queue []uint32
	// Dropped is the frames dropped in each bucket, without credits that are limited.
	Dropped []uint32
	// Paused is the time of each bucket in which some lossless class was paused.
	Paused []sim.Time
}

func (s *Series) offer(now sim.Time, size uint32) {
	b := int(now / s.Interval)
	for len(s.Offered) <= b {
		s.Offered = append(s.Offered, 0)
	}
	s.Offered[b] += uint64(size)
}

func (s *Series) drop(now sim.Time) {
	b := int(now / s.Interval)
	for len(s.Dropped) <= b {
		s.Dropped = append(s.Dropped, 0)
	}
	s.Dropped[b]++
}

// send shares out a frame serialised during [from, to).
func (s *Series) send(from, to sim.Time, size uint64) {
	first, last := int(from/s.Interval), int((to-1)/s.Interval)
	for len(s.Sent) <= last {
		s.Sent = append(s.Sent, 0)
	}
	done := uint64(0)
	for b := first; b < last; b++ {
		end := sim.Time(b+1) * s.Interval
		upTo := size * uint64(end-from) / uint64(to-from)
		s.Sent[b] += upTo - done
		done = upTo
	}
	s.Sent[last] += size - done
}

// sample notes the queue at all bucket starts up to now.
func (s *Series) sample(now sim.Time, queued uint32) {
	for sim.Time(len(s.Queue))*s.Interval <= now {
		s.Queue = append(s.Queue, queued)
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
		if p.disc != nil && p.disc.stamps {
			d.renew(p, i, t.departs)
		}
		p.queued -= uint32(t.bytes)
		if p.disc != nil {
			p.disc.leave(i, t.class, uint32(t.bytes), t.departs)
		}
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
