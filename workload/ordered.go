package workload

import (
	"weft/problem"
	"weft/unit"
)

// Ordered is a pattern that determines itself when its messages start, because they depend on
// each other or a file lists them. Its Destinations are a Schedule, and it takes no arrival.
type Ordered interface {
	Pattern
	// Lists reports whether the pattern determines message sizes too, so that the group takes
	// none.
	Lists() bool
}

// Repeated is an ordered pattern that sends at times of its own, and takes sizes and a stop time
// like other traffic. If Endless returns true, it sends to the end of the run.
type Repeated interface {
	Ordered
	Endless() bool
}

// Schedule is destinations whose messages have an order of their own.
type Schedule interface {
	Destinations
	// Sources returns the sources of all hosts, nil for hosts without any.
	Sources(t Traffic, s Setting) ([]Source, error)
	// Total returns the number of messages and their bytes.
	Total(t Traffic) (messages int64, size unit.Bytes, err error)
}

// oneSize returns the bytes per rank of a collective.
func oneSize(t Traffic) (unit.Bytes, error) {
	size, ok := t.Sizes.(Fixed)
	if !ok {
		return 0, problem.New("size: a collective has the same bytes at every rank").Mend("give one size, as in 32MiB")
	}
	return unit.Bytes(size), nil
}

// part divides bytes into parts that are as equal as possible: the first ones have a byte more if
// the division leaves a remainder.
type part struct{ bytes, parts int64 }

// before returns the bytes of the first i parts.
func (p part) before(i int64) int64 { return p.bytes/p.parts*i + min(i, p.bytes%p.parts) }

// of returns the bytes of parts i to j, j excluded.
func (p part) of(i, j int64) unit.Bytes { return unit.Bytes(p.before(j) - p.before(i)) }

// seen tracks which messages of a sequence have arrived. They arrive almost in order. The pattern
// limits how far one can be ahead, and so the memory.
type seen struct {
	prefix int64    // all messages before it have arrived
	ahead  []uint64 // a ring of bits for messages from prefix on
}

// note notes the arrival of message i. Repeating it has no effect.
func (w *seen) note(i int64) {
	if i < w.prefix {
		return
	}
	for i-w.prefix >= int64(64*len(w.ahead)) {
		w.grow()
	}
	*w.word(i) |= 1 << (i & 63)
	for *w.word(w.prefix)>>(w.prefix&63)&1 != 0 {
		*w.word(w.prefix) &^= 1 << (w.prefix & 63)
		w.prefix++
	}
}

func (w *seen) word(i int64) *uint64 { return &w.ahead[i>>6&int64(len(w.ahead)-1)] }

// grow doubles the ring. The word of prefix may hold bits from both ends.
func (w *seen) grow() {
	old := *w
	w.ahead = make([]uint64, max(1, 2*len(old.ahead)))
	for i := old.prefix; i < old.prefix+int64(64*len(old.ahead)); i++ {
		if *old.word(i)>>(i&63)&1 != 0 {
			*w.word(i) |= 1 << (i & 63)
		}
	}
}

// lists reports whether a pattern determines message sizes.
func lists(p Pattern) bool {
	o, ok := p.(Ordered)
	return ok && o.Lists()
}
