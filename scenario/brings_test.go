package scenario_test

import (
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/scenario"
)

const bringTop = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2}\n"
const bringTraffic = "traffic:\n- {name: main, pattern: tornado, size: 10kB}\n"

// TestTransportsBringDefaults: what the file leaves open and its transports need is there, with a
// notice, and the scenario is that of a file which says so.
func TestTransportsBringDefaults(t *testing.T) {
	for name, tt := range map[string]struct {
		short, long string
		notices     []string
	}{
		"sird": {"transport: {congestion: sird}\n", "fabric: {classes: 2}\ntransport: {congestion: sird}\n",
			[]string{"fabric.classes: 2 (sird uses 2 priority classes)"}},
		"homa": {"transport: {congestion: {kind: homa, priorities: 8}, balancer: ops}\n", "fabric: {classes: 8}\ntransport: {congestion: {kind: homa, priorities: 8}, balancer: ops}\n",
			[]string{"fabric.classes: 8 (homa uses 8 priority classes)"}},
		"ndp": {"transport: {congestion: ndp}\n", "fabric: {overflow: trim}\ntransport: {congestion: ndp}\n",
			[]string{"fabric.overflow: trim (ndp needs trimmed headers)"}},
		"expresspass": {"fabric:\ntransport: {congestion: expresspass}\n", "fabric: {credits: {data: 4160B}, classes: 2}\ntransport: {congestion: expresspass, balancer: ecmp}\n",
			[]string{"fabric.credits: {data: 4160B} (expresspass needs ports that limit credits)", "fabric.classes: 2 (", "transport.balancer: ecmp (expresspass: "}},
		"dctcp over queues without a limit": {"fabric: {queue: infinite}\ntransport: {congestion: dctcp}\n", "fabric: {queue: infinite, ecn: {kind: threshold, k: 0.8BDP}}\ntransport: {congestion: dctcp}\n",
			[]string{"fabric.ecn: {kind: threshold, k: 0.8BDP} (dctcp: "}},
		"shares of queues without a limit": {"fabric: {queue: infinite}\ntransport: {congestion: mprdma}\n", "fabric: {queue: infinite, ecn: {kind: threshold, k: 1.25BDP}}\ntransport: {congestion: mprdma}\n",
			[]string{"fabric.ecn: {kind: threshold, k: 1.25BDP} (mprdma learns of congestion from marks"}},
		"marks for a balancer, over queues without a limit": {"fabric: {queue: infinite}\ntransport: {congestion: swift, balancer: plb}\n", "fabric: {queue: infinite, ecn: {kind: threshold, k: 1.25BDP}}\ntransport: {congestion: swift, balancer: plb}\n",
			[]string{"fabric.ecn: {kind: threshold, k: 1.25BDP} (plb learns of paths from marks)"}},
		"queues at hosts": {"fabric: {nic: fifo}\ntransport: {congestion: dcqcn}\n", "fabric: {nic: fifo, ecn: {kind: threshold, k: 0.1BDP}}\ntransport: {congestion: dcqcn}\n",
			[]string{"fabric.ecn: {kind: threshold, k: 0.1BDP} (dcqcn: ", "a queue at hosts, nic: fifo, marks at a threshold)"}},
	} {
		t.Run(name, func(t *testing.T) {
			short, long := parsed(t, bringTop+tt.short+bringTraffic), parsed(t, bringTop+tt.long+bringTraffic)
			if got, want := identityOf(t, short), identityOf(t, long); got != want {
				t.Errorf("what is brought makes another scenario than what is written")
			}
			if got, want := resolvedText(t, short), resolvedText(t, long); got != want {
				t.Errorf("resolved as\n%s\nwant\n%s", got, want)
			}
			told, err := short.Verify()
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.notices {
				if !slices.ContainsFunc(told, func(s string) bool { return strings.Contains(s, want) }) {
					t.Errorf("notices are %q, want one with %q", told, want)
				}
			}
			written, err := long.Verify()
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range written {
				if slices.ContainsFunc(tt.notices, func(s string) bool { return strings.HasPrefix(text, s) }) {
					t.Errorf("%q is said of what the file has", text)
				}
			}
		})
	}
}

// TestFilesOverrideWhatTransportsBring: what a file has is refused as ever if it does not fit.
func TestFilesOverrideWhatTransportsBring(t *testing.T) {
	for text, want := range map[string]string{
		"fabric: {classes: 1}\ntransport: {congestion: sird}\n":                     "fabric.classes is 1",
		"fabric: {overflow: drop}\ntransport: {congestion: ndp}\n":                  "with fabric.overflow: drop",
		"fabric: {queue: infinite}\ntransport: {congestion: ndp}\n":                 "nor is any queue ever full",
		"transport: {congestion: expresspass, balancer: ops}\n":                     "ops does not keep each flow to one path",
		"fabric: {nic: fifo, ecn: red}\ntransport: {congestion: dctcp}\n":           "a queue at hosts marks at a threshold",
		"fabric: {queue: infinite, ecn: \"off\"}\ntransport: {congestion: dctcp}\n": "no port marks congestion",
	} {
		if err := verified("x.yaml", bringTop+text+bringTraffic); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestTransportsShareAFabric: the fabric has what all transports of a scenario need, each variant
// brings its own, and a balancer is brought to the traffic that needs it.
func TestTransportsShareAFabric(t *testing.T) {
	both := parsed(t, bringTop+"transport: {congestion: expresspass}\n"+bringTraffic+
		"- {name: other, pattern: tornado, size: 10kB, transport: {class: 1, congestion: swift}}\n")
	if n := both.Fabric.Classes; n != 2 {
		t.Errorf("the fabric has %d classes, want 2", n)
	}
	for i, want := range []string{"ecmp", "ecmp"} {
		if got := both.Traffic[i].Transport.Balancer.Kind; got != want {
			t.Errorf("group %d has the balancer %s, want %s", i, got, want)
		}
	}
	f, err := scenario.Parse("x.yaml", []byte(bringTop+bringTraffic+"compare:\n- {name: a, transport: {congestion: ndp}}\n- {name: b, transport: {congestion: swift}}\n- {name: c, transport: {congestion: sird}}\n"), weft.Builtin(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		overflow string
		classes  int
	}{{"trim", 1}, {"drop", 1}, {"drop", 2}} {
		if got := f.Variants[i].Fabric; got.Overflow != want.overflow || got.Classes != want.classes {
			t.Errorf("variant %d has overflow %s and %d classes, want %v", i, got.Overflow, got.Classes, want)
		}
	}
}

func identityOf(t *testing.T, s *scenario.Scenario) string {
	t.Helper()
	id, err := s.Identity(nil)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func resolvedText(t *testing.T, s *scenario.Scenario) string {
	t.Helper()
	n, err := s.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	text, err := n.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
