package page

import (
	"testing"

	"weft/study"
	"weft/unit"
)

func TestBoundOf(t *testing.T) {
	cuts := []unit.Bytes{1450, 95_000, 1 << 20}
	for class, want := range map[string]string{
		"size:A": "< 1450 B", "size:B": "< 95 KB", "size:C": "< 1 MiB", "size:D": "≥ 1 MiB",
	} {
		if got := boundOf(class, cuts); got != want {
			t.Errorf("the bound of %s is %q, want %q", class, got, want)
		}
	}
	if got := boundOf("size:B", nil); got != "" {
		t.Errorf("without cuts the bound is %q", got)
	}
}

func TestCommon(t *testing.T) {
	for _, c := range []struct {
		titles []string
		want   string
	}{
		{[]string{"size:A: p99 slowdown", "size:B: p99 slowdown"}, "p99 slowdown"},
		{[]string{"credit at senders", "credit in flight"}, "credit"},
		{[]string{"drops", "trims"}, "trims"},
	} {
		if got := common(c.titles); got != c.want {
			t.Errorf("%q have %q in common, want %q", c.titles, got, c.want)
		}
	}
}

// TestOneScale checks that metrics that share an axis are divided by the same, and that the
// axis says by what.
func TestOneScale(t *testing.T) {
	of := func(mean float64) *study.Table {
		return &study.Table{
			Metrics: []study.Column{{Title: "credit", Unit: "B"}},
			Cells:   []study.Cell{{Estimates: []study.Estimate{{Mean: mean, N: 1}}}},
		}
	}
	label, by := axisOf("credit", of(20e3), of(14e6))
	if label != "Credit (MB)" || by != 1e6 {
		t.Errorf("an axis %q in which numbers are divided by %v", label, by)
	}
}
