package expresspass

import (
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
