package hosttest

import (
	"weft/protocol"
	"weft/unit"
)

type event struct {
	at   unit.Time
	seq  int
	what uint8 // wireFree and the others
	host int32
	p    protocol.Packet
}

// before tells whether an event is handled before another one.
func (e *event) before(other *event) bool {
	return e.at < other.at || e.at == other.at && e.seq < other.seq
}

// events is a heap.
type events []event

func (q *events) push(e event) {
	*q = append(*q, e)
	h := *q
	for k := len(h) - 1; k > 0 && h[k].before(&h[(k-1)/2]); k = (k - 1) / 2 {
		h[k], h[(k-1)/2] = h[(k-1)/2], h[k]
	}
}

func (q *events) pop() event {
	h := *q
	first, n := h[0], len(h)-1
	h[0] = h[n]
	h = h[:n]
	*q = h
	for k := 0; ; {
		child := 2*k + 1
		if child+1 < n && h[child+1].before(&h[child]) {
			child++
		}
		if child >= n || !h[child].before(&h[k]) {
			return first
		}
		h[k], h[child] = h[child], h[k]
		k = child
	}
}
