package replay

import (
	"slices"

	"weft/trace"
)

// A receive is in one of four classes by its wildcards: source and tag, any tag, any source, both.
const classes = 4

func wildcards(source int32, tag int64) int {
	class := 0
	if tag == trace.AnyTag {
		class |= 1
	}
	if source == trace.AnySource {
		class |= 2
	}
	return class
}

// key is what a receive asks for. Wildcards are values of their own.
type key struct {
	source int32
	tag    int64
}

// key returns what a receive of a class asks for that takes a message.
func (m *Message) key(class int) key {
	k := key{m.Source, m.Tag}
	if class&1 != 0 {
		k.tag = trace.AnyTag
	}
	if class&2 != 0 {
		k.source = trace.AnySource
	}
	return k
}

// matching is the posted receives and the unexpected messages of a rank, in queues by key. A message
// waits in a queue of each class that receives of the rank are in, so that any receive finds it first.
type matching struct {
	uses   uint8 // classes of the rank's receives, as bits
	posted map[key]queue
	came   map[key]queue
	serial uint64

	entries list[entry]
	waiting list[waiting]
}

// queue is a chain of entries.
type queue struct{ first, last uint32 }

// entry is a place in a queue: a posted receive, or one of the places of a message.
type entry struct {
	next   uint32
	what   uint32 // operation, or index of a message
	serial uint64
}

// waiting is an unexpected message.
type waiting struct {
	Message
	places uint8 // entries that are left of it
	taken  bool
}

func (m *matching) push(queues *map[key]queue, k key, what uint32) {
	if *queues == nil {
		*queues = map[key]queue{}
	}
	e := m.entries.add(entry{none, what, m.serial})
	q, ok := (*queues)[k]
	if ok {
		m.entries.items[q.last].next = e
	} else {
		q.first = e
	}
	q.last = e
	(*queues)[k] = q
}

// pop removes the first entry of a queue.
func (m *matching) pop(queues map[key]queue, k key, q queue) entry {
	e := m.entries.items[q.first]
	m.entries.remove(q.first)
	if e.next == none {
		delete(queues, k)
	} else {
		q.first = e.next
		queues[k] = q
	}
	return e
}

// post looks for the first message that a receive takes, or else lets the receive wait.
func (m *matching) post(op uint32, source int32, tag int64) (Message, bool) {
	k := key{source, tag}
	for {
		q, ok := m.came[k]
		if !ok {
			break
		}
		e := m.pop(m.came, k, q)
		w := &m.waiting.items[e.what]
		taken, message := w.taken, w.Message
		w.taken = true
		if w.places--; w.places == 0 {
			m.waiting.remove(e.what)
		}
		if !taken {
			return message, true
		}
	}
	m.serial++
	m.push(&m.posted, k, op)
	return Message{}, false
}

// arrive looks for the first posted receive that takes a message, or else lets the message wait.
func (m *matching) arrive(msg Message) (op uint32, ok bool) {
	var best key
	var queued queue
	serial := m.serial + 1
	for class := range classes {
		if m.uses>>class&1 == 0 {
			continue
		}
		k := msg.key(class)
		if q, found := m.posted[k]; found && m.entries.items[q.first].serial < serial {
			best, queued, serial, ok = k, q, m.entries.items[q.first].serial, true
		}
	}
	if ok {
		return m.pop(m.posted, best, queued).what, true
	}
	m.serial++
	w := m.waiting.add(waiting{Message: msg})
	for class := range classes {
		if m.uses>>class&1 != 0 {
			m.waiting.items[w].places++
			m.push(&m.came, msg.key(class), w)
		}
	}
	return 0, false
}

// list keeps items by index, and reuses the indices of removed ones.
type list[T any] struct {
	items []T
	free  []uint32
}

const none = ^uint32(0)

func (l *list[T]) add(item T) uint32 {
	if n := len(l.free); n > 0 {
		i := l.free[n-1]
		l.free = l.free[:n-1]
		l.items[i] = item
		return i
	}
	l.items = append(l.items, item)
	return uint32(len(l.items) - 1)
}

func (l *list[T]) remove(i uint32) { l.free = append(l.free, i) }

// Waiting returns what waits to be matched: posted receives in the order in which they were posted, and
// messages in the order in which they arrived.
func (r *Rank) Waiting() (receives []uint32, messages []Message) {
	m := &r.match
	for _, e := range m.all(m.posted) {
		receives = append(receives, e.what)
	}
	seen := map[uint32]bool{}
	for _, e := range m.all(m.came) {
		if w := &m.waiting.items[e.what]; !w.taken && !seen[e.what] {
			seen[e.what] = true
			messages = append(messages, w.Message)
		}
	}
	return receives, messages
}

// all returns the entries of queues by their serials.
func (m *matching) all(queues map[key]queue) (out []entry) {
	for _, q := range queues {
		for i := q.first; i != none; i = m.entries.items[i].next {
			out = append(out, m.entries.items[i])
		}
	}
	slices.SortFunc(out, func(a, b entry) int { return int(int64(a.serial - b.serial)) })
	return out
}
