package main

// queue is a FIFO that allocates only when it holds more than ever before.
type queue[T any] struct {
	ring    []T // of a length that is a power of two
	head, n int
}

func (q *queue[T]) len() int { return q.n }

func (q *queue[T]) push(v T) {
	if q.n == len(q.ring) {
		ring := make([]T, max(8, 2*q.n))
		for i := range q.n {
			ring[i] = q.ring[(q.head+i)&(q.n-1)]
		}
		q.ring, q.head = ring, 0
	}
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = v
	q.n++
}

func (q *queue[T]) pop() T {
	v := q.ring[q.head]
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.n--
	return v
}

// bitmap is a set of packets of a message.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, (n+63)/64) }

func (b bitmap) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

// set adds a packet and tells whether it was not in the set.
func (b bitmap) set(i int) bool {
	fresh := !b.has(i)
	b[i/64] |= 1 << (i % 64)
	return fresh
}
