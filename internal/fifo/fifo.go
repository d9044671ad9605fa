// Package fifo provides queues that reuse their memory.
package fifo

// Queue is a first-in, first-out queue in a ring buffer. It grows but never shrinks. The zero
// value is empty and ready for use.
type Queue[T any] struct {
	buf        []T
	head, tail uint32
}

// Empty reports whether the queue holds no value.
func (q *Queue[T]) Empty() bool { return q.head == q.tail }

// First returns the oldest value without removing it. The queue must not be empty.
func (q *Queue[T]) First() T { return q.buf[q.head&uint32(len(q.buf)-1)] }

// Pop removes the oldest value. The queue must not be empty.
func (q *Queue[T]) Pop() { q.head++ }

// Len returns the number of values in the queue.
func (q *Queue[T]) Len() int { return int(q.tail - q.head) }

// Cap returns the number of values for which there is memory.
func (q *Queue[T]) Cap() int { return len(q.buf) }

// Start allocates memory for size values, a power of two. The queue must not have any memory yet.
func (q *Queue[T]) Start(size int) { q.buf = make([]T, size) }

// At returns a pointer to the i-th value, counted from the oldest. The pointer is valid until the
// next Push. With i = Len it points to the slot that the next Push fills, if there is one.
func (q *Queue[T]) At(i int) *T { return &q.buf[(q.head+uint32(i))&uint32(len(q.buf)-1)] }

// Reset empties the queue.
func (q *Queue[T]) Reset() { q.head, q.tail = 0, 0 }

// Filter removes the values for which keep returns false. The others stay in order.
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
