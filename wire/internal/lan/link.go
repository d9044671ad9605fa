package lan

import (
	"encoding/binary"
	"math/bits"
	"net/netip"

	"weft/sim"
	"weft/unit"
)

// queue is a link with its FIFO queue.
type queue struct {
	Link
	free    unit.Time  // when the wire becomes free
	bytes   unit.Bytes // queued
	most    unit.Bytes // largest value of bytes so far
	leaving []leaving  // in order, from head on
	head    int
	counts  Counts
}

// leaving is a queued datagram: when its last bit leaves, and its size.
type leaving struct {
	at   unit.Time
	size unit.Bytes
}

// take enqueues a datagram. It returns when the datagram arrives at the far end and whether it is
// marked, or false if the queue is full.
func (q *queue) take(now unit.Time, size unit.Bytes) (at unit.Time, marked, ok bool) {
	for q.head < len(q.leaving) && q.leaving[q.head].at <= now {
		q.bytes -= q.leaving[q.head].size
		q.head++
	}
	if q.Queue > 0 && q.bytes+size > q.Queue {
		return 0, false, false
	}
	marked = q.Mark > 0 && q.bytes > q.Mark
	q.free = max(q.free, now).Plus(q.Rate.Transmit(size))
	q.bytes += size
	q.most = max(q.most, q.bytes)
	if q.head > len(q.leaving)/2 || q.head == len(q.leaving) {
		q.leaving = q.leaving[:copy(q.leaving, q.leaving[q.head:])]
		q.head = 0
	}
	q.leaving = append(q.leaving, leaving{q.free, size})
	return q.free.Plus(q.Delay), marked, true
}

// scatter mixes an address and a port into a hash that is the same in all runs.
func scatter(h uint64, addr netip.AddrPort) uint64 {
	b := addr.Addr().As16()
	h = sim.Mix(h ^ binary.BigEndian.Uint64(b[:8]))
	h = sim.Mix(h ^ binary.BigEndian.Uint64(b[8:]))
	return sim.Mix(h ^ uint64(addr.Port()))
}

// below maps a hash to a number below n, uniformly.
func below(h uint64, n int) int {
	hi, _ := bits.Mul64(h, uint64(n))
	return int(hi)
}
