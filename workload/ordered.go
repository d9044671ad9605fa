package workload

import (
	"weft/problem"
	"weft/unit"
)

// Ordered is a pattern that says itself when its messages start, because they
// depend on each other or a file lists them. Its Destinations are a Schedule, and
// it takes no arrival.
type Ordered interface {
	Pattern
	// Lists tells that the messages have sizes of their own too, so that the group
	// takes none.
	Lists() bool
}

// Repeated is an ordered pattern that sends at times of its own, to the end of the run
// if it is endless, and takes sizes and a stop like other traffic.
type Repeated interface {
	Ordered
	Endless() bool
}

// Schedule is destinations whose messages are in an order of their own.
type Schedule interface {
	Destinations
	// Sources returns the sources of all hosts, nil for those with no part.
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

// part is how n bytes are cut into parts as equal as can be: the first ones have a
// byte more if they don't divide evenly.
type part struct{ bytes, parts int64 }

// before returns the bytes of the first i parts.
func (p part) before(i int64) int64 { return p.bytes/p.parts*i + min(i, p.bytes%p.parts) }

// of returns the bytes of parts i to j, j excluded.
func (p part) of(i, j int64) unit.Bytes { return unit.Bytes(p.before(j) - p.before(i)) }

// seen tells which of a sequence of messages have come, by their place in it. They
// come almost in order; how far one can be ahead is bounded by the pattern, and the
// memory with it.
type seen struct {
	prefix int64    // all before have come
	ahead  []uint64 // a ring of bits for those from prefix on
}

// note notes the message at a place. One that came before changes nothing.
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

// grow doubles the ring. The word of prefix may hold bits of both its ends.
func (w *seen) grow() {
	old := *w
	w.ahead = make([]uint64, max(1, 2*len(old.ahead)))
	for i := old.prefix; i < old.prefix+int64(64*len(old.ahead)); i++ {
		if *old.word(i)>>(i&63)&1 != 0 {
			*w.word(i) |= 1 << (i & 63)
		}
	}
}

// lists tells whether the messages of a pattern have sizes of their own.
func lists(p Pattern) bool {
	o, ok := p.(Ordered)
	return ok && o.Lists()
}
