// Package fifo has queues that keep their memory.
package fifo

// Queue is first in, first out, on a ring that is kept for reuse. The zero value is
// empty.
type Queue[T any] struct {
	buf        []T
	head, tail uint32
}

// Empty tells whether nothing is in the queue.
func (q *Queue[T]) Empty() bool { return q.head == q.tail }

// First returns what came first, and leaves it there. The queue must not be empty.
func (q *Queue[T]) First() T { return q.buf[q.head&uint32(len(q.buf)-1)] }

// Pop takes off what came first. The queue must not be empty.
func (q *Queue[T]) Pop() { q.head++ }

// Len is how many values are in the queue.
func (q *Queue[T]) Len() int { return int(q.tail - q.head) }

// Cap is for how many values there is memory.
func (q *Queue[T]) Cap() int { return len(q.buf) }

// Start gives a queue that has no memory yet some for size values, a power of two.
func (q *Queue[T]) Start(size int) { q.buf = make([]T, size) }

// At returns the i-th value from the first on, valid until the next call of Push. For
// the number of values it is the memory that the next one goes to, if there is room.
func (q *Queue[T]) At(i int) *T { return &q.buf[(q.head+uint32(i))&uint32(len(q.buf)-1)] }

// Reset empties the queue.
func (q *Queue[T]) Reset() { q.head, q.tail = 0, 0 }

// Filter takes out the values that keep says no of, and leaves the others in their order.
func (q *Queue[T]) Filter(keep func(*T) bool) {
	to := q.head
	for from := q.head; from != q.tail; from++ {
		if v := &q.buf[from&uint32(len(q.buf)-1)]; keep(v) {
			q.buf[to&uint32(len(q.buf)-1)] = *v
			to++
		}
	}
	q.tail = to
}

// Push appends a value.
func (q *Queue[T]) Push(v T) {
	if int(q.tail-q.head) == len(q.buf) {
		buf := make([]T, max(8, 2*len(q.buf)))
		for i := q.head; i != q.tail; i++ {
			buf[i&uint32(len(buf)-1)] = q.buf[i&uint32(len(q.buf)-1)]
		}
		q.buf = buf
	}
	q.buf[q.tail&uint32(len(q.buf)-1)] = v
	q.tail++
}
