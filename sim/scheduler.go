package sim

// Entity numbers the things in one domain that have events, such as a directed link
// or a host's timer. An entity has at most one pending event. It keeps later ones
// (the frames on a link, the deadlines of a host) in order itself.
type Entity int32

// QueueKind names a data structure for pending events. It never changes results.
type QueueKind uint8

// Kinds of event queue.
const (
	// Swept stores when each event is due but keeps no order. The handler, a
	// [Sweeper], searches each window for due events itself.
	Swept QueueKind = iota
	// Calendar buckets events by time and sorts a bucket when it opens. Width and number of buckets
	// follow the density of events. It is the fastest kind for more than a few pending events.
	Calendar
	// Heap is an implicit 4-ary heap. No run uses it; tests compare the other kinds with it.
	Heap
)

// key orders events of the same instant. Its high half is the rank of the entity,
// which decides; its low half is the entity itself.
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

// slot is a scheduler's record of one entity.
type slot struct {
	at   Time // of the pending event; idle if none
	rank uint32
	next int32 // in the bucket's list, or one of the markers below
}

const (
	endOfList int32 = -1 // last in a bucket's list
	inFar     int32 = -2 // waits in the heap
	inCurrent int32 = -3 // waits in the open bucket
)

// Scheduler holds the pending events of one domain and yields them ordered by
// (time, rank). The zero value is not usable; see NewScheduler.
type Scheduler struct {
	slots []slot

	// The open bucket, sorted. Events before pos have been yielded.
	current sorted
	pos     int

	kind QueueKind
	// With Swept, soonest is a time that no event pending after the current window
	// precedes. The window ends at swept and handles everything before that.
	soonest, swept Time
	cal            calendar
	far            eventHeap // events beyond the calendar, or all of them with Heap
}

// NewScheduler returns a scheduler for the entities 0…len(ranks)-1. Ranks order
// events of the same instant, so no two may be equal.
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

// Pending returns the time of e's pending event, or false if no event is pending.
func (s *Scheduler) Pending(e Entity) (Time, bool) {
	at := s.slots[e].at
	return at, at != idle
}

// Precedes reports whether an event of a precedes one of b at the same instant.
func (s *Scheduler) Precedes(a, b Entity) bool { return s.slots[a].rank < s.slots[b].rank }

// IsPending reports whether e has a pending event.
func (s *Scheduler) IsPending(e Entity) bool { return s.slots[e].at != idle }

// Schedule makes e's event due at the given time and replaces a pending one. The
// time must not precede the event being handled.
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

// insertCurrent puts an event into the sorted rest of the open bucket.
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

// live reports whether an entry of the heap still stands for its entity's pending
// event. Cancelling or moving an event leaves its old entry in the heap.
func (s *Scheduler) live(ev event) bool {
	sl := &s.slots[ev.key.entity()]
	return sl.at == ev.at && sl.next == inFar
}

// Bound returns a time that no pending event precedes, or Forever if there is none.
// It is at most one bucket's width earlier than the first event.
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
