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
	const typed = "it is an option of sird. Allowed: "
	for _, c := range []struct {
		text, set string
		only      []string
		want      string
		then      string // the assignment that it tells
	}{
		{compare, "transport.congestion.b=2BDP", nil, `unknown key "b" of congestion mprdma; variant SIRD has it; write --set `, "compare.SIRD.set.transport.congestion.b=2BDP"},
		{compare, "transport.congestion.b=2BDP", []string{"SIRD"}, `variant SIRD has it; write --set `, "compare.SIRD.set.transport.congestion.b=2BDP"},
		{compare, "transport.congestion={b: 2BDP}", nil, `variant SIRD has it; write --set `, "compare.SIRD.set.transport.congestion={b: 2BDP}"},
		{compare, "transport.congestion.gain=9%", nil, "variants SIRD and DCTCP 1.5 have it; write --set compare.SIRD.set.transport.congestion.gain=9% for the first, and likewise for others", ""},
		{compare, "transport.congestion.gain=9%", []string{"DCTCP 1.5"}, "variant DCTCP 1.5 has it; write --set ", "compare[1].set.transport.congestion.gain=9%"},
		{compare, "transport.congestion.b=2BDP", []string{"DCTCP 1.5"}, typed, ""},
		{compare, "transport.congestion.b=2", nil, typed, ""},
		{"", "transport.congestion.b=2BDP", nil, typed, ""},
		{"compare:\n  - {name: SIRD, transport: {congestion: sird}, fabric: {classes: 2}}\n", "transport.congestion.b=2BDP", nil, `variant SIRD has it; write --set `, "compare.SIRD.set.transport.congestion.b=2BDP"},
	} {
		path := t.TempDir() + "/x.yaml"
		if err := os.WriteFile(path, []byte(least+"transport: {congestion: mprdma}\n"+c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := scenario.LoadOnly(path, weft.Builtin(), scenario.Sets(c.set), c.only)
		said := c.then
		if strings.ContainsAny(said, " []") { // as a shell takes it
			said = "'" + said + "'"
		}
		if err == nil || !strings.Contains(err.Error(), c.want+said) {
			t.Errorf("%s for %q: %v, want %s", c.set, c.only, err, c.want+said)
		}
		if c.then == "" {
			continue
		}
		if _, err := scenario.LoadOnly(path, weft.Builtin(), scenario.Sets(c.then), c.only); err != nil {
			t.Errorf("%s, which is the remedy for %s, gives %v", c.then, c.set, err)
		}
	}
}

// TestBlamedSets breaks combinations of variants from the command line: the place is the
// assignment, where the line of the file would say what the message asks for.
func TestBlamedSets(t *testing.T) {
	const text = "fabric: {queue: infinite, ecn: \"off\"}\ntransport: {payload: 1460B, header: 78B, balancer: ecmp}\ncompare:\n" +
		"- {name: SIRD, set: {transport.congestion: sird, fabric.classes: 2}}\n" +
		"- {name: NDP, set: {transport.congestion: ndp, fabric: {overflow: trim, queue: 12kB}}}\n" +
		"- {name: DCTCP, set: {transport.congestion: dctcp, fabric.ecn: {kind: threshold, k: 1BDP}}}\n" +
		"- {name: ExpressPass, set: {transport.congestion: expresspass, fabric: {classes: 2, credits: {}}}}\n"
	for _, set := range []string{
		"compare.SIRD.set.fabric.classes=1",
		"compare.NDP.set.fabric.overflow=drop",
		"compare.DCTCP.set.fabric.ecn=off",
		"compare.ExpressPass.set.fabric.credits=null",
		"compare.ExpressPass.set.fabric.classes=1",
	} {
		_, err := scenario.Parse("x.yaml", []byte(least+text), weft.Builtin(), []string{set})
		if err == nil || !strings.HasPrefix(err.Error(), "--set "+set+": ") || strings.Contains(err.Error(), "x.yaml") {
			t.Errorf("%s: %v", set, err)
		}
	}
	f, err := scenario.Parse("x.yaml", []byte(least+text), weft.Builtin(), []string{"transport.payload=9000B"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Variants[3].Verify(); err == nil || !strings.HasPrefix(err.Error(), "--set transport.payload=9000B: ") {
		t.Error(err)
	}
}
