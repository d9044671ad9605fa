package study_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/study"
)

// TestAlike has two balancers between which one packet a message makes no difference, and
// one that differs.
func TestAlike(t *testing.T) {
	s := executeMissing(t, t.TempDir(), planOf(t, `weft: 1
name: alike
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 4}
traffic: [{name: f, pattern: permutation, size: 64KiB}]
compare:
  - {name: OPS, set: {transport.balancer: ops}}
  - {name: ECMP, set: {transport.balancer: ecmp}}
  - {name: ARCANE, set: {transport.balancer: arcane}}
matrix: [{path: traffic.f.size, values: [64KiB, 32KiB]}]
seeds: 2
`, "p"), newInline(), study.ExecuteOptions{})
	want := []study.Alike{{Axis: "variant", Levels: []string{"OPS", "ARCANE"}}}
	if diff := cmp.Diff(want, s.Alike()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
