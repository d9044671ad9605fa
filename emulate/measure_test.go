package emulate

import (
	"strings"
	"testing"

	"weft/scenario"
	"weft/unit"
)

// TestKeepUp: a host that sends more than the machine carries is refused, and many that do are noted.
func TestKeepUp(t *testing.T) {
	f := scenario.LiveFabric{Frame: 1538, Hosts: make([]scenario.LiveHost, 4)}
	for i := range f.Hosts {
		f.Hosts[i].Rate = 100 * unit.Mbps // 8127 packets a second
	}
	for _, c := range []struct {
		forwards  float64
		note, err string
	}{
		{2 * 8127 * 4.01, "", ""},
		{2 * 8127 * 3.9, "the hosts together send up to 32510", ""},
		{2 * 8127 * 0.99, "", "a host of the fabric sends 8127: give links lower rates"},
	} {
		note, err := keepUp(&f, c.forwards)
		if !strings.Contains(note, c.note) || note != "" && c.note == "" || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%.0f packets a second: %q, %v", c.forwards, note, err)
		}
	}
}
