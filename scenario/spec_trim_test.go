package scenario_test

import (
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/scenario"
)

// TestTrimRatio: a transport may bring a ratio of headers to data, which the scenario overrides,
// and the manifest says which holds and whose it is.
func TestTrimRatio(t *testing.T) {
	const text = `weft: 1
topology: {kind: star, hosts: 4, rate: 10Gbps}
fabric: {overflow: trim, queue: 100KB}
transport: {balancer: ops}
traffic: [{name: main, pattern: permutation, size: 8KB}]
`
	for _, test := range []struct {
		sets   string
		ratio  float64
		saying string
	}{
		{"transport.congestion=nscc", 0, "always goes before data"},
		{"transport.congestion=eqds", 0, "always goes before data"},
		{"transport.congestion=ndp", 10, "that of ndp, since fabric.trim.ratio is absent"},
		{"traffic.main.reply={size: 1B, transport: {congestion: ndp}}", 10, "that of ndp"},
		{"transport.congestion=ndp fabric.trim.ratio=strict", 0, "always goes before data"},
		{"transport.congestion=ndp fabric.trim.ratio=3", 3, "waiting data frame before it goes"},
		{"transport.congestion=nscc fabric.trim.ratio=10", 10, "waiting data frame before it goes"},
	} {
		sets := strings.Split(test.sets, " ")
		if strings.Contains(test.sets, "{") {
			sets = []string{test.sets}
		}
		s := load(t, text, sets...)
		b, err := s.Build()
		if err != nil {
			t.Fatal(err)
		}
		var row *record.Derived
		for i := range b.Derived {
			if b.Derived[i].Name == "trim_ratio" {
				row = &b.Derived[i]
			}
		}
		if row == nil || row.Value != test.ratio || !strings.Contains(row.Meaning, test.saying) {
			t.Errorf("%s: %+v, want %v and %q", test.sets, row, test.ratio, test.saying)
		}
		c, err := s.QueueOf("tor0->host0")
		if err != nil || float64(c.Trim.Ratio) != test.ratio {
			t.Errorf("%s: ports have %d, %v", test.sets, c.Trim.Ratio, err)
		}
	}
	if err := verified("test.yaml", text, "fabric.trim.ratio=0"); err == nil || !strings.Contains(err.Error(), "neither strict nor a number") {
		t.Errorf("0: %v", err)
	}
}

// TestRatioFeedsData: where headers starve data, a ratio lets every message finish.
func TestRatioFeedsData(t *testing.T) {
	for _, ratio := range []string{"1", "10"} {
		drained(t, simulate(t, starving, "fabric.trim.ratio="+ratio))
	}
	needs, _ := scenario.ControlNeeds(weft.Builtin(), "ndp")
	if !strings.Contains(strings.Join(needs, ", "), "fabric.trim.ratio: 10") {
		t.Errorf("ndp needs %q", needs)
	}
}
