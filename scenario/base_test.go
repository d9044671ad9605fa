package scenario_test

import (
	"strings"
	"testing"

	"weft"
	"weft/scenario"
)

// TestBaseOfVariants loads files whose base has a combination that nobody runs, since every
// variant has another; what a variant has of it is refused still, and so is what cannot be read.
func TestBaseOfVariants(t *testing.T) {
	const (
		unmarked = least + "fabric: {queue: infinite, ecn: \"off\"}\ntransport: {congestion: mprdma}\ncompare:\n- {name: a, set: {transport.congestion: swift}}\n"
		axis     = "matrix:\n- {path: transport.payload, values: [4096B, 65530B]}\n"
	)
	for name, c := range map[string]struct {
		text, set, want string
	}{
		"overridden":             {unmarked, "", ""},
		"overridden --set":       {unmarked, "transport.congestion=sird", ""},
		"not by all":             {unmarked + "- {name: b, set: {transport.balancer: ops}}\n", "", `no port marks congestion; write fabric: {ecn: {kind: threshold, k: 1.25BDP}}, or choose a control that uses delay, such as swift (in variant "b")`},
		"of no type":             {unmarked, "transport.congestion=srid", `did you mean "sird"`},
		"an axis has its own":    {unmarked + axis, "", "data frames have up to 65594 bytes"},
		"a name for two of them": {unmarked + "- {name: a}\n", "", `"a" is already the name of compare[0]`},
	} {
		var sets []string
		if c.set != "" {
			sets = []string{c.set}
		}
		f, err := scenario.Parse("x.yaml", []byte(c.text), weft.Builtin(), sets)
		if err == nil {
			_, err = f.Matrix()
		}
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		} else if strings.Count(err.Error(), "x.yaml:")+strings.Count(err.Error(), "--set") != 1 {
			t.Errorf("%s: more than one problem: %v", name, err)
		}
	}
}
