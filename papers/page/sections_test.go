package page

import (
	"slices"
	"testing"

	"weft/papers"
)

func TestSectionsAreInThePapersOrder(t *testing.T) {
	got := inOrder([]string{"§1", "§7", "Abstract", "§3.3", "Table 1", "§3.2", "§4.3.10", "§4.3.2", "App. C", "App. A", "§4"})
	want := []string{"Abstract", "§1", "§3.2", "§3.3", "Table 1", "§4", "§4.3.2", "§4.3.10", "§7", "App. A", "App. C"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if first := inOrder([]string{"Tables 4 and 5", "§6"}); !slices.Equal(first, []string{"Tables 4 and 5", "§6"}) {
		t.Errorf("what follows nothing: %q", first)
	}
}

func TestAnchorsOfSections(t *testing.T) {
	for section, want := range map[string]string{"§6.2.1": "claims-6.2.1", "Tables 4 and 5": "claims-Tables-4-and-5"} {
		if got := anchor(section); got != want {
			t.Errorf("links reach %s by %q, want %q", section, got, want)
		}
	}
}

// TestOnce says what numbers have in common once, and leaves words alone that look like it.
func TestOnce(t *testing.T) {
	for _, c := range []struct {
		of   papers.Pieces
		want string
	}{
		{nil, ""},
		{papers.Pieces{{Words: "2×", Seeds: 1}}, "2×, n=1"},
		{papers.Pieces{{Words: "2×", Seeds: 1}, {Words: "; "}, {Words: "3×", Seeds: 2, Unfinished: 0.05}}, "2×, n=1; 3×, n=2, 5.0 % of messages unfinished"},
		{papers.Pieces{{Words: "2×", Seeds: 1, Unfinished: 0.0151}, {Words: "; "}, {Words: "3×", Seeds: 1, Unfinished: 0.25}, {Words: "; 5 MB"}},
			"2×; 3×; 5 MB; n=1 each, up to 25 % of messages unfinished"},
		{papers.Pieces{{Words: "2×", Seeds: 3}, {Words: ", 1 without a complete result", Unfinished: 0.1234}, {Words: "; "}, {Words: "3×", Seeds: 3, Unfinished: 0.02}},
			"2×, 1 without a complete result; 3×; n=3 each, up to 12.3 % of messages unfinished"},
		{papers.Pieces{{Words: "layers, n=9: 2×", Seeds: 1}, {Words: "; layers, n=9: 3×", Seeds: 1}}, "layers, n=9: 2×; layers, n=9: 3×; n=1 each"},
	} {
		if got := once(c.of); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.of, got, c.want)
		}
	}
}
