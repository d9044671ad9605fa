package scenario_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/record"
	"weft/scenario"
)

// TestExplicitPathsRefuse has scenarios refused that do not go with explicit paths.
func TestExplicitPathsRefuse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "paths.txt")
	if err := os.WriteFile(file, []byte("a0r0 b0r0\na0r0 host7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		sets []string
		want string
	}{
		{"switches choose", []string{"transport.balancer=adaptive-roce"},
			"adaptive-roce leaves the choice of a path to switches, so that all its packets would take the first one, but routing.policy has explicit paths, of which the sender chooses; choose another balancer, such as spritz, or write policy: ecmp"},
		{"data retraces credits", []string{"fabric={classes: 2, credits: {data: 4160B}}", "transport={congestion: expresspass, balancer: ecmp}"},
			"the explicit paths of two switches are not the same both ways"},
		{"deflection", []string{"transport.balancer=ecmp", "fabric={queue: 33kB, pfc: 20kB, deflect: {}}"}, "fabric.deflect.lanes: packets follow explicit paths (routing.policy), so that no lanes"},
		{"one switch", []string{"faults=[]", "topology={kind: star, hosts: 4}"}, "routing.policy: there is one router, "},
		{"two limits", []string{"routing.policy={kind: ksp, stretch: 1, longest: 4}"}, "stretch and longest both say how long paths may be; remove one"},
		{"too few lanes", []string{"fabric={queue: 33kB, pfc: 20kB, classes: 2}", "routing.lanes=hop"}, "walks have up to 4 links between switches"},
		{"no paths", []string{"routing.policy=paths"}, "there are no paths; write file: NAME, or list: [tor0 spine1 tor3]"},
		{"a bad file", []string{"routing.policy={kind: paths, file: " + file + "}"}, file + ":2: host7 is a host"},
		{"memory", []string{"faults=[]", "topology={kind: slim-fly, order: 61, hosts_per_switch: 1}", "routing.policy={kind: ksp, paths: 256}"}, "switches with their tables need at least"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sets := append([]string{"routing.policy={kind: ksp, paths: 6}"}, tt.sets...)
			_, err := scenario.Run(t.Context(), load(t, flappingFly, sets...), scenario.RunOptions{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestLanesOfExplicitPaths pauses on paths that are longer than minimal: lanes by the hop keep them apart.
func TestLanesOfExplicitPaths(t *testing.T) {
	r := simulate(t, flappingFly, "faults=[]", "fabric={pfc: 20kB, classes: 4}", "transport={balancer: ops, class: 3}",
		"routing={policy: {kind: ksp, paths: 20, longest: 4}, lanes: hop}", "traffic.main.pattern={kind: incast, senders: 12}")
	if r.Summary.Unfinished != 0 || r.Summary.Deadlocked || r.Summary.Drops.QueueFull != 0 {
		t.Errorf("%+v", r.Summary)
	}
	i := slices.IndexFunc(r.Manifest.Derived, func(d record.Derived) bool { return d.Name == "lanes" })
	if i < 0 || r.Manifest.Derived[i].Value != 4 {
		t.Errorf("derived values %+v", r.Manifest.Derived)
	}
}

// TestListedPaths sends two messages over listed paths that share nothing, and with equal weights over one of them.
func TestListedPaths(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Gbps}
routing: {policy: {kind: paths, list: [tor0 spine1 tor1, tor1 -> spine0 -> tor0]}}
transport: {balancer: ops}
traffic: [{name: main, pattern: tornado, size: 64KiB}]
`
	r := simulate(t, text)
	for _, p := range r.Ports {
		used := map[string]bool{"tor0->spine1": true, "spine1->tor1": true, "tor1->spine0": true, "spine0->tor0": true}[p.Name]
		if between := strings.Contains(p.Name, "spine"); between && used != (p.Frames > 0) {
			t.Errorf("%d frames took %s", p.Frames, p.Name)
		}
	}
	// With weights of 3 and 1, three quarters of sprayed packets take one spine.
	r = simulate(t, text, "routing.policy.list=[tor0 spine1 tor1 weight=3, tor0 spine0 tor1, tor1 spine0 tor0]", "traffic.main.size=4MiB")
	bytes := map[string]int64{}
	for _, p := range r.Ports {
		bytes[p.Name] = p.Bytes
	}
	if share := float64(bytes["tor0->spine1"]) / float64(bytes["tor0->spine1"]+bytes["tor0->spine0"]); share < 0.72 || share > 0.78 {
		t.Errorf("%.3f of the bytes took the path of weight 3 of 4", share)
	}
}
