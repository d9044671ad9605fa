package fabric

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"weft/sim"
	"weft/unit"
)

// discipline runs a port with classes as a sequence of stages. admit gives a verdict on an arriving
// frame, markArriving may mark it, and the classes queue it. dequeue chooses the frame to send, and
// leave accounts for frames that were sent. The discipline holds the waiting frames; the port holds
// the frame in service and those on the wire. Up to eight FIFO classes are served in strict
// priority, class 0 first. Several classes may be lanes of one priority (lane_groups.go).
//
// What leaves at a given time must depend only on what entered before, because ports defer
// service (service.go). A discipline for which time itself matters needs a stepped port.
type discipline struct {
	classes []class
	// occupied has a bit for every class in which frames wait. blocked has a bit for
	// every class that may not be served: class 0 while its limiter holds it back,
	// and classes that the far end of the link has paused.
	occupied, blocked uint8
	// asleep reports that all occupied classes were blocked at the port's last decision.
	// One may be served again at due, which is Forever if only an event can change that.
	asleep bool
	// atDequeue decides on marking when transmission begins.
	atDequeue bool
	// wide compares thresholds with the bytes of several classes: all classes of the
	// port if byPort is set, else the lanes of a priority.
	wide, byPort bool
	// accounts reports that the switch has accounts of the links into it.
	accounts bool
	// more reports that something besides the limits of classes is involved: rules, a
	// shared buffer, lanes or taps.
	more bool
	// chooses reports that ratio, groups or a scheduler may choose a class other than the
	// first open one. notes reports that one of these or a limiter records waiting frames, too.
	chooses, notes bool
	// pauses has a bit for every paused class.
	pauses uint8
	// ratio is how many frames of class 0 may go while others wait; 0 means any
	// number. passed counts them since a frame of another class went.
	ratio, passed uint32
	due           sim.Time
	trim          *trimmer   // nil: drop instead of trim
	limiter       limiter    // of class 0, or nil
	pool          *pool      // of a switch with a shared buffer, or nil
	ingress       via        // of the frame in service
	groups        *grouping  // of classes that count as one queue, or nil
	scheduler     *scheduler // nil: strict priority
	tap           tap        // or nil
	witness       witness    // or nil
	rules         []rules    // per class, or nil
}

// A trimmer trims frames that find no room.
type trimmer struct {
	header uint32 // bytes that remain
	tosses bool   // whether a coin decides which frame is trimmed
	coin   rand.PCG
}

// heads tosses the coin, if there is one.
func (t *trimmer) heads() bool { return t.tosses && t.coin.Uint64()>>63 == 1 }

func newDiscipline(c *PortConfig, groups *grouping, limiter limiter, rate unit.Rate, seed, name uint64) *discipline {
	q := &discipline{atDequeue: c.MarkAtDequeue, byPort: c.MarkByPort, classes: make([]class, max(1, c.Classes))}
	q.groups, q.limiter = groups, limiter
	q.wide = q.byPort || q.groups != nil && !q.groups.markEach
	for i := range q.classes {
		q.classes[i].limit = clampBytes(c.Limit)
	}
	if c.Trim != nil {
		q.classes[0].limit = clampBytes(c.Trim.Limit)
		q.ratio = uint32(min(c.Trim.Ratio, math.MaxInt32))
		q.trim = &trimmer{header: uint32(c.Trim.Header), tosses: c.Trim.Coin}
		sim.SeedStream(&q.trim.coin, seed, name, "trim")
	}
	q.rules = newRules(c, q.groups, rate, seed, name)
	q.more = q.rules != nil || q.groups != nil
	q.chooses = q.ratio > 0 || q.groups != nil
	q.notes = q.limiter != nil || q.groups != nil
	return q
}

// addTap adds a tap for the port's frames.
func (q *discipline) addTap(t tap) {
	q.more = true
	switch had := q.tap.(type) {
	case nil:
		q.tap = t
	case taps:
		q.tap = append(had, t)
	default:
		q.tap = taps{had, t}
	}
}

// empty reports whether no frame waits.
func (q *discipline) empty() bool { return q.occupied == 0 }

// wake returns when a waiting frame may go; 0 if one may go already.
func (q *discipline) wake() sim.Time {
	if q.asleep {
		return q.due
	}
	return 0
}

// classOf returns the class of a frame at the port. A frame of a class that the
// port lacks joins the last class, here and at later ports.
func (q *discipline) classOf(f *Frame) uint8 {
	k := f.Priority()
	if int(k) >= len(q.classes) {
		k = uint8(len(q.classes) - 1)
		f.SetPriority(k)
	}
	return k
}

// verdict is the decision of admission on a frame. The port carries it out.
type verdict uint8

