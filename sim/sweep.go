package sim

import (
	"math"
	"math/bits"
	"slices"
)

// Sweeper is a [Handler] whose scheduler is Swept. Everything of a window that cannot be
// caused within it is known when it begins, so that it can be handled without a queue.
type Sweeper interface {
	// Sweep handles all events before to, of which none precedes from, and returns how many
	// there were.
	Sweep(from, to Time) uint64
}

// LongestSweep is the longest window that can be swept: offsets from its start must fit
// half of a batch's key.
const LongestSweep Time = 1<<31 - 1

// Reset begins the sweep of a window that ends at a time, and forgets the bound of a Swept
// scheduler. The sweep tells it anew by Expect, for all that it leaves pending.
func (s *Scheduler) Reset(end Time) { s.soonest, s.swept = Forever, end }

// Expect notes that something may happen at a time.
func (s *Scheduler) Expect(at Time) {
	if at >= s.swept {
		s.soonest = min(s.soonest, at)
	}
}

// Due tells whether e has an event before limit.
func (s *Scheduler) Due(e Entity, limit Time) bool {
	return uint64(s.slots[e].at) < uint64(limit) // idle is negative
}

// Take removes e's event, which the caller handles.
func (s *Scheduler) Take(e Entity) { s.slots[e].at = idle }

// Batch sorts what happens in a window. A key is an offset from the window's start, and
// below it a place: how many were added before. Among equal times the rank decides, and then
// the place.
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

// insertionOnly is the size of a batch that needs no counting pass.
const insertionOnly = 12

// Sort returns the keys in ascending order. They are good until the next Clear. All offsets
// are below length.
//
// A counting pass by offset leaves about one key to a bucket; insertion does the rest.
func (b *Batch) Sort(length Time) []uint64 {
	n := len(b.keys)
	if n <= insertionOnly {
		insertion(b.keys)
		return b.settle(b.keys)
	}
	width := bits.Len64(uint64(n)) // so many buckets as keys, up to twice
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

// settle orders keys of equal times, which stand by place, by rank.
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

// First returns which of three entities has the first event, and when; Forever if none has.
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

// Earlier returns which of two entities has the first event, and when; at is that of the first, or
// Forever.
func (s *Scheduler) Earlier(a Entity, at Time, b Entity) (Entity, Time) {
	if t := s.slots[b].at; t != idle && (t < at || t == at && s.Precedes(b, a)) {
		return b, t
	}
	return a, at
}
