package fleet

import (
	"sync"

	"weft/wire"
)

// told is what endpoints counted by some times.
type told struct {
	// begun is by the begin of the run, and from and to by those of the measured window, which nil stands for where that is the run.
	begun, from, to []wire.Stats
	reading         sync.WaitGroup
}

// Told is what endpoints counted together: within the measured window, but for Copies.
type Told struct {
	Packets, PacketsMarked, Resent, Timeouts uint64
	RTTs                                     *wire.RoundTrips
	// Copies are those of the whole run, and Unsent the datagrams for which the kernel of their host had no room.
	Copies, Unsent uint64
}

// Window notes what endpoints have counted, at the begin of the measured window and at its end. It returns at once, since who follows
// the clock waits for no lock: a goroutine asks, a little later.
func (f *Fleet) Window(begins bool) {
	to := &f.told.to
	if begins {
		to = &f.told.from
	}
	f.told.reading.Go(func() { *to = f.Stats() })
}

// Told returns what endpoints counted, after the end of the run.
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