const (
	take     verdict = iota
	cut              // trim the frame to its header
	cutLast          // trim the last frame of its class instead and take its place
	refusing         // drop the frame
)

// admit decides on a frame of class k. The limit of its class, the class's rule and
// the shared buffer must all agree, where present. Class 0 with a limiter has only
// the limiter: its frames are too few to matter to the buffer.
func (q *discipline) admit(d *Domain, p *port, k uint8, size uint32, from via, now sim.Time) (verdict, Reason) {
	if k == 0 && q.limiter != nil {
		if fits, why := q.limiter.fits(size); !fits {
			return refusing, why
		}
		return take, 0
	}
	c, held := &q.classes[k], q.held(k)
	switch {
	case held+size <= c.limit && q.agrees(p, k, size, now) && (q.pool == nil || q.pool.admitsFrom(from, k, held, size)):
		return take, 0
	case q.pool != nil && q.pool.isLossless(k) && held+size <= c.limit:
		return refusing, HeadroomFull
	case q.trim == nil:
		return refusing, QueueFull
	case k == 0:
		return refusing, HeaderQueueFull
	case size <= q.trim.header: // nothing to cut
		return refusing, QueueFull
	case q.trim.heads() && q.canSwap(d, c, size):
		return cutLast, 0
	}
	return cut, 0
}

// canSwap reports whether a frame would have room if the last one of its class were trimmed.
func (q *discipline) canSwap(d *Domain, c *class, size uint32) bool {
	if c.head == c.tail {
		return false
	}
	freed := uint32(d.Packets[c.at(c.tail-1).frame].Size)
	header := q.trim.header
	if freed <= header || c.bytes-freed+size > c.limit {
		return false
	}
	more := size + header
	return q.pool == nil || q.pool.admits(c.bytes-min(c.bytes, freed), more-min(more, freed))
}

// hasHeaderRoom reports whether class 0 has room for the header of a trimmed frame.
func (q *discipline) hasHeaderRoom() bool {
	c, size := &q.classes[0], q.trim.header
	return c.bytes+size <= c.limit && (q.pool == nil || q.pool.admits(c.bytes, size))
}

// found returns the bytes that marking thresholds are compared with for a frame of class k.
func (q *discipline) found(p *port, k uint8) uint32 {
	if q.wide {
		return q.foundWide(p, k)
	}
	return q.classes[k].bytes
}

// foundWide does what found does, where several classes count as one queue.
func (q *discipline) foundWide(p *port, k uint8) uint32 {
	if q.byPort {
		return p.queued
	}
	return q.held(k)
}

// open returns a bit for every class that may be served now: occupied and not blocked.
func (q *discipline) open() uint8 {
	open := q.occupied &^ q.blocked
	if q.asleep = open == 0 && q.occupied != 0; q.asleep {
		q.due = sim.Forever
		if q.limiter != nil && q.occupied&^q.pauses&first != 0 {
			q.due = q.limiter.due()
		}
	}
	return open
}

// choose returns the class to serve where it need not be k, the first open one.
func (q *discipline) choose(d *Domain, k, open uint8) uint8 {
	if q.ratio > 0 {
		k = q.shared(k, open)
	}
	if q.groups != nil {
		k = q.groups.choose(q.classes, k, open)
	}
	if q.scheduler != nil {
		k = q.schedule(d, k, open)
	}
	return k
}

// schedule asks the scheduler for the class to serve. k is the class that strict priority and the
// ratio of headers choose.
func (q *discipline) schedule(d *Domain, k, open uint8) uint8 {
	s := q.scheduler
	if q.ratio > 0 { // which decided between class 0 and the others
		if k == 0 {
			return 0
		}
		open &^= first
	}
	s.ready.Waiting, s.ready.Open = q.occupied, open
	for i := range q.classes {
		s.ready.Heads[i] = 0
		if c := &q.classes[i]; c.head != c.tail {
			s.ready.Heads[i] = unit.Bytes(d.Packets[c.at(c.head).frame].Size)
		}
	}
	return s.next(k)
}

// shared returns the class to serve where class 0 does not always go first. k is
// the first open class.
func (q *discipline) shared(k, open uint8) uint8 {
	others := open &^ first
	switch {
	case k > 0 || others == 0:
		q.passed = 0
		return k
	case q.passed < q.ratio:
		q.passed++
		return 0
	}
	q.passed = 0
	return uint8(bits.TrailingZeros8(others))
}

