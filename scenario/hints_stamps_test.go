package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// HPCC's packets have room for five stamps. Where paths have more switches a notice says so, and its remedy is
// enough; so it is beyond the eight switches that can stamp, for which there is none.
func TestRoomForStamps(t *testing.T) {
	text := func(routers int) string {
		return fmt.Sprintf(`weft: 1
topology: {kind: hyperx, widths: [%s], hosts_per_switch: 1}
fabric: {telemetry: {}}
transport: {congestion: hpcc, balancer: ecmp}
traffic: [{name: a, pattern: {kind: pairs, pairs: [host0->host1]}, size: 1MB}]
`, strings.TrimSuffix(strings.Repeat("2, ", routers-1), ", "))
	}
	about := func(switches int, sets ...string) []string {
		notices, err := load(t, text(switches), sets...).Verify()
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(notices, func(n string) bool { return !strings.Contains(n, "stamp") || strings.HasPrefix(n, "fabric.ecn: off") })
	}
	if got := about(5); len(got) > 0 {
		t.Errorf("paths of 5 switches: %q", got)
	}
	got := about(7)
	if len(got) != 1 || !strings.Contains(got[0], "have room for 5 stamps (int_bytes: 42B), and paths have up to 7 switches") || !strings.HasSuffix(got[0], "write int_bytes: 58B to give each its bytes on the wire") {
		t.Errorf("paths of 7 switches: %q", got)
	}
	for _, bytes := range []string{"58B", "0B"} {
		if got := about(7, "transport.congestion={kind: hpcc, int_bytes: "+bytes+"}"); len(got) > 0 {
			t.Errorf("with %s: %q", bytes, got)
		}
	}
	got = about(9, "transport.congestion={kind: hpcc, int_bytes: 0B}")
	if len(got) != 1 || !strings.Contains(got[0], "paths have up to 9 switches, and only the first 8 stamp the packets of hpcc") {
		t.Errorf("paths of 9 switches: %q", got)
	}
}
