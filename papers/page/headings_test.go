package page

import (
	"slices"
	"testing"

	"weft/papers"
)

// TestHeadings puts figures in the order of the paper's numbers, and those without one behind.
func TestHeadings(t *testing.T) {
	var list []papers.Study
	for _, figure := range []string{"Table 2", "10", "9b", "", "9a"} {
		list = append(list, papers.Study{Figure: figure, Draw: []papers.Draw{{}, {Figure: "3"}}})
	}
	list[3].Section = "Appendix"
	var got []string
	for _, h := range headings(list) {
		got = append(got, h.text)
	}
	if want := []string{"Figure 3", "Figure 9b", "Figure 9a", "Figure 10", "Table 2", "Appendix"}; !slices.Equal(got, want) {
		t.Errorf("headings are %q, want %q", got, want)
	}
}