// dequeue returns the frame to transmit next and the time since when it waited, or false if none
// may go now. It serves the first open class, unless the ratio or the lanes choose another.
func (q *discipline) dequeue(d *Domain, i int32, now sim.Time) (FrameID, sim.Time, bool) {
	if q.limiter != nil {
		q.blocked = q.blocked&^first | q.pauses&first
		if (q.occupied&^q.pauses)&first != 0 {
			c := &q.classes[0]
			if !q.limiter.take(d.cold[i].rate, unit.Bytes(d.Packets[c.at(c.head).frame].Size), now) {
				q.blocked |= first
			}
		}
	}
	open := q.open()
	if open == 0 {
		return 0, 0, false
	}
	k := uint8(bits.TrailingZeros8(open))
	if q.chooses {
		k = q.choose(d, k, open)
	}
	c := &q.classes[k]
	w := *c.at(c.head)
	c.head++
	if c.head == c.tail {
		q.occupied &^= 1 << k
	}
	if q.more {
		q.begin(d, i, w, k, now)
	}
	if q.atDequeue && (k > 0 || q.limiter == nil) {
		q.markLeaving(d, i, w.frame, k)
	}
	return w.frame, w.since, true
}

// begin handles the start of a transmission in class k, at a port with rules, a
// shared buffer, lanes or a tap. The frame still counts as queued.
func (q *discipline) begin(d *Domain, i int32, w waiting, k uint8, now sim.Time) {
	f := &d.Packets[w.frame]
	if q.groups != nil {
		q.groups.begin(k)
	}
	if q.witness != nil {
		q.witness.before(&d.ports[i], i, now)
	}
	if q.rules != nil {
		q.markLeavingByRule(d, &d.ports[i], i, f, k, w.since, now)
	}
	if q.tap != nil {
		q.tap.onStart(&d.ports[i], i, f, k, now)
	}
	if q.pool == nil {
		return
	}
	q.ingress = w.ingress
	if q.pool.isLossless(k) && q.pool.atBegin {
		q.pool.release(w.ingress, i, k, uint64(f.Size), now)
	}
}

// leave accounts for the frame in service at port i, which is serialised at time t.
func (q *discipline) leave(i int32, k uint8, bytes uint32, t sim.Time) {
	q.classes[k].bytes -= bytes
	if q.accounts {
		q.left(i, k, bytes, t)
	}
}

// left does what leave does, for the accounts of the switch.
func (q *discipline) left(i int32, k uint8, bytes uint32, t sim.Time) {
	if q.pool.isLossless(k) && !q.pool.atBegin {
		q.pool.release(q.ingress, i, k, uint64(bytes), t)
	} else {
		q.pool.shrank(i, k, t)
	}
}

// flush drops all waiting frames for the given reason.
func (q *discipline) flush(d *Domain, i int32, why Reason, now sim.Time) {
	for k := range q.classes {
		q.flushClass(d, i, uint8(k), why, now)
	}
	q.passed, q.asleep = 0, false
	if q.limiter != nil {
		q.limiter.clear()
	}
}

// flushClass drops all waiting frames of a class.
func (q *discipline) flushClass(d *Domain, i int32, k uint8, why Reason, now sim.Time) {
	p, c := &d.ports[i], &q.classes[k]
	for ; c.head != c.tail; c.head++ {
		w := c.at(c.head)
		size := uint32(d.Packets[w.frame].Size)
		p.residence += float64(size) * float64(now-w.since)
		c.bytes -= size
		p.queued -= size
		if q.pool != nil && q.pool.isLossless(k) {
			q.pool.release(w.ingress, i, k, uint64(size), now)
		}
		d.cold[i].counted().flushed(size)
		d.drop(i, w.frame, why, now)
	}
	if q.occupied &^= 1 << k; q.occupied == 0 {
		q.asleep = false
		p.backlog = false
	}
	d.settlePool(p, i, now)
}

// visit calls show for every waiting frame.
func (q *discipline) visit(show func(*waiting)) {
	for k := range q.classes {
		c := &q.classes[k]
		for j := c.head; j != c.tail; j++ {
			show(c.at(j))
		}
	}
}

// held returns the bytes in the queue of class k, which includes all lanes of its priority.
func (q *discipline) held(k uint8) uint32 {
	if q.groups == nil {
		return q.classes[k].bytes
	}
	sum := uint32(0)
	for group := q.groups.group[k]; group != 0; group &= group - 1 {
		if i := bits.TrailingZeros8(group); i < len(q.classes) {
			sum += q.classes[i].bytes
		}
	}
	return sum
}

// heldBefore returns the bytes that a port would send before a frame of class k that joins it now.
func (q *discipline) heldBefore(k uint8) (sum uint32) {
	last := int(k)
	if q.groups != nil {
		last = bits.Len8(q.groups.group[k]) - 1
	}
	for i := range min(last+1, len(q.classes)) {
		sum += q.classes[i].bytes
	}
	return sum
}
