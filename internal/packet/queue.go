package packet

// Queue is a FIFO of packets in a store.
type Queue struct {
	buf        []ID
	head, tail uint32
}

// QueueStart is the initial capacity of a queue, a power of two.
const QueueStart = 4

// NewQueue returns a queue that begins in the caller's memory, whose length must be a power of
// two.
func NewQueue(buf []ID) Queue { return Queue{buf: buf} }

// Empty reports whether the queue is empty.
func (q *Queue) Empty() bool { return q.head == q.tail }

// Len returns the number of packets.
func (q *Queue) Len() int { return int(q.tail - q.head) }

// Push appends a packet.
func (q *Queue) Push(id ID) {
	if int(q.tail-q.head) == len(q.buf) {
		buf := make([]ID, max(QueueStart, 2*len(q.buf)))
		for i := q.head; i != q.tail; i++ {
			buf[i&uint32(len(buf)-1)] = q.buf[i&uint32(len(q.buf)-1)]
		}
		q.buf = buf
	}
	q.buf[q.tail&uint32(len(q.buf)-1)] = id
	q.tail++
}

// Pop removes and returns the first packet.
func (q *Queue) Pop() ID {
	id := q.buf[q.head&uint32(len(q.buf)-1)]
	q.head++
	return id
}

// Pushed returns the number of packets ever added, modulo 2³².
func (q *Queue) Pushed() uint32 { return q.tail }

// Since yields the packets added after Pushed returned count, in order. They must all still be in
// the queue.
func (q *Queue) Since(count uint32) func(yield func(ID) bool) {
	return func(yield func(ID) bool) {
		for i := count; i != q.tail; i++ {
			if !yield(q.buf[i&uint32(len(q.buf)-1)]) {
				return
			}
		}
	}
}

// Warm reads the slot of the next packet, to load it into the cache.
func (q *Queue) Warm() uint64 {
	if len(q.buf) == 0 {
		return 0
	}
	return uint64(q.buf[q.tail&uint32(len(q.buf)-1)])
}
