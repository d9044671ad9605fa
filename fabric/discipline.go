package fabric

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"weft/sim"
	"weft/unit"
)

// discipline is a port with classes as a row of stages: admit gives a verdict on a frame
// that came, mark may mark it, the classes queue it, pick chooses the class to serve, and
// leave accounts for what was sent. It holds the frames that wait; the frame in service and
// those on the wire are the port's. Up to eight FIFO classes are served in strict
// priority, class 0 first; several may be lanes of one priority (lane_groups.go).
//
// What is taken out at a time must depend only on what was put in before: ports make up
// for transmissions (service.go). One for which time itself matters needs stepped ports.
type discipline struct {
	classes []class
	// occupied has a bit for every class in which a frame waits, and blocked one for every
	// class that may not be served: class 0 as long as its limiter says so, and those that
	// the far end of the link has paused.
	occupied, blocked uint8
	// asleep tells that all classes in which frames wait were blocked when the port last
	// looked; one of them may go at due, Forever if none will by itself.
	asleep bool
	// atDequeue takes the marking decision when transmission begins.
	atDequeue bool
	// wide tells that thresholds are compared with what several classes hold: all of them by port,
	// else lanes.
	wide, byPort bool
	// accounts tells that the switch has accounts of the links into it.
	accounts bool
	// more tells that rules, a shared buffer or other classes decide beside the limits of classes, or that frames are
	// seen by a tap.
	more bool
	// chooses tells that the first open class need not be served: of ratio, groups or a scheduler. notes tells that what waits is noted
	// elsewhere, too: by one of these or a limiter.
	chooses, notes bool
	// pauses are the classes that are paused, a bit for each.
	pauses uint8
	// ratio is how many frames of class 0 may pass while others wait, 0 for any number;
	// passed is how many have since one of the others went.
	ratio, passed uint32
	due           sim.Time
	trim          *trimmer   // nil drops
	limiter       limiter    // of class 0; nil without
	pool          *pool      // of a switch with a shared buffer, else nil
	ingress       via        // of the frame in service
	groups        *grouping  // of classes that count as one; nil without any
	scheduler     *scheduler // nil in strict priority
	tap           tap        // nil without
	witness       witness    // nil without
	rules         []rules    // of each class; nil without
}

// A trimmer cuts frames that find no room.
type trimmer struct {
	header uint32 // bytes that are left
	tosses bool   // whether a coin decides which frame is cut
	coin   rand.PCG
}

// heads tells whether the coin, if there is one, shows heads.
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

// addTap has the port's frames seen by one more.
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

// empty tells whether no frame waits.
func (q *discipline) empty() bool { return q.occupied == 0 }

// wake tells when one of the frames that wait may go; 0 if one may go already.
func (q *discipline) wake() sim.Time {
	if q.asleep {
		return q.due
	}
	return 0
}

// classOf returns the class of a frame at the port. What has a class that the port lacks
// joins the last one, here and at later ports.
func (q *discipline) classOf(f *Frame) uint8 {
	k := f.Priority()
	if int(k) >= len(q.classes) {
		k = uint8(len(q.classes) - 1)
		f.SetPriority(k)
	}
	return k
}

// verdict is what admission decides on a frame. The port acts on it.
type verdict uint8

const (
	take     verdict = iota
	cut              // to its header
	cutLast          // the last frame of its class instead, whose place it takes
	refusing         // for a reason
)

// admit decides on a frame of class k. The limit of its class, the class's rule and the shared
// buffer must agree, as far as there are any. What a limiter lets in has a limit of its own, and is too
// few for the buffer to refuse them.
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

// canSwap tells whether a frame has room in place of the last one of its class, if that is
// cut.
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

// hasHeaderRoom tells whether class 0 has room for the header of a frame that is trimmed.
func (q *discipline) hasHeaderRoom() bool {
	c, size := &q.classes[0], q.trim.header
	return c.bytes+size <= c.limit && (q.pool == nil || q.pool.admits(c.bytes, size))
}

// found returns the bytes that the thresholds are compared with for a frame of class k.
func (q *discipline) found(p *port, k uint8) uint32 {
	if q.wide {
		return q.foundWide(p, k)
	}
	return q.classes[k].bytes
}

// foundWide is found where several classes may count as one queue.
func (q *discipline) foundWide(p *port, k uint8) uint32 {
	if q.byPort {
		return p.queued
	}
	return q.held(k)
}

// open returns a bit for every class that may be served now: it is occupied and not blocked.
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

// choose returns the class to serve where that need not be the first one that is open, k.
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

// schedule returns the class to serve of those that are open; k is the one that goes by strict priority and the ratio of headers.
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

// shared returns the class to serve where class 0 does not always go first; k is the first
// of the open ones.
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

// dequeue yields the frame to transmit next and since when it waited, or false if none may
// go now. It picks the first class that is open, or what the ratio or the order of lanes has it serve.
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

// begin tells that the transmission of a frame of class k begins, at a port with rules, a
// shared buffer, lanes or a tap. The frame is queued still.
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
		q.tap.begins(&d.ports[i], i, f, k, now)
	}
	if q.pool == nil {
		return
	}
	q.ingress = w.ingress
	if q.pool.isLossless(k) && q.pool.atBegin {
		q.pool.release(w.ingress, i, k, uint64(f.Size), now)
	}
}

// leave tells that the frame in service at port i, of a class, is serialised at time t.
func (q *discipline) leave(i int32, k uint8, bytes uint32, t sim.Time) {
	q.classes[k].bytes -= bytes
	if q.accounts {
		q.left(i, k, bytes, t)
	}
}

// left is leave for the accounts of the switch.
func (q *discipline) left(i int32, k uint8, bytes uint32, t sim.Time) {
	if q.pool.isLossless(k) && !q.pool.atBegin {
		q.pool.release(q.ingress, i, k, uint64(bytes), t)
	} else {
		q.pool.shrank(i, k, t)
	}
}

// flush drops all that waits, for the given reason.
func (q *discipline) flush(d *Domain, i int32, why Reason, now sim.Time) {
	for k := range q.classes {
		q.flushClass(d, i, uint8(k), why, now)
	}
	q.passed, q.asleep = 0, false
	if q.limiter != nil {
		q.limiter.clear()
	}
}

// flushClass drops all that waits in a class.
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

// visit shows every waiting frame.
func (q *discipline) visit(show func(*waiting)) {
	for k := range q.classes {
		c := &q.classes[k]
		for j := c.head; j != c.tail; j++ {
			show(c.at(j))
		}
	}
}

// held returns what the queue of class k holds: that of all lanes of its priority, if it is one of several.
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

// heldBefore returns what a port sends before a frame of class k that comes to it now.
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
