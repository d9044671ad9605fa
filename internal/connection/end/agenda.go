package end

import "weft/unit"

// Deadline is a time at which something at a host needs attention.
type Deadline struct {
	At unit.Time
	// Slot is the index of the object concerned, among objects of its kind. Serial distinguishes
	// objects that use the slot one after another.
	Slot, Serial uint32
	// What is one of the values below, or a number of the carrier's own, from 0.
	What int32
}

// Kinds of deadline. The comment names the object whose index Slot is.
const (
	OverduePacket = -1 - iota // the message, whichever has the slot
	OverdueReport             // the inbound message
	DueGrant                  // the host
	OverdueCredit             // the borrower
	DueProbe                  // the prober
	DuePacket                 // the clocked connection
	DueControl                // the alarm
	DueBundle                 // the bundle
	DueInquiry                // the message
)

// Agenda is a binary min-heap of deadlines by time. The order of equal deadlines depends only on
// the sequence of operations.
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

// Pop removes and returns the earliest deadline.
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
