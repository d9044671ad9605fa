package papers

import (
	"math"
	"strings"
	"testing"

	"weft/study"
	"weft/unit"
)

// TestUndefinedMeetsNothing: each bound is met by the number 2 and not by NaN.
func TestUndefinedMeetsNothing(t *testing.T) {
	at := func(v float64) *float64 { return &v }
	share := unit.Ratio(0.1)
	of := func(mean, low, high float64) number {
		return number{ratio: true, model: true, estimate: study.Estimate{N: 2, Mean: mean, Low: low, High: high, Min: low, Max: high}}
	}
	nan := math.NaN()
	for name, b := range map[string]Bound{
		"within":       {About: at(2), Within: &share},
		"by":           {About: at(2), By: at(0.5)},
		"times":        {About: at(2), Times: at(10)},
		"covers":       {Covers: at(2)},
		"at least":     {AtLeast: at(0.5)},
		"at most":      {AtMost: at(3)},
		"an advantage": {AtLeast: at(1.5)},
	} {
		if ok, why := b.met(of(2, 1.9, 2.1)); !ok || why != "" {
			t.Errorf("%s: 2 does not meet it: %s", name, why)
		}
		for what, n := range map[string]number{"mean": of(nan, 1.9, 2.1), "all": of(nan, nan, nan)} {
			if ok, why := b.met(n); ok || !strings.Contains(why, "the number is undefined (NaN)") {
				t.Errorf("%s: NaN (%s): %t, %q", name, what, ok, why)
			}
		}
	}
	for name, b := range map[string]Bound{
		"about":    {About: &nan, Within: &share},
		"within":   {About: at(2), Within: (*unit.Ratio)(&nan)},
		"by":       {About: at(2), By: &nan},
		"times":    {About: at(2), Times: &nan},
		"covers":   {Covers: &nan},
		"rounding": {Covers: at(2), Round: nan},
		"at least": {AtLeast: &nan},
		"at most":  {AtMost: &nan},
	} {
		if ok, why := b.met(of(2, 1.9, 2.1)); ok || !strings.Contains(why, "the bound is undefined (NaN)") {
			t.Errorf("%s of NaN: %t, %q", name, ok, why)
		}
	}
	for name, n := range map[string]number{"low": of(2, nan, 2.1), "high": of(2, 1.9, nan)} {
		b := Bound{AtLeast: at(1.5)}
		if ok, why := b.met(n); ok || !strings.Contains(why, "cannot separate the ratio from 1") {
			t.Errorf("an advantage whose interval has no %s end: %t, %q", name, ok, why)
		}
	}
}

// TestUndefinedHasNoPlace: NaN is below nothing and has nothing below it, also where only
// an interval's end is undefined.
func TestUndefinedHasNoPlace(t *testing.T) {
	of := func(mean, low, high float64) number {
		return number{estimate: study.Estimate{N: 2, Mean: mean, Low: low, High: high}}
	}
	nan := math.NaN()
	if ok, why := of(1, 0.9, 1.1).below(of(2, 1.9, 2.1)); !ok || why != "" {
		t.Errorf("1 is not below 2: %s", why)
	}
	for name, pair := range map[string][2]number{
		"NaN, 2":        {of(nan, nan, nan), of(2, 1.9, 2.1)},
		"1, NaN":        {of(1, 0.9, 1.1), of(nan, nan, nan)},
		"1 to NaN, 2":   {of(1, 0.9, nan), of(2, 1.9, 2.1)},
		"1, 2 from NaN": {of(1, 0.9, 1.1), of(2, nan, 2.1)},
	} {
		if ok, why := pair[0].below(pair[1]); ok || why == "" {
			t.Errorf("%s: %t, %q", name, ok, why)
		}
	}
}
