package natural_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/internal/natural"
)

func TestNatural(t *testing.T) {
	want := []string{"a", "spine02", "spine2", "spine10", "spine10b", "tor1->spine9", "tor2->spine1", "tor10->spine0"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, natural.Compare)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNaturalIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("ab019é")), 0, 6, -1), 3, 3).Draw(t, "names")
		a, b, c := names[0], names[1], names[2]
		if natural.Compare(a, b) != -natural.Compare(b, a) {
			t.Errorf("%q and %q: %d one way, %d the other", a, b, natural.Compare(a, b), natural.Compare(b, a))
		}
		if natural.Compare(a, b) <= 0 && natural.Compare(b, c) <= 0 && natural.Compare(a, c) > 0 {
			t.Errorf("%q ≤ %q ≤ %q, but not the first and the last", a, b, c)
		}
		if natural.Compare(a, b) == 0 && a != b {
			t.Errorf("%q and %q are equal", a, b)
		}
	})
}
