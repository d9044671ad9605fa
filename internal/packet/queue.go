package packet

// Queue is a FIFO of packets of a store.
type Queue struct {
	buf        []ID
	head, tail uint32
}

// QueueStart is the room that a queue begins with, a power of two.
const QueueStart = 4

// NewQueue returns a queue with room in memory of the caller's, of a length that is a power of two.
func NewQueue(buf []ID) Queue { return Queue{buf: buf} }

// Empty tells whether the queue holds nothing.
func (q *Queue) Empty() bool { return q.head == q.tail }

// Len returns how many packets there are.
func (q *Queue) Len() int { return int(q.tail - q.head) }

// Push adds a packet at the end.
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

// Pop takes the first packet.
func (q *Queue) Pop() ID {
	id := q.buf[q.head&uint32(len(q.buf)-1)]
	q.head++
	return id
}

// Pushed counts the packets that were ever added, modulo 2³².
func (q *Queue) Pushed() uint32 { return q.tail }

// Since yields the packets that were added after the count, in order, which must all be in the queue still.
func (q *Queue) Since(count uint32) func(yield func(ID) bool) {
	return func(yield func(ID) bool) {
		for i := count; i != q.tail; i++ {
			if !yield(q.buf[i&uint32(len(q.buf)-1)]) {
				return
			}
		}
	}
}

// Warm reads where the next packet will go.
func (q *Queue) Warm() uint64 {
	if len(q.buf) == 0 {
		return 0
	}
	return uint64(q.buf[q.tail&uint32(len(q.buf)-1)])
}
