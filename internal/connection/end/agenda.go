package end

import "weft/unit"

// Deadline is a time at which something at a host wants attention.
type Deadline struct {
	At unit.Time
	// Slot is which one of its kind, and Serial tells apart those that use the slot one after another.
	Slot, Serial uint32
	// What is one of the values below, or a number of the carrier's, from 0.
	What int32
}

// What deadlines are of.
const (
	OverduePacket = -1 - iota // of the message in the slot, whichever it is
	OverdueReport             // of the inbound message in the slot
	DueGrant                  // of the host
	OverdueCredit             // of the borrower in the slot
	DueProbe                  // of the prober in the slot
	DuePacket                 // of the clocked connection in the slot
	DueControl                // of the alarm in the slot
	DueBundle                 // of the bundle in the slot
	DueInquiry                // of the message in the slot
)

// Agenda is a binary min-heap of deadlines by time. Its order among equals depends on
// nothing but the sequence of its operations.
type Agenda []Deadline

// Push adds a deadline.
func (q *Agenda) Push(d Deadline) {
	a := append(*q, d)
	i := len(a) - 1
	for i > 0 && d.At < a[(i-1)/2].At {
		a[i] = a[(i-1)/2]
		i = (i - 1) / 2
	}
	a[i] = d
	*q = a
}

// Pop takes the earliest deadline.
func (q *Agenda) Pop() Deadline {
	a := *q
	top := a[0]
	n := len(a) - 1
	d := a[n]
	a = a[:n]
	*q = a
	for i := 0; n > 0; {
		c := 2*i + 1
		if c >= n || d.At <= a[c].At && (c+1 >= n || d.At <= a[c+1].At) {
			a[i] = d
			break
		}
		if c+1 < n && a[c+1].At < a[c].At {
			c++
		}
		a[i] = a[c]
		i = c
	}
	return top
}
