package workload

import "weft/unit"

// ordered is the source of a rank whose collectives, or turns of them, can be held back by a
// barrier.
type ordered interface {
	Receiver
	// finished returns the number of collectives or turns that the rank has completed.
	finished() int64
	// allow permits one more to begin, no earlier than now.
	allow(now unit.Time)
}

// Values of a barrier's signals.
const (
	arrived uint32 = iota // to the first rank
	passed                // to every rank
)

// barred is a rank that waits for all others before each collective, or turn of one, except the
// first.
type barred struct {
	ordered
	ranks *ranks
	place int32

	told    int64 // completions reported to the first rank
	send    int32 // arrival signals to send
	waiting int32 // at the first rank: ranks that have arrived
	release int32 // at the first rank: ranks still to be released
}

// tell checks whether the rank has completed more, and queues arrival signals.
func (b *barred) tell() {
	if f := b.finished(); f > b.told {
		b.send += int32(f - b.told)
		b.told = f
	}
}

// Completed implements Source.
func (b *barred) Completed(now unit.Time, ordinal uint64) {
	b.ordered.Completed(now, ordinal)
	b.tell()
}

// Received implements Receiver.
func (b *barred) Received(now unit.Time, src int32, ordinal uint64) {
	b.ordered.Received(now, src, ordinal)
	b.tell()
}

// Emit implements Signaller.
func (b *barred) Emit() (to int32, value uint32, ok bool) {
	first := b.place - b.ranks.rank(b.place)
	switch {
	case b.send > 0:
		b.send--
		return b.ranks.host[first], arrived, true
	case b.release > 0:
		b.release--
		return b.ranks.host[first+b.release], passed, true
	}
	return 0, 0, false
}

// Signalled implements Signaller.
func (b *barred) Signalled(now unit.Time, _ int32, value uint32) {
	if value == passed {
		b.allow(now)
		return
	}
	b.waiting++
	if b.waiting == b.ranks.size {
		b.waiting, b.release = 0, b.ranks.size
	}
}
