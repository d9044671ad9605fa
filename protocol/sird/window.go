package sird

// window finds messages by their number, which runs from 0 on for each pair of hosts,
// and remembers which ones are done: all below base, and some above.
type window struct {
	base  uint32
	span  uint32 // numbers from base on that slots have
	slots []int32
}

const (
	unknown int32 = -1
	done    int32 = -2
)

// farthest is how far the number of a message that arrives may be ahead of the oldest one
// that is not done.
const farthest = 1 << 22

// find returns the index of a message, unknown or done.
func (w *window) find(number uint32) int32 {
	ahead := number - w.base
	switch {
	case int32(ahead) < 0:
		return done
	case ahead >= w.span:
		return unknown
	}
	return w.slots[number&uint32(len(w.slots)-1)]
}

// set notes the index of a message that was unknown.
func (w *window) set(number uint32, index int32) {
	ahead := number - w.base
	for int(ahead) >= len(w.slots) {
		w.grow()
	}
	for w.span <= ahead {
		w.slots[(w.base+w.span)&uint32(len(w.slots)-1)] = unknown
		w.span++
	}
	w.slots[number&uint32(len(w.slots)-1)] = index
}

// end notes that a message is done.
func (w *window) end(number uint32) {
	mask := uint32(len(w.slots) - 1)
	w.slots[number&mask] = done
	for w.span > 0 && w.slots[w.base&mask] == done {
		w.base++
		w.span--
	}
}

func (w *window) grow() {
	slots := make([]int32, max(4, 2*len(w.slots)))
	for i := range w.span {
		n := w.base + i
		slots[n&uint32(len(slots)-1)] = w.slots[n&uint32(len(w.slots)-1)]
	}
	w.slots = slots
}

// bits is a set of small numbers that keeps its memory.
type bits struct {
	word  uint64
	words []uint64 // of numbers from 64 on
}

func (b *bits) reset(size int) {
	b.word = 0
	n := (size - 1) / 64
	if n > cap(b.words) {
		b.words = make([]uint64, n)
		return
	}
	b.words = b.words[:n]
	clear(b.words)
}

func (b *bits) at(i int) (*uint64, uint64) {
	if i < 64 {
		return &b.word, 1 << i
	}
	return &b.words[i/64-1], 1 << (i % 64)
}

func (b *bits) has(i int) bool {
	w, bit := b.at(i)
	return *w&bit != 0
}

func (b *bits) add(i int) {
	w, bit := b.at(i)
	*w |= bit
}
