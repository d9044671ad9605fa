package traffic

import "weft/unit"

// event is what happens at a host at a time of its own.
type event struct {
	at     unit.Time
	order  uint64 // among events of one instant
	what   what
	number uint32 // of an operation at the host, or at source
	source int32  // host that sent what arrives
}

type what uint8

const (
	begins   what = iota // the replay, of all ranks
	computed             // a computation
	sent                 // a message over an inner link
	arrived              // a message over an inner link
)

// events is a binary min-heap by time and order.
type events []event

func (e event) before(o event) bool { return e.at < o.at || e.at == o.at && e.order < o.order }

func (q *events) push(e event) {
	a := append(*q, e)
	i := len(a) - 1
	for ; i > 0 && e.before(a[(i-1)/2]); i = (i - 1) / 2 {
		a[i] = a[(i-1)/2]
	}
	a[i] = e
	*q = a
}

func (q *events) pop() event {
	a := *q
	top, last := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*q = a
	for i := 0; len(a) > 0; {
		c := 2*i + 1
		if c+1 < len(a) && a[c+1].before(a[c]) {
			c++
		}
		if c >= len(a) || last.before(a[c]) {
			a[i] = last
			break
		}
		a[i], i = a[c], c
	}
	return top
}
