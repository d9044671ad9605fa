package page

import (
	"strings"
	"testing"

	"weft/papers"
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

// TestSpaced writes amounts as they are written elsewhere, but for a space.
func TestSpaced(t *testing.T) {
	for _, b := range []unit.Bytes{0, 1, 999, 1000, 1024, 1450, 95_000, 1 << 20, 3_000_000, 1_024_000, 1 << 40, 5_000_000_000_000} {
		if got := strings.Replace(b.Spaced(), " ", "", 1); got != b.String() || got == b.Spaced() {
			t.Errorf("%v is written %q", b, b.Spaced())
		}
	}
}

// TestShortOf calls what is of a class of sizes by its letter, a slowdown of all messages by that,
// and anything else by its title.
func TestShortOf(t *testing.T) {
	p := &page{Evaluator: &papers.Evaluator{Planned: map[string]*papers.Planned{"one": {Sizes: []unit.Bytes{1450}}}}}
	for metric, want := range map[string]string{
		"size:A.slowdown_bare_p99": "A < 1450 B", "size:B.fct_p99_us": "B ≥ 1450 B", "slowdown_bare_p99": "all ",
		"flows.slowdown_bare_p99": "title ", "fct_p99_us": "title ",
	} {
		name, bound := p.shortOf(&papers.Study{ID: "one"}, &papers.Derived{Metric: papers.MetricNamed(metric), Short: "title"})
		if got := name + " " + bound; got != want {
			t.Errorf("%s is called %q, want %q", metric, got, want)
		}
	}
}
