package fabric

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// spells has the number, among the frames of each class, of the last one that found the
// queue above the threshold.
type spells [8]uint64

// noFrame is followed by none.
const noFrame = math.MaxUint64 - 1

// goesOn notes that frame n of a class found the queue above the threshold, and tells
// whether the frame before it did.
func (s *spells) goesOn(class uint8, n uint64) bool {
	last := s[class]
	s[class] = n
	return last+1 == n
}

// markByQueue applies RED to a frame that finds q bytes queued: never up to
// Kmin, always from Kmax, and with a probability that rises linearly to Pmax
// between. A threshold is Kmin equal to Kmax. The frame is number n of a class.
func (d *Domain) markByQueue(p *port, i int32, f *Frame, q uint32, class uint8, n uint64) {
	c := &d.cold[i]
	if c.spells != nil && !c.spells.goesOn(class, n) {
		return
	}
	if q < c.kmax {
		share := uint64(q-p.kmin) * uint64(c.pmax) / uint64(c.kmax-p.kmin)
		if c.mark.Uint64()>>32 >= share {
			return
		}
	}
	d.mark(i, f)
}

// rules are those of one class of a port that are not the fabric's own.
type rules struct {
	marker   protocol.Marker   // nil without
	admitter protocol.Admitter // nil without
	refused  uint64            // by admitter
}

// newRules makes the rules of all classes of a port; nil without any. Class 0 has none if it
// is one of credits. Lanes of one priority have the rule of the last of them, which is the class of their transport.
func newRules(c *PortConfig, groups *grouping, rate unit.Rate, seed, name uint64) []rules {
	if c.Marking == nil && c.Admission == nil {
		return nil
	}
	list := make([]rules, max(1, c.Classes))
	for k := range list {
		if k == 0 && c.limited() {
			continue
		}
		env := protocol.QueueEnv{Rate: rate, Class: k, Classes: len(list), Limit: c.Limit}
		if k == 0 && c.Trim != nil {
			env.Limit = c.Trim.Limit
		}
		stream := func(purpose string) *rand.PCG {
			s := new(rand.PCG)
			sim.SeedStream(s, seed, sim.Mix(name+uint64(k)), purpose)
			return s
		}
		if c.Marking != nil {
			env.Rand = stream("marking rule")
			list[k].marker = c.Marking(env)
		}
		if c.Admission != nil {
			env.Rand = stream("admission rule")
			list[k].admitter = c.Admission(env)
		}
	}
	for k := range list {
		if groups == nil {
			break
		}
		last := min(bits.Len8(groups.group[k]), len(list)) - 1
		list[k].admitter = list[last].admitter
		if !groups.markEach {
			list[k].marker = list[last].marker
		}
	}
	return list
}

// shown is what rules see of a queue that holds so many bytes when they decide on a frame.
func (q *discipline) shown(class, port, size uint32, now sim.Time) protocol.Queue {
	view := protocol.Queue{Now: now, Frame: unit.Bytes(size), Class: unit.Bytes(class), Port: unit.Bytes(port)}
	if q.pool != nil {
		view.Free = unit.Bytes(q.pool.free())
	}
	return view
}

// marked returns what rules of marking see of the queue of class k.
func (q *discipline) marked(k uint8) uint32 {
	if q.groups != nil && q.groups.markEach {
		return q.classes[k].bytes
	}
	return q.held(k)
}

// agrees tells whether the class's rule takes a frame.
func (q *discipline) agrees(p *port, k uint8, size uint32, now sim.Time) bool {
	if q.rules == nil || q.rules[k].admitter == nil {
		return true
	}
	if !q.rules[k].admitter.Admits(q.shown(q.held(k), p.queued, size, now)) {
		q.rules[k].refused++
		return false
	}
	return true
}

// markArrivingByRule asks the class's rule whether a frame is marked that is about to be queued.
func (q *discipline) markArrivingByRule(d *Domain, p *port, i int32, f *Frame, k uint8, now sim.Time) {
	if m := q.rules[k].marker; m != nil && m.Arrived(q.shown(q.marked(k), p.queued, uint32(f.Size), now)) {
		d.mark(i, f)
	}
}

// markLeavingByRule asks the class's rule whether a frame is marked that is queued still, and
// begins its transmission.
func (q *discipline) markLeavingByRule(d *Domain, p *port, i int32, f *Frame, k uint8, since, now sim.Time) {
	m := q.rules[k].marker
	if m == nil {
		return
	}
	size := uint32(f.Size)
	if m.Left(q.shown(q.marked(k)-size, p.queued-size, size, now), now-since) {
		d.mark(i, f)
	}
}

// mark notes congestion on a frame.
func (d *Domain) mark(i int32, f *Frame) {
	f.Flags |= packet.Marked
	d.cold[i].marks++
}

// markArriving applies RED, or the class's rule, to a frame of class k that is about to be queued.
func (q *discipline) markArriving(d *Domain, p *port, i int32, f *Frame, k uint8, now sim.Time) {
	if q.rules != nil {
		q.markArrivingByRule(d, p, i, f, k, now)
	}
	found := q.found(p, k)
	if found <= p.kmin || q.atDequeue || k == 0 && q.limiter != nil {
		return
	}
	class, n := q.number(p, k)
	d.markByQueue(p, i, f, found, class, n)
}

// markLeaving applies RED to a frame of class k that leaves: what it leaves behind counts,
// without itself.
func (q *discipline) markLeaving(d *Domain, i int32, frame FrameID, k uint8) {
	p := &d.ports[i]
	found := q.found(p, k)
	if found <= p.kmin {
		return
	}
	f := &d.Packets[frame]
	if rest := found - uint32(f.Size); rest > p.kmin {
		d.markByQueue(p, i, f, rest, k, 0)
	}
}

// number returns a class and what number of it the next frame of class k is, for the rules about frames in a row.
func (q *discipline) number(p *port, k uint8) (class uint8, n uint64) {
	switch {
	case q.byPort:
		return 0, p.frames
	case !q.wide:
		return k, uint64(q.classes[k].tail)
	}
	group := q.groups.group[k]
	for i := range q.classes {
		if group>>i&1 != 0 {
			n += uint64(q.classes[i].tail)
		}
	}
	return uint8(bits.TrailingZeros8(group)), n
}
