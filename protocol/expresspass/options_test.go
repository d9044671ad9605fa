package expresspass

import (
	"strings"
	"testing"

	"weft/unit"
)

// TestGap checks the highest rate of credits: 84 B in each 84+1538 B of the link, which with
// the mean of 76 to 92 B is one in 129.76 ns.
func TestGap(t *testing.T) {
	c := newConfig(testOptions(SIRD), testEnv(2))
	if c.gap != 129760*unit.Picosecond {
		t.Errorf("the gap is %v", c.gap)
	}
}

// TestLeastShares refuses shares so small that a second credit never goes, with what is valid.
func TestLeastShares(t *testing.T) {
	for name, share := range map[string]func(*Options) *unit.Ratio{
		"alpha":  func(o *Options) *unit.Ratio { return &o.Alpha },
		"w_init": func(o *Options) *unit.Ratio { return &o.WInit },
		"w_min":  func(o *Options) *unit.Ratio { return &o.WMin },
		"w_max":  func(o *Options) *unit.Ratio { return &o.WMax },
	} {
		for _, value := range []unit.Ratio{0, 1e-22, 0.99e-5, 1.01, -1} {
			o := testOptions(Paper)
			*share(&o) = value
			if _, err := o.Build(); err == nil || !strings.Contains(err.Error(), name+" is ") || !strings.Contains(err.Error(), "it must be 0.001% to 100%") {
				t.Errorf("%s of %v: error %v", name, value, err)
			}
		}
	}
	o := testOptions(Paper)
	o.Alpha, o.WInit, o.WMin = 1e-5, 1e-5, 1e-5
	if _, err := o.Build(); err != nil {
		t.Errorf("the least shares are refused: %v", err)
	}
}
