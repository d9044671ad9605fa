package scenario_test

import (
	"maps"
	"testing"

	"weft"
	"weft/scenario"
)

// TestPresets looks at the groups that traffic makes, which inherit presets and change them.
func TestPresets(t *testing.T) {
	f, err := scenario.Parse("x.yaml", []byte(`weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2}
fabric: {classes: 2}
transport: {balancer: {kind: arcane, preset: code}}
traffic:
  - {name: one, pattern: permutation, size: 1MiB}
  - {name: two, pattern: permutation, size: 1MiB, transport: {balancer: ecmp}}
  - name: three
    pattern: permutation
    size: 1MiB
    transport: {congestion: {kind: sird, preset: nsdi25}}
    reply: {size: 1KiB, transport: {balancer: ecmp}}
`), weft.Builtin(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"one": "arcane code", "three": "sird nsdi25, arcane code", "three-replies": "sird nsdi25"}
	if got := f.Variants[0].Presets(); !maps.Equal(got, want) {
		t.Errorf("presets are %v, want %v", got, want)
	}
}
