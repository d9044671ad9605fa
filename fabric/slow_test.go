package fabric

import (
	"testing"

	"weft/sim"
	"weft/unit"
)

// What a host that hardly takes anything holds is not down to On within the clock: 2 MB at 1 bit/s are 16 million
// seconds, and the clock has 9.2 million.
func TestSlowHostResumes(t *testing.T) {
	for _, c := range []struct {
		rate  unit.Rate
		holds unit.Bytes
		want  sim.Time
	}{
		{unit.Gbps, 1000, 8 * unit.Microsecond},
		{1, 1000, 8000 * unit.Second},
		{1, 2 * unit.MB, sim.Forever},
		{1, unit.GB, sim.Forever},
		{1000, unit.GB, 8_000_000 * unit.Second},
	} {
		s := slowHost{SlowHost: SlowHost{Rate: c.rate}, level: uint64(c.holds) << 32}
		if got := s.resumes(); got != c.want {
			t.Errorf("%v at %v: resumes at %v, want %v", c.holds, c.rate, got, c.want)
		}
	}
}
