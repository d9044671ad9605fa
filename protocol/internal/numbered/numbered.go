// Package numbered keeps what transports of hosts know of messages and packets that have
// numbers: which ones are under way, and which ones are done.
package numbered

// Window finds messages by their number, which runs from 0 on for each pair of hosts,
// and remembers which ones are done: all below the oldest that is not, and some above.
// The zero value has no messages.
type Window struct {
	base  uint32
	span  uint32 // numbers from base on that slots have
	slots []int32
}

// What Find returns in place of an index.
const (
	Unknown int32 = -1
	Done    int32 = -2
)

// Farthest is how far a number that comes from elsewhere may be ahead of the oldest
// message that is not done, so that a broken one takes no memory.
const Farthest = 1 << 22

// MostOpen is how many messages of a host that is not trusted should be under way at once, so that one that only
// announces messages takes little memory and time.
const MostOpen = 1 << 14

// Find returns the index of a message, Unknown or Done.
func (w *Window) Find(number uint32) int32 {
	ahead := number - w.base
	switch {
	case int32(ahead) < 0:
		return Done
	case ahead >= w.span:
		return Unknown
	}
	return w.slots[number&uint32(len(w.slots)-1)]
}

// Near tells whether a number is no farther ahead than Farthest.
func (w *Window) Near(number uint32) bool { return number-w.base < Farthest }

// Set notes the index of a message that was unknown.
func (w *Window) Set(number uint32, index int32) {
	ahead := number - w.base
	for int(ahead) >= len(w.slots) {
		w.grow()
	}
	for w.span <= ahead {
		w.slots[(w.base+w.span)&uint32(len(w.slots)-1)] = Unknown
		w.span++
	}
	w.slots[number&uint32(len(w.slots)-1)] = index
}

// Skip notes that a message that was unknown is done.
func (w *Window) Skip(number uint32) {
	w.Set(number, Unknown)
	w.End(number)
}

// End notes that a message is done.
func (w *Window) End(number uint32) {
	mask := uint32(len(w.slots) - 1)
	w.slots[number&mask] = Done
	for w.span > 0 && w.slots[w.base&mask] == Done {
		w.base++
		w.span--
	}
}

func (w *Window) grow() {
	slots := make([]int32, max(4, 2*len(w.slots)))
	for i := range w.span {
		n := w.base + i
		slots[n&uint32(len(slots)-1)] = w.slots[n&uint32(len(w.slots)-1)]
	}
	w.slots = slots
}

// Empty tells whether no message is under way.
func (w *Window) Empty() bool { return w.span == 0 }

// Take returns a free index into what is known of messages: one that was freed, which
// leaves the list of those and holds what it held, or else that of a new zero value.
func Take[T any](messages *[]T, free *[]int32) int32 {
	if n := len(*free); n > 0 {
		i := (*free)[n-1]
		*free = (*free)[:n-1]
		return i
	}
	*messages = append(*messages, *new(T))
	return int32(len(*messages) - 1)
}

// Bits is a set of small numbers that keeps its memory. It takes none for numbers from 64 on before it has one of them, so
// that a size that somebody else says costs nothing.
type Bits struct {
	word  uint64
	words []uint64 // of numbers from 64 on, none before there is one
	most  int      // how many words there are then
}

// Reset empties the set, for numbers below size.
func (b *Bits) Reset(size int) {
	b.word, b.words = 0, b.words[:0]
	b.most = max(0, size-1) / 64
}

// Has tells whether i is in the set.
func (b *Bits) Has(i int) bool {
	if i < 64 {
		return b.word&(1<<i) != 0
	}
	k := uint(i)/64 - 1
	return k < uint(len(b.words)) && b.words[k]&(1<<(i%64)) != 0
}

// Add puts i into the set.
func (b *Bits) Add(i int) {
	if i < 64 {
		b.word |= 1 << i
		return
	}
	if len(b.words) == 0 {
		b.begin()
	}
	b.words[i/64-1] |= 1 << (i % 64)
}

// begin makes room for numbers from 64 on.
func (b *Bits) begin() {
	if b.most > cap(b.words) {
		b.words = make([]uint64, b.most)
		return
	}
	b.words = b.words[:b.most]
	clear(b.words)
}
