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

// spells holds, per class, the arrival number of the last frame that found the
// queue above the threshold.
type spells [8]uint64

// noFrame is a number that no frame follows.
const noFrame = math.MaxUint64 - 1

// goesOn records that frame n of a class found the queue above the threshold, and
// reports whether the frame before it did, too.
func (s *spells) goesOn(class uint8, n uint64) bool {
	last := s[class]
	s[class] = n
	return last+1 == n
}

// markByQueue applies RED to a frame that finds q bytes queued. It never marks up to
// Kmin and always marks from Kmax. In between, the probability rises linearly to Pmax.
// With Kmin equal to Kmax it is a plain threshold. The frame is number n of its class.
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

// rules are the pluggable rules of one class of a port.
type rules struct {
	marker   protocol.Marker   // or nil
	admitter protocol.Admitter // or nil
	refused  uint64            // frames that admitter refused
}

// newRules makes the rules of all classes of a port; nil if there are none. Class 0
// has no rules if it carries credits. The lanes of a priority share the rule of
// their last class, which is the class of their transport.
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

// shown returns the state of a queue that rules see when they decide on a frame.
func (q *discipline) shown(class, port, size uint32, now sim.Time) protocol.Queue {
	view := protocol.Queue{Now: now, Frame: unit.Bytes(size), Class: unit.Bytes(class), Port: unit.Bytes(port)}
	if q.pool != nil {
		view.Free = unit.Bytes(q.pool.free())
	}
	return view
}

// marked returns the bytes of the queue of class k that marking rules see.
func (q *discipline) marked(k uint8) uint32 {
	if q.groups != nil && q.groups.markEach {
		return q.classes[k].bytes
	}
	return q.held(k)
}

// agrees reports whether the class's admission rule takes a frame.
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

// markArrivingByRule asks the class's rule whether to mark a frame that is about to be queued.
func (q *discipline) markArrivingByRule(d *Domain, p *port, i int32, f *Frame, k uint8, now sim.Time) {
	if m := q.rules[k].marker; m != nil && m.Arrived(q.shown(q.marked(k), p.queued, uint32(f.Size), now)) {
		d.mark(i, f)
	}
}

// markLeavingByRule asks the class's rule whether to mark a frame whose
// transmission begins. The frame still counts as queued.
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

// mark sets the congestion mark of a frame.
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

// markLeaving applies RED to a frame of class k that leaves, by the queue that it
// leaves behind, itself excluded.
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

// number returns the queue and the number in it of the next frame of class k, for
// rules about consecutive frames. The queue is named by a class.
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
