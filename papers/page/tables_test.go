package page

import (
	"math"
	"strings"
	"testing"

	"weft/papers"
)

// TestBesideWithoutNumbers has cells without a number of one metric, and a metric without any.
func TestBesideWithoutNumbers(t *testing.T) {
	none := math.NaN()
	list := []papers.Beside{
		{Study: "one", Cell: "a", Ratios: []float64{2, none, none}},
		{Study: "one", Cell: "b", Ratios: []float64{1, 0.5, none}},
		{Study: "two", Cell: "c", Ratios: []float64{3, 0.25, math.Inf(1)}},
	}
	got := strings.Join(besideRows(list, 3), "\n")
	want := `| all 3 | least | 1.00 | 0.25 | – |
| all 3 | median | 2.00 | 0.38 | – |
| all 3 | most | 3.00 | 0.50 | – |
| one | a | 2.00 | – | – |
| one | b | 1.00 | 0.50 | – |
| two | c | 3.00 | 0.25 | – |`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
