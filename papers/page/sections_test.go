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
