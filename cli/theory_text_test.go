package cli

import (
	"strings"
	"testing"

	"weft/analysis"
)

// TestLegendIsPrintedOnce explains columns of several fabrics once, and those that mean the same
// in one line.
func TestLegendIsPrintedOnce(t *testing.T) {
	var rows []analysis.Row
	for _, fabric := range []string{"a", "b"} {
		row := analysis.Row{Name: fabric, Of: "counts"}
		for _, name := range []string{"1", "2", "3", "more"} {
			about := "pairs with this number of minimal paths"
			if name == "more" {
				about = "pairs with more"
			}
			row.Numbers = append(row.Numbers, analysis.Number{Name: name, Value: 1, Low: 1, High: 1, Unit: "%", About: about})
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	if err := writeResult(&b, &analysis.Result{Rows: rows}); err != nil {
		t.Fatal(err)
	}
	const want = `counts    a  b
1 (%)     1  1
2 (%)     1  1
3 (%)     1  1
more (%)  1  1

1 to 3  pairs with this number of minimal paths
more    pairs with more
`
	if got := b.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
