package fabric_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/sim"
	"weft/unit"
)

// The paused time of a host's port adds up to that of its only lossless class, no bucket has more than its length,
// and recording it changes nothing. What is paused at the end of the run counts up to there.
func TestSeriesOfPauses(t *testing.T) {
	for _, end := range []sim.Time{unit.Millisecond, 60 * unit.Microsecond} {
		run := func(interval sim.Time) ([]delivery, fabric.Pauses, *fabric.Series) {
			n, _ := overload(t, 2000, fabric.PauseLimits{Off: 50_000, Gap: 20_000, Headroom: unit.MiB})
			link := n.port(t, "host0", "tor0")
			var s *fabric.Series
			if interval > 0 {
				s = n.Record(link, interval)
			}
			n.run(t, end)
			n.Finish(end)
			return n.logs[2], n.Pauses(link, end), s
		}
		log, want, _ := run(0)
		for _, interval := range []sim.Time{unit.Microsecond, 1_234_567, 7 * unit.Millisecond} {
			recorded, got, s := run(interval)
			if diff := cmp.Diff(want, got) + cmp.Diff(log, recorded); diff != "" {
				t.Errorf("a record changes it: %s", diff)
			}
			sum, most := sim.Time(0), sim.Time(0)
			for _, b := range s.Paused {
				sum += sim.Time(b.Value)
				most = max(most, sim.Time(b.Value))
			}
			if sum != got.Time[0] || sum == 0 || most > interval {
				t.Errorf("until %v: %v paused in buckets of %v, want %v in all: %v", end, sum, interval, got.Time[0], s.Paused)
			}
		}
		if end < unit.Millisecond && want.Paused == 0 && want.Heard[0] == 0 {
			t.Error("nothing was paused")
		}
	}
}

// After a reset the most that is held of a link is at least what is held then, and no more than before.
func TestResetHeldMax(t *testing.T) {
	n, _ := overload(t, 2000, fabric.PauseLimits{Off: 50_000, Gap: 49_000, Headroom: unit.MiB})
	link := n.port(t, "host0", "tor0")
	n.run(t, 100*unit.Microsecond)
	before := n.Pauses(link, 100*unit.Microsecond)
	n.ResetHeldMax(100 * unit.Microsecond)
	reset := n.Pauses(link, 100*unit.Microsecond)
	n.drain(t)
	n.ResetHeldMax(unit.Second)
	after := n.Pauses(link, unit.Second)
	if before.Most[0] < 50_000 || reset.Most[0] > before.Most[0] || after.Most[0] != 0 {
		t.Errorf("most held %v, %v after the reset, %v at the end", before.Most[0], reset.Most[0], after.Most[0])
	}
	if since := after.Since(before); since.Heard[0] != after.Heard[0]-before.Heard[0] || since.Time[0] >= after.Time[0] || since.Resumes[0] == 0 {
		t.Errorf("since the first look: %+v of %+v", since, after)
	}
}
