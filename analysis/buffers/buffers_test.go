package buffers

import (
	"testing"

	"weft/unit"
)

// TestPublishedRatios holds the table against the ratios that the text of SIRD §2.2
// names: 3.13, 5 and 6.6 MB a Tb/s for Spectrum switches of 51.2, 12.8 and 6.4 Tb/s.
func TestPublishedRatios(t *testing.T) {
	want := map[string][2]float64{"Spectrum SN5600": {3.12, 3.13}, "Spectrum SN4700": {5, 5}, "Spectrum SN3700": {6.55, 6.65}}
	found := 0
	for _, s := range Published() {
		if s.Rate <= 0 || s.Buffer <= 0 || s.Name == "" {
			t.Errorf("%+v is not whole", s)
		}
		bounds, ok := want[s.Name]
		if !ok {
			continue
		}
		found++
		if mb := s.For(1000*unit.Gbps) / 1e6; mb < bounds[0] || mb > bounds[1] {
			t.Errorf("%s has %v MB a Tb/s, want %v", s.Name, mb, bounds)
		}
	}
	if found != len(want) {
		t.Errorf("%d of %d switches found", found, len(want))
	}
}
