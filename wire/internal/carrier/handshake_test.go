package carrier

import (
	"errors"
	"testing"

	"weft/unit"
	"weft/wire/internal/lan"
)

// TestMismatch has peers dial each other that cannot understand each other: the dial ends with the reason, and neither keeps
// anything.
func TestMismatch(t *testing.T) {
	for name, other := range map[string]func(*Config){
		"transport": func(c *Config) { c.TransportHash = 2 },
		"datagram":  func(c *Config) { c.Datagram = 1400 },
	} {
		for mode, sealed := range modes {
			t.Run(name+" "+mode, func(t *testing.T) {
				w := newWorld(t, 1, lan.Faults{}, sealed, func(c *Config) { c.TransportHash = 1 })
				w.ends = append(w.ends, nil)
				w.start(1, sealed, func(c *Config) { c.TransportHash = 1 }, other)
				for from := range 2 {
					e := w.ends[from]
					h := e.Dial(w.Now(), w.address(1-from))
					w.Stir(e.addr)
					w.Run(w.Now() + 100*unit.Millisecond)
					if err := e.failed[h]; !errors.Is(err, ErrMismatch) {
						t.Errorf("the dial ended with %v", err)
					}
				}
				for i, e := range w.ends {
					if len(e.sessions) != 0 || len(e.byID) != 0 || e.Counts.Mismatched == 0 {
						t.Errorf("%d has %d sessions and %d peers, %+v", i, len(e.sessions), len(e.byID), e.Counts)
					}
				}
			})
		}
	}
}
