package sim

import (
	"math"
	"math/bits"
	"slices"
)

// Sweeper is a [Handler] whose scheduler is Swept. All events of a window that the
// window itself does not cause are known when it begins, so no queue is needed.
type Sweeper interface {
	// Sweep handles all events in [from, to) and returns how many there were. No event precedes from.
	Sweep(from, to Time) uint64
}

// LongestSweep is the longest window that can be swept: an offset from the window's
// start must fit into half of a key of a Batch.
const LongestSweep Time = 1<<31 - 1

// Reset begins the sweep of a window that ends at the given time, and clears the bound of a
// Swept scheduler. The sweep must call Expect for every event that it leaves pending.
func (s *Scheduler) Reset(end Time) { s.soonest, s.swept = Forever, end }

// Expect lowers the bound of a Swept scheduler to the given time, unless the
// current window covers that time.
func (s *Scheduler) Expect(at Time) {
	if at >= s.swept {
		s.soonest = min(s.soonest, at)
	}
}

// Due reports whether e has an event before limit.
func (s *Scheduler) Due(e Entity, limit Time) bool {
	return uint64(s.slots[e].at) < uint64(limit) // idle is negative
}

// Take removes e's event, which the caller handles.
func (s *Scheduler) Take(e Entity) { s.slots[e].at = idle }

// Batch sorts the events of a window. A key combines an offset from the window's
// start (high half) with a place (low half): the number of events added before.
// Events of the same time are ordered by rank, then by place.
type Batch struct {
	keys, sorted  []uint64
	ranks, counts []uint32
}

// Clear empties the batch.
func (b *Batch) Clear() { b.keys, b.ranks = b.keys[:0], b.ranks[:0] }

// Add puts a key into the batch. The offset is at most LongestSweep.
func (b *Batch) Add(offset Time, rank uint32) {
	b.keys = append(b.keys, uint64(offset)<<32|uint64(len(b.keys)))
	b.ranks = append(b.ranks, rank)
}

// Split returns the offset and the place of a key.
func Split(key uint64) (offset Time, place uint32) { return Time(key >> 32), uint32(key) }

// insertionOnly is the largest batch that is sorted without a counting pass.
const insertionOnly = 12

// Sort returns the keys in ascending order, valid until the next Clear. All offsets
// must be below length.
//
// A counting pass by offset leaves about one key per bucket; insertion sort does the rest.
func (b *Batch) Sort(length Time) []uint64 {
	n := len(b.keys)
	if n <= insertionOnly {
		insertion(b.keys)
		return b.settle(b.keys)
	}
	width := bits.Len64(uint64(n)) // at least as many buckets as keys, at most twice as many
	shift := max(0, bits.Len64(uint64(length))-width) + 32
	buckets := int(uint64(length)<<32>>shift) + 2
	if len(b.counts) < buckets {
		b.counts = make([]uint32, 2*buckets)
	}
	counts := b.counts[:buckets]
	clear(counts)
	for _, k := range b.keys {
		counts[k>>shift+1]++
	}
	for i := 1; i < buckets; i++ {
		counts[i] += counts[i-1]
	}
	if cap(b.sorted) < n {
		b.sorted = make([]uint64, 2*n)
	}
	sorted := b.sorted[:n]
	for _, k := range b.keys {
		at := &counts[k>>shift]
		sorted[*at] = k
		*at++
	}
	insertion(sorted)
	return b.settle(sorted)
}

// settle orders keys of the same time by rank. They arrive ordered by place.
func (b *Batch) settle(keys []uint64) []uint64 {
	for i := 0; i < len(keys); {
		j := i + 1
		for j < len(keys) && keys[j]>>32 == keys[i]>>32 {
			j++
		}
		if tied := keys[i:j]; len(tied) > 1 {
			offset := tied[0] &^ math.MaxUint32
			for k, key := range tied {
				place := uint32(key)
				tied[k] = uint64(b.ranks[place])<<32 | uint64(place)
			}
			slices.Sort(tied)
			for k, key := range tied {
				tied[k] = offset | uint64(uint32(key))
			}
		}
		i = j
	}
	return keys
}

func insertion(a []uint64) {
	for i := 1; i < len(a); i++ {
		k, j := a[i], i
		for ; j > 0 && a[j-1] > k; j-- {
			a[j] = a[j-1]
		}
		a[j] = k
	}
}

// First returns which of three entities has the earliest event, and its time. The
// time is Forever if none has an event.
func (s *Scheduler) First(a, b, c Entity) (e Entity, at Time) {
	e, first := a, uint64(s.slots[a].at)
	for _, x := range [2]Entity{b, c} {
		t := uint64(s.slots[x].at)
		if t < first || t == first && s.Precedes(x, e) {
			e, first = x, t
		}
	}
	if first > uint64(Forever) {
		return e, Forever
	}
	return e, Time(first)
}

// Earlier returns which of two entities has the earlier event, and its time. The
// caller passes the time of a's event, or Forever.
func (s *Scheduler) Earlier(a Entity, at Time, b Entity) (Entity, Time) {
	if t := s.slots[b].at; t != idle && (t < at || t == at && s.Precedes(b, a)) {
		return b, t
	}
	return a, at
}
