package scenario_test

import (
	"os"
	"strings"
	"testing"

	"weft"
	"weft/scenario"
)

// TestSetsOfVariants sets options of kinds that only variants have: which ones is told, with an
// assignment that does it, and only where that is so.
func TestSetsOfVariants(t *testing.T) {
	const compare = "compare:\n  - {name: SIRD, set: {transport.congestion: sird, fabric.classes: 2}}\n  - {name: DCTCP 1.5, set: {transport.congestion: dctcp, fabric.ecn: red}}\n"
	const typed = "did you mean topology.links[].b or transport.congestion.b of sird?"
	for _, c := range []struct {
		text, set string
		only      []string
		want      string
		then      string // the assignment that it tells
	}{
		{compare, "transport.congestion.b=2BDP", nil, `unknown key "b" of congestion mprdma; variant SIRD has it; write --set `, "compare.SIRD.set.transport.congestion.b=2BDP"},
		{compare, "transport.congestion.b=2BDP", []string{"SIRD"}, `variant SIRD has it; write --set `, "compare.SIRD.set.transport.congestion.b=2BDP"},
		{compare, "transport.congestion={b: 2BDP}", nil, `variant SIRD has it; write --set `, "compare.SIRD.set.transport.congestion={b: 2BDP}"},
		{compare, "transport.congestion.gain=9%", nil, "variants SIRD and DCTCP 1.5 have it; write --set compare.SIRD.set.transport.congestion.gain=9% for the first, and so for others", ""},
		{compare, "transport.congestion.gain=9%", []string{"DCTCP 1.5"}, "variant DCTCP 1.5 has it; write --set ", "compare[1].set.transport.congestion.gain=9%"},
		{compare, "transport.congestion.b=2BDP", []string{"DCTCP 1.5"}, typed, ""},
		{compare, "transport.congestion.b=2", nil, typed, ""},
		{"", "transport.congestion.b=2BDP", nil, typed, ""},
		// What stands beside the name comes after its set, and would take the place of the option.
		{"compare:\n  - {name: SIRD, transport: {congestion: sird}, fabric: {classes: 2}}\n", "transport.congestion.b=2BDP", nil, typed, ""},
	} {
		path := t.TempDir() + "/x.yaml"
		if err := os.WriteFile(path, []byte(least+c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := scenario.LoadOnly(path, weft.Builtin(), []string{c.set}, c.only)
		if err == nil || !strings.Contains(err.Error(), c.want+c.then) {
			t.Errorf("%s for %q: %v, want %s", c.set, c.only, err, c.want+c.then)
		}
		if c.then == "" {
			continue
		}
		if _, err := scenario.LoadOnly(path, weft.Builtin(), []string{c.then}, c.only); err != nil {
			t.Errorf("%s, which is the remedy for %s, gives %v", c.then, c.set, err)
		}
	}
}
