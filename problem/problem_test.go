package problem_test

import (
	"fmt"
	"slices"
	"testing"

	"weft/problem"
)

func TestOf(t *testing.T) {
	radix := problem.At("radix", "radix is %d, which is odd", 7).Mend("use %d", 8).Due("fabric.classes")
	tests := []struct {
		name                string
		err                 error
		subject, path       string
		text, remedy, whole string
	}{
		{"alone", radix, "", "radix", "radix is 7, which is odd", "use 8", "radix is 7, which is odd; use 8"},
		{"wrapped", fmt.Errorf("fat-tree: %w", radix), "", "radix", "fat-tree: radix is 7, which is odd", "use 8", "fat-tree: radix is 7, which is odd; use 8"},
		{"continued", fmt.Errorf("%w, or 10", radix), "", "radix", "radix is 7, which is odd; use 8, or 10", "", "radix is 7, which is odd; use 8, or 10"},
		{"placed", problem.In("topology", fmt.Errorf("fat-tree: %w", radix)), "topology", "radix", "fat-tree: radix is 7, which is odd", "use 8", "topology: fat-tree: radix is 7, which is odd; use 8"},
		{"twice", problem.In("traffic[0]", problem.In("size", radix)), "traffic[0].size", "radix", "radix is 7, which is odd", "use 8", "traffic[0]: size: radix is 7, which is odd; use 8"},
		{"named by both", problem.In("traffic[0]", problem.In("radix", radix)), "traffic[0].radix", "radix", "radix is 7, which is odd", "use 8", "traffic[0]: radix: radix is 7, which is odd; use 8"},
		{"nested", problem.At("shape", "shape: %w", radix), "", "shape.radix", "shape: radix is 7, which is odd", "use 8", "shape: radix is 7, which is odd; use 8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.err.Error(); got != tt.whole {
				t.Errorf("it says %q, not %q", got, tt.whole)
			}
			subject, what := problem.Subject(tt.err)
			got := problem.Of(what)
			if subject != tt.subject || got.Path != tt.path || got.Text != tt.text || got.Remedy != tt.remedy {
				t.Errorf("%q, %q, %q, %q", subject, got.Path, got.Text, got.Remedy)
			}
			if !slices.Equal(got.Because, []string{"fabric.classes"}) {
				t.Errorf("because of %q", got.Because)
			}
		})
	}
	inside := problem.In("traffic[0]", fmt.Errorf("two: %w", problem.At("file", "one").Inside("app.goal")))
	if got := problem.Of(inside).File; got != "app.goal" {
		t.Errorf("the file is %q", got)
	}
	if problem.In("topology", nil) != nil {
		t.Error("no error became one")
	}
	plain := problem.Of(fmt.Errorf("no route"))
	if plain.Path != "" || plain.Text != "no route" || plain.Remedy != "" {
		t.Errorf("a plain error is %+v", plain)
	}
}

func TestJoin(t *testing.T) {
	for _, tt := range []struct{ path, key, want string }{
		{"", "size", "size"},
		{"traffic[0]", "", "traffic[0]"},
		{"traffic[0]", "size", "traffic[0].size"},
		{"traffic[0].size", "size", "traffic[0].size"},
		{"traffic[0].size", "size.mean", "traffic[0].size.mean"},
		{"cutoffs", "cutoffs[2]", "cutoffs[2]"},
		{"traffic[0].size", "sizes", "traffic[0].size.sizes"},
		{"record.sizes", "size", "record.sizes.size"},
	} {
		if got := problem.Join(tt.path, tt.key); got != tt.want {
			t.Errorf("%q below %q is %q, not %q", tt.key, tt.path, got, tt.want)
		}
	}
}

// TestRemediesOfBoth keeps the remedy of a check and that of its caller, who wrapped the error.
func TestRemediesOfBoth(t *testing.T) {
	inner := problem.New("the unit %q is unknown", "BDP").Mend("use KB")
	outer := problem.In("fabric.buffer", fmt.Errorf("x.yaml: %w", problem.New("%w", inner).Mend("write as in 16MB")))
	got := problem.Of(outer)
	if got.Text != `fabric.buffer: x.yaml: the unit "BDP" is unknown` || got.Remedy != "use KB; write as in 16MB" {
		t.Errorf("text %q, remedy %q", got.Text, got.Remedy)
	}
}
