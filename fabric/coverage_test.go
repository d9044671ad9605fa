package fabric_test

import (
	"slices"
	"testing"
)

// coverage counts how many random cases had a property, so that a generator that
// stopped reaching what it is for is noticed.
type coverage struct {
	cases int
	names []string
	count map[string]int
}

// note counts a property of a case. The first property is that of every case.
func (c *coverage) note(name string, has bool) {
	if c.count == nil {
		c.count = map[string]int{}
	}
	if !slices.Contains(c.names, name) {
		c.names = append(c.names, name)
	}
	if has {
		c.count[name]++
	}
	c.cases = c.count[c.names[0]]
}

// report logs the shares and fails if one is below a number of percent. Few
// cases prove nothing.
func (c *coverage) report(t *testing.T, percent int) {
	t.Helper()
	for _, name := range c.names {
		share := 100 * c.count[name] / max(1, c.cases)
		t.Logf("%4d %s (%d %%)", c.count[name], name, share)
		if share < percent && c.cases >= 50 && !t.Failed() {
			t.Errorf("only %d %% of the cases have %s; at least %d %% were meant to", share, name, percent)
		}
	}
}
