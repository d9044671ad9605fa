package page

import (
	"slices"
	"testing"
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

func TestOnce(t *testing.T) {
	for text, want := range map[string]string{
		"2×, n=1": "2×, n=1",
		"2×, n=1; 3×, n=2, 5.0 % of messages unfinished":                                      "2×, n=1; 3×, n=2, 5.0 % of messages unfinished",
		"2×, n=1, 1.5 % of messages unfinished; 3×, n=1, 25.0 % of messages unfinished; 5 MB": "2×; 3×; 5 MB; n=1 each, up to 25 % of messages unfinished",
	} {
		if got := once(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
