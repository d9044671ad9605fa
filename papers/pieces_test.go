package papers

import (
	"slices"
	"strings"
	"testing"

	"weft/study"
)

// TestPiecesOfNumbers has what is said of a number beside the words.
func TestPiecesOfNumbers(t *testing.T) {
	of := func(n number, values ...float64) number {
		n.values, n.estimate = values, study.NewEstimate(values)
		return n
	}
	for _, c := range []struct {
		n    number
		want Pieces
		text string
	}{
		{of(number{unit: "µs"}, 4), Pieces{{Words: "4 µs", Seeds: 1}}, "4 µs, n=1"},
		{of(number{ratio: true, unfinished: 0.25}, 2, 2), Pieces{{Words: "2× [2, 2]", Seeds: 2, Unfinished: 0.25}}, "2× [2, 2], n=2, 25.0 % of messages unfinished"},
		{of(number{unfinished: 0.25, failed: 1}, 2), Pieces{{Words: "2", Seeds: 1}, {Words: ", 1 without a complete result", Unfinished: 0.25}},
			"2, n=1, 1 without a complete result, 25.0 % of messages unfinished"},
		{of(number{unfinished: 0.001}, 2), Pieces{{Words: "2", Seeds: 1}}, "2, n=1"},
		{of(number{model: true}, 2), Pieces{{Words: "2"}}, "2"},
		{number{endless: true}, Pieces{{Words: "never ends (stuck)"}}, "never ends (stuck)"},
	} {
		if got := c.n.pieces(); !slices.Equal(got, c.want) || got.String() != c.text || c.n.String() != c.text {
			t.Errorf("it is %+v, as a text %q; want %+v and %q", got, got, c.want, c.text)
		}
	}
}

// TestPiecesOfClaims finds in the pieces of what was measured, and of why it is not as claimed, of
// how many seeds each number is.
func TestPiecesOfClaims(t *testing.T) {
	for _, c := range []struct {
		checks           []string
		measured, reason int // numbers that say of how many seeds they are
	}{
		{[]string{`{at: {load: 40%}, value: {of: {variant: ARCANE}, at_most: 1000}}`}, 1, 0},
		{[]string{`{name: few, at: {load: 40%}, value: {of: {variant: ARCANE}, at_most: 10}}`, `{name: more, at: {load: 80%}, value: {of: {variant: OPS}, at_most: 10}}`}, 2, 0},
		{[]string{`{at: {load: 40%}, order: {less: {variant: OPS}, than: {variant: ARCANE}}}`}, 2, 0},
		{[]string{`{trend: {of: {variant: ECMP}, along: load, is: falls}}`}, 2, 2},
		{[]string{`{hold: any, value: {of: {variant: [OPS, ARCANE, ECMP]}, at_most: 150}}`}, 1, 0},
		{[]string{`{at: {load: 40%}, ratio: {of: {variant: [OPS, ECMP]}, over: {variant: ARCANE}, take: largest, at_least: 3}}`}, 1, 0},
		{[]string{`{at: {load: 40%}, value: {of: {variant: ARCANE}, at_most: 10}}`, `{at: {load: 80%}, value: {of: {variant: ARCANE}, at_most: 10}}`}, 2, 0},
	} {
		r := newLab(t).claim(c.checks...)
		if r.MeasuredPieces.String() != r.Measured || r.ReasonPieces.String() != r.Reason {
			t.Errorf("%s: the pieces are of %q and %q, not of %q and %q", c.checks, r.MeasuredPieces, r.ReasonPieces, r.Measured, r.Reason)
		}
		for _, k := range r.Checks {
			if k.MeasuredPieces.String() != k.Measured {
				t.Errorf("%s: the pieces are of %q, not of %q", c.checks, k.MeasuredPieces, k.Measured)
			}
		}
		for _, part := range []struct {
			of   Pieces
			want int
		}{{r.MeasuredPieces, c.measured}, {r.ReasonPieces, c.reason}} {
			n := 0
			for _, q := range part.of {
				if strings.Contains(q.Words, "n=") {
					t.Errorf("%s: seeds are in the words %q", c.checks, q.Words)
				}
				if q.Seeds == 3 {
					n++
				}
			}
			if n != part.want {
				t.Errorf("%s: %d numbers in %q say that they are of 3 seeds, want %d", c.checks, n, part.of, part.want)
			}
		}
	}
}
