package loggops

import "weft/unit"

// event is an operation that tries to begin, or a message that tries to be received.
type event struct {
	at  unit.Time
	seq uint64 // order of creation, which decides between events of one time
	// rank and op are the operation, or the send of the message.
	rank    int32
	op      uint32
	message bool
	// waits: the event is the first of a line, and stands for all of it.
	waits bool
}

func (e *event) before(o *event) bool { return e.at < o.at || e.at == o.at && e.seq < o.seq }

// queue is a 4-ary heap of events.
type queue []event

func (q *queue) push(e event) {
	a := append(*q, e)
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(&a[up]) {
			break
		}
		a[i] = a[up]
		i = up
	}
	a[i] = e
	*q = a
}

func (q *queue) pop() event {
	a := *q
	top, n := a[0], len(a)-1
	e := a[n]
	a = a[:n]
	*q = a
	if n == 0 {
		return top
	}
	i := 0
	for {
		first := 4*i + 1
		if first >= n {
			break
		}
		best := first
		for c := first + 1; c < min(first+4, n); c++ {
			if a[c].before(&a[best]) {
				best = c
			}
		}
		if !a[best].before(&e) {
			break
		}
		a[i] = a[best]
		i = best
	}
	a[i] = e
	return top
}

// line is events that wait for the same processor and NIC, as a heap by number. The first one has an
// event in the queue, which stands for all: the others could not take what they wait for before it.
type line struct {
	queue
	at unit.Time // of that event
}

// place names a line by what it waits for.
type place struct {
	rank     int32
	cpu, nic uint16
	what     uint8
}

// Whatever waits in one line is free at one time.
const (
	forCPU     uint8 = iota // computations
	forSend                 // processor and NIC, outbound
	forReceipt              // processor and NIC, inbound
)
