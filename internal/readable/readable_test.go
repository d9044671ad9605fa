package readable

import (
	"strings"
	"testing"
	"time"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n    int
		what string
		want string
	}{
		{0, "flow", "0 flows"}, {1, "flow", "1 flow"}, {2, "flow", "2 flows"},
		{2, "switch", "2 switches"}, {1, "switch", "1 switch"}, {3, "study", "3 studies"}, {2, "path", "2 paths"}, {2, "class", "2 classes"},
	} {
		if got := Count(c.n, c.what); got != c.want {
			t.Errorf("%d of %q: %q, want %q", c.n, c.what, got, c.want)
		}
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{0: "0 %", 0.00123: "0.12 %", 0.02: "2 %", 0.0996: "10 %", 0.555: "56 %", 1: "100 %", 1.234: "123 %", 12.345: "1230 %"} {
		if got := Percent(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}

func TestSignificant(t *testing.T) {
	for v, want := range map[float64][2]string{
		0: {"0.000", "0"}, 1396: {"1396", "1396"}, 749.1234: {"749.1", "749.1"}, 12.3456: {"12.35", "12.35"}, 1.2: {"1.200", "1.2"},
		100: {"100.0", "100"}, -0.0123456: {"-0.01235", "-0.01235"}, 123456.7: {"123457", "123457"}, 0.000000123: {"0.000000123", "0.000000123"}, 1e-12: {"0.000000000", "0"},
	} {
		if got := Significant(v, 4); got != want[0] {
			t.Errorf("%v: %q, want %q", v, got, want[0])
		}
		if got := Short(v, 4); got != want[1] {
			t.Errorf("%v in short: %q, want %q", v, got, want[1])
		}
	}
}

func TestClip(t *testing.T) {
	for word, want := range map[string]string{
		"":                               "",
		strings.Repeat("a", 40):          strings.Repeat("a", 40),
		strings.Repeat("a", 41):          strings.Repeat("a", 40) + "…",
		strings.Repeat("ü", 40):          strings.Repeat("ü", 40),
		"a" + strings.Repeat("測", 40):    "a" + strings.Repeat("測", 39) + "…",
		strings.Repeat("\xff", 40) + "b": strings.Repeat("\xff", 40) + "…",
	} {
		if got := Clip(word); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		d       time.Duration
		figures int
		want    string
	}{
		{999, 3, "999ns"}, {1234567, 3, "1.23ms"}, {1234567, 4, "1.235ms"}, {12345678901, 3, "12.3s"}, {12345678901, 4, "12.35s"}, {123456789012, 3, "2m3.457s"},
	} {
		if got := Duration(c.d, c.figures).String(); got != c.want {
			t.Errorf("%v to %d figures: %s, want %s", c.d, c.figures, got, c.want)
		}
	}
}

func TestGBps(t *testing.T) {
	for v, want := range map[float64]string{0: "-", 999_000: "<0.001", 1e6: "0.001", 26.0865e9: "26.09", 400e9: "400"} {
		if got := GBps(v); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
}
