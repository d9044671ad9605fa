package unit

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestParseSpeed(t *testing.T) {
	for _, test := range []struct {
		text  string
		want  Speed
		wrong string
	}{
		{text: "2TB/s", want: 16e12},
		{text: "3350 GB/s", want: 3350 * 8e9},
		{text: "1GiB/s", want: 8 << 30},
		{text: "1kB/s", want: 8000},
		{text: "7bps", want: 7},
		{text: "16Tbps", want: 16e12},
		{text: "0", want: 0},
		{text: "2", wrong: `speed "2" has no unit; use bps, B/s, KB/s, MB/s, GB/s or TB/s, as in "2TB/s"`},
		{text: "2T", wrong: `did you mean "TB/s"?`},
		{text: "2TB", wrong: `did you mean "TB/s"?`},
		{text: "-1TB/s", wrong: "is negative"},
		{text: "2000000TB/s", wrong: "too large; the most is 1152921TB/s"},
		{text: "0.1bps", wrong: "not a whole number of bps"},
	} {
		got, err := ParseSpeed(test.text)
		check(t, "ParseSpeed", test.text, got, test.want, err, test.wrong)
	}
	for _, s := range []Speed{0, 1, 8, 8e9, 26.8e12, math.MaxInt64} {
		if got, err := ParseSpeed(s.String()); err != nil || got != s {
			t.Errorf("%d is written as %v and read as %d, error %v", int64(s), s, int64(got), err)
		}
	}
	if got := Speed(26.8e12).String(); got != "3350GB/s" {
		t.Error(got)
	}
}

func TestParseOperations(t *testing.T) {
	for _, test := range []struct {
		text  string
		want  Operations
		wrong string
	}{
		{text: "312T", want: 312e12},
		{text: "989.4 T", want: 989.4e12},
		{text: "989.4e12", want: 989.4e12},
		{text: "5E", want: 5e18},
		{text: "1e3k", want: 1e6},
		{text: "7", want: 7},
		{text: "0", want: 0},
		{text: "x", wrong: `number of operations "x" does not begin with a number; write it as in 312e12 or 312T`},
		{text: "312TB", wrong: `has the unknown prefix "TB"; write it as in 312e12 or 312T`},
		{text: "-3T", wrong: "is negative"},
		{text: "1e400T", wrong: "is too large"},
	} {
		got, err := ParseOperations(test.text)
		check(t, "ParseOperations", test.text, got, test.want, err, test.wrong)
	}
	for o, want := range map[Operations]string{312e12: "312T", 989.4e12: "989.4T", 0: "0", 0.5: "0.5", 1e30: "1000000000000E"} {
		if got := o.String(); got != want {
			t.Errorf("%g is written as %s, not %s", float64(o), got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		o := Operations(rapid.Float64Range(0, 1e40).Draw(t, "operations"))
		if got, err := ParseOperations(o.String()); err != nil || got != o {
			t.Errorf("%g is written as %v and read as %g, error %v", float64(o), o, float64(got), err)
		}
	})
}
