package sim

// Entity numbers the things of one domain that have events: a directed link, a
// host's timer. An entity has at most one pending event; what waits behind it
// (the frames on a link, the deadlines of a host) it keeps in order itself.
type Entity int32

// QueueKind names a data structure for pending events. It never changes results.
type QueueKind uint8

// Kinds of event queue.
const (
	// Swept keeps when each event is due, and no order: the handler, a [Sweeper], looks for
	// what is due in a window itself.
	Swept QueueKind = iota
	// Calendar buckets events by time and sorts a bucket when its turn comes;
	// bucket width and count follow the density of events. Fastest for more
	// than a few pending events.
	Calendar
	// Heap is an implicit 4-ary heap. No run asks for it: tests compare the others with it.
	Heap
)

// key orders events of the same instant: the rank of the entity in its high
// half decides, the low half carries the entity itself.
type key uint64

func makeKey(rank uint32, e Entity) key { return key(rank)<<32 | key(uint32(e)) }

func (k key) entity() Entity { return Entity(uint32(k)) }

// event is one pending event.
type event struct {
	at  Time
	key key
}

func (a event) before(b event) bool {
	return a.at < b.at || a.at == b.at && a.key < b.key
}

// idle marks an entity with no pending event.
const idle Time = -1

// slot is what a scheduler keeps of an entity.
type slot struct {
	at   Time // of the pending event, or idle
	rank uint32
	next int32 // in the bucket's list, or one of the markers below
}

const (
	endOfList int32 = -1 // last of a bucket's list
	inFar     int32 = -2 // waits in the heap
	inCurrent int32 = -3 // waits in the opened bucket
)

// Scheduler holds the pending events of one domain and yields them in the order
// of (time, rank). The zero value is not usable; see NewScheduler.
type Scheduler struct {
	slots []slot

	// The opened bucket, sorted; what precedes pos was yielded.
	current sorted
	pos     int

	kind QueueKind
	// soonest is a time that no pending event precedes, with Swept, after the window that
	// ends at swept. All before that is handled in it.
	soonest, swept Time
	cal            calendar
	far            eventHeap // events beyond the calendar, or all of them with Heap
}

// NewScheduler returns a scheduler for the entities 0…len(ranks)-1. No two ranks
// may be equal: ranks order events of the same instant.
func NewScheduler(kind QueueKind, ranks []uint32) *Scheduler {
	s := &Scheduler{slots: make([]slot, len(ranks)), kind: kind, soonest: Forever}
	for i, r := range ranks {
		s.slots[i] = slot{at: idle, rank: r}
	}
	if kind == Calendar {
		s.cal.init(len(ranks))
	}
	return s
}

// Pending returns the time of e's pending event, or false if it has none.
func (s *Scheduler) Pending(e Entity) (Time, bool) {
	at := s.slots[e].at
	return at, at != idle
}

// Precedes tells whether an event of a comes before one of b at the same instant.
func (s *Scheduler) Precedes(a, b Entity) bool { return s.slots[a].rank < s.slots[b].rank }

// IsPending tells whether e has a pending event.
func (s *Scheduler) IsPending(e Entity) bool { return s.slots[e].at != idle }

// Schedule makes e's event due at the given time, which must not precede the
// event being handled. A pending event of e is replaced.
func (s *Scheduler) Schedule(e Entity, at Time) {
	if s.kind == Swept {
		s.slots[e].at = at
		s.Expect(at)
		return
	}
	s.schedule(e, at)
}

func (s *Scheduler) schedule(e Entity, at Time) {
	sl := &s.slots[e]
	if sl.at != idle {
		if sl.at == at {
			return
		}
		s.Cancel(e)
	}
	sl.at = at
	if s.kind == Calendar {
		b := int64(at) >> s.cal.shift
		if d := b - s.cal.now; uint64(d-1) < uint64(s.cal.mask) {
			i := b & s.cal.mask
			sl.next = s.cal.heads[i]
			s.cal.heads[i] = int32(e)
			s.cal.occupied[i>>6] |= 1 << (i & 63)
			s.cal.count++
			return
		} else if d <= 0 {
			sl.next = inCurrent
			s.insertCurrent(at, makeKey(sl.rank, e))
			return
		}
	}
	sl.next = inFar
	s.far.push(event{at, makeKey(sl.rank, e)})
}

// insertCurrent puts an event into the sorted rest of the opened bucket.
func (s *Scheduler) insertCurrent(at Time, k key) {
	if s.pos == len(s.current) {
		s.current, s.pos = s.current[:0], 0
	}
	s.current = append(s.current, event{})
	s.current[s.pos:].insert(at, k)
}

// Cancel removes e's pending event, if any.
func (s *Scheduler) Cancel(e Entity) {
	sl := &s.slots[e]
	if sl.at == idle {
		return
	}
	if s.kind == Swept {
		sl.at = idle // soonest may then be too early, until the next sweep
		return
	}
	switch sl.next {
	case inFar: // the heap's entry no longer matches and is skipped
	case inCurrent:
		for i := s.pos; i < len(s.current); i++ {
			if s.current[i].key.entity() == e {
				s.current = append(s.current[:i], s.current[i+1:]...)
				break
			}
		}
	default:
		s.cal.unlink(s.slots, e)
	}
	sl.at = idle
}

// Next takes the first event, if it is due before limit.
func (s *Scheduler) Next(limit Time) (Entity, Time, bool) {
	for {
		if s.pos < len(s.current) {
			ev := &s.current[s.pos]
			at, e := ev.at, ev.key.entity()
			if at >= limit {
				return 0, 0, false
			}
			s.pos++
			s.slots[e].at = idle
			return e, at, true
		}
		if s.kind == Heap {
			return s.nextOfHeap(limit)
		}
		if !s.open(limit) {
			return 0, 0, false
		}
	}
}

// nextOfHeap takes the first live event of the far heap.
func (s *Scheduler) nextOfHeap(limit Time) (Entity, Time, bool) {
	for len(s.far) > 0 && s.far[0].at < limit {
		ev := s.far.pop()
		e := ev.key.entity()
		if sl := &s.slots[e]; s.live(ev) {
			sl.at = idle
			return e, ev.at, true
		}
	}
	return 0, 0, false
}

// live tells whether an entry of the heap still stands for its entity's
// pending event. Entries are not removed when an event is cancelled or moved.
func (s *Scheduler) live(ev event) bool {
	sl := &s.slots[ev.key.entity()]
	return sl.at == ev.at && sl.next == inFar
}

// Bound returns a time that no pending event precedes, Forever if there is none.
// It is not later than the first event and less than a bucket earlier.
func (s *Scheduler) Bound() Time {
	if s.kind == Swept {
		return s.soonest
	}
	if s.pos < len(s.current) {
		return s.current[s.pos].at
	}
	t := Forever
	if s.kind == Calendar && s.cal.count > 0 {
		t = Time(s.cal.nextBucket() << s.cal.shift)
	}
	for len(s.far) > 0 && !s.live(s.far[0]) {
		s.far.pop()
	}
	if len(s.far) > 0 && s.far[0].at < t {
		t = s.far[0].at
	}
	return t
}
