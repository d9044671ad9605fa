package fleet

import (
	"sync"

	"weft/wire"
)

// told holds the endpoints' counts at certain times.
type told struct {
	// begun has the counts at the begin of the run, from and to those at the ends of
	// the measured window. Nil means that the window begins or ends with the run.
	begun, from, to []wire.Stats
	reading         sync.WaitGroup
}

// Told sums up the endpoints' counts, within the measured window except for Copies and Unsent.
type Told struct {
	Packets, PacketsMarked, Resent, Timeouts uint64
	RTTs                                     *wire.RoundTrips
	// Copies counts spurious retransmissions over the whole run. Unsent counts
	// datagrams for which the kernel of their host had no room.
	Copies, Unsent uint64
}

// Window records the endpoints' counts at the begin or the end of the measured
// window. It returns at once, because the thread that follows the clock must not
// wait for a lock; a goroutine reads the counts slightly later.
func (f *Fleet) Window(begins bool) {
	to := &f.told.to
	if begins {
		to = &f.told.from
	}
	f.told.reading.Go(func() { *to = f.Stats() })
}

// Told returns the endpoints' counts after the end of the run.
func (f *Fleet) Told() (t Told) {
	f.told.reading.Wait()
	now := f.Stats()
	from, to := f.told.from, f.told.to
	if from == nil {
		from = f.told.begun
	}
	if to == nil {
		to = now
	}
	for h := range now {
		a, b := &from[h], &to[h]
		t.Packets += b.Packets - a.Packets
		t.PacketsMarked += b.PacketsMarked - a.PacketsMarked
		t.Resent += b.Resent - a.Resent
		t.Timeouts += b.Timeouts - a.Timeouts
		t.Copies += now[h].Copies - f.told.begun[h].Copies
		t.Unsent += now[h].Busy - f.told.begun[h].Busy
		if own := b.RTTs.Since(a.RTTs); t.RTTs == nil {
			t.RTTs = own
		} else {
			t.RTTs.Add(own)
		}
	}
	return t
}
