package emulate

import (
	"strings"
	"testing"

	"weft"
	"weft/scenario"
	"weft/unit"
)

// TestKeepUp: a host that sends more than the machine carries is refused, and many that do are noted.
func TestKeepUp(t *testing.T) {
	file, err := scenario.Parse("x.yaml", []byte("weft: 1\ntopology: {kind: star, hosts: 4, rate: 100Mbps}\ntraffic: [{name: main, pattern: tornado, size: 1MB}]\n"), weft.Builtin(), nil)
	if err != nil {
		t.Fatal(err)
	}
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
		{2 * 8127 * 0.99, "", "x.yaml:2:40: topology.rate: this machine carries some 8046 packets of 1500B per second, and a host of the fabric sends 8127; give links lower rates, or frames more bytes (transport.payload)"},
	} {
		note, err := keepUp(file.Variants[0], &f, c.forwards)
		if !strings.Contains(note, c.note) || note != "" && c.note == "" || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%.0f packets a second: %q, %v", c.forwards, note, err)
		}
	}
}
