package report

import (
	"fmt"
	"math"
	"testing"
)

// TestLinkMap puts the mean of the links between two groups of switches into their cell: of 48 switches two share a
// row, so that the links 0 to 2 and 1 to 3 are in one cell.
func TestLinkMap(t *testing.T) {
	var links []linkLoad
	for i := range 48 {
		links = append(links, linkLoad{fmt.Sprint("sw", i), fmt.Sprint("sw", (i+2)%48), float64(i)})
	}
	m := newLinkMap(links)
	if m.each != 2 || len(m.busy) != 24 {
		t.Fatalf("%d switches share each of %d rows, want 2 of 24", m.each, len(m.busy))
	}
	for i, row := range m.busy {
		for j, v := range row {
			switch {
			case j == (i+1)%24 && v != 2*float64(i)+0.5:
				t.Errorf("from group %d to %d: %v, want %v", i, j, v, 2*float64(i)+0.5)
			case j != (i+1)%24 && !math.IsNaN(v):
				t.Errorf("from group %d to %d: %v, but no link leads there", i, j, v)
			}
		}
	}
	for switches, each := range map[int]int{1: 1, 24: 1, 50: 5, 162: 9, 203: 9, 364: 26, 2738: 115} {
		if got := rowOf(switches); got != each {
			t.Errorf("of %d switches %d share a row, want %d", switches, got, each)
		}
	}
	if shadeOf(100, 100) != shadeOf(51, 100) || shadeOf(50, 100) == shadeOf(51, 100) || shadeOf(0.01, 100) != shadeOf(6, 100) || shadeOf(0, 100) == shadeOf(0.01, 100) {
		t.Error("a shade is not that of a halving")
	}
	figures, notices := linkMapFigures([]run{{name: "loaded", links: links}, {name: "none"}}, paper{})
	if len(figures) != 1 || len(notices) != 0 {
		t.Fatalf("%d figures, notices %v", len(figures), notices)
	}
	if err := figures[0].save(t.TempDir()+"/link-map.png", "png"); err != nil {
		t.Error(err)
	}
	if figures, notices := linkMapFigures([]run{{name: "none"}}, paper{}); len(figures) != 0 || len(notices) != 1 {
		t.Errorf("without links %d figures, notices %v", len(figures), notices)
	}
	if k := (kind{name: "link-map"}); k.suits([]run{{links: links}}) || !k.suits([]run{{links: append(append([]linkLoad{{"a", "b", 1}}, links...), append(links, links...)...)}}) {
		t.Error("a map of few links is drawn unasked, or one of many is not")
	}
}
