package scenario_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"weft"
	"weft/config"
	"weft/scenario"
)

// TestManyMistakes shows the first mistakes of a file with many, and does not look at what
// would only add to them.
func TestManyMistakes(t *testing.T) {
	t.Parallel()
	const base = "weft: 1\ntopology: {kind: star, hosts: 8}\n"
	const traffic = "traffic: [{name: a, pattern: permutation, size: 4kB}]\n"
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i)
		}
		return b.String()
	}
	for _, test := range []struct {
		name, text string
		more       int
		cut        bool
		want       string // of one that is all there is
	}{
		{"keys", base + traffic + lines(1000, "x%d: 1"), 900, true, ""},
		{"keys below", base + traffic + "transport:\n" + lines(1000, "  x%d: 1"), 900, true, ""},
		{"faults", base + traffic + "faults:\n" + lines(1000, "- {kind: degrade, links: none%d->tor0, rate: 1Gbps}"), 900, false, ""},
		{"variants", base + traffic + "compare:\n" + lines(1000, "- {name: v%[1]d, set: {transport.x%[1]d: 1}}"), 0, true, ""},
		{"levels", base + traffic + "matrix:\n- path: transport.balancer\n  values:\n" + lines(1000, "  - x%d"), 0, true, ""},
		{"levels of a file's key", base + traffic + "matrix:\n- levels:\n" + lines(1000, "    x%[1]d: {name: x%[1]d}") + "  name: a\n", 0, true, ""},
		{"groups", base + "traffic:\n" + lines(1000, "- {name: a%d}"), 0, false, "traffic: there are 1000 groups; at most 32 are allowed"},
		{"axes", base + traffic + "matrix:\n" + lines(1000, "- {path: transport.x%d, values: [1]}"), 0, false, "matrix: there are 1000 axes; at most 100 are allowed"},
		{"many variants", base + traffic + "compare:\n" + lines(10001, "- {name: v%d}"), 0, false, "compare: there are 10001 variants; at most 10000 are allowed"},
		{"many faults", base + traffic + "faults:\n" + lines(10001, "- {kind: none%d}"), 0, false, "faults: there are 10001 faults; at most 10000 are allowed"},
	} {
		f, err := scenario.Parse("test.yaml", []byte(test.text), weft.Builtin(), nil)
		switch {
		case err != nil:
		case f.IsStudy():
			_, err = f.Matrix()
		default:
			_, err = f.Variants[0].Verify()
		}
		var list *config.Error
		switch {
		case !errors.As(err, &list):
			t.Errorf("%s: got %v", test.name, err)
		case test.want != "" && (len(list.Problems) != 1 || list.Problems[0].Message() != test.want):
			t.Errorf("%s: got %v\nwant %s", test.name, err, test.want)
		case test.want == "" && (len(list.Problems) != config.MostProblems || list.More != test.more || list.Cut != test.cut):
			t.Errorf("%s: %d problems, %d more, cut %v", test.name, len(list.Problems), list.More, list.Cut)
		}
	}
}

// TestManyVariantsWithOneMistake names some of the variants that share it.
func TestManyVariantsWithOneMistake(t *testing.T) {
	text := "weft: 1\ntopology: {kind: star, hosts: 8}\ntraffic: [{name: a, pattern: permutation, size: 4kB}]\ncompare:\n- {name: right}\n"
	text += "- {name: v0, set: &s {transport.class: 7}}\n"
	for i := range 49 {
		text += fmt.Sprintf("- {name: v%d, set: *s}\n", i+1)
	}
	_, err := scenario.Parse("test.yaml", []byte(text), weft.Builtin(), nil)
	if err == nil || !strings.Contains(err.Error(), "(in variants v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11 and 38 more)") {
		t.Errorf("got %v", err)
	}
}
