package fabric_test

import (
	"strings"
	"testing"

	"weft/fabric"
	"weft/topo"
	"weft/unit"
)

// deaf is an endpoint that does nothing.
type deaf struct{ fabric.Endpoint }

func (deaf) Signalled(int32, fabric.Signal) {}

// TestTogetherRefused: hosts act together only with signals, in one domain and in one group.
func TestTogetherRefused(t *testing.T) {
	g := graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 2, Spines: 1, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	for _, c := range []struct {
		domains  int
		signals  unit.Time
		together [][]int32
		want     string
	}{
		{1, 0, [][]int32{{0, 1}}, "there are none"},
		{3, unit.Microsecond, [][]int32{{1, 2}}, "hosts 1 and 2 act together, but are in domains"},
		{1, unit.Microsecond, [][]int32{{0, 1}, {1, 2}}, "host 1 is in two groups"},
		{3, unit.Microsecond, [][]int32{{0, 1}, {2, 3}}, ""},
	} {
		_, err := fabric.New(fabric.Config{
			Graph: g, Tables: tables(t, g, nil), Domain: topo.Partition(g, c.domains), SignalDelay: c.signals, Together: c.together,
			Port:     func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: unit.GiB} },
			Endpoint: func(*fabric.Domain) fabric.Endpoint { return deaf{} },
		})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v in %d domains: %v, want %q", c.together, c.domains, err, c.want)
		}
	}
}
