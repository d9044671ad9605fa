package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"weft/analysis"
)

// writeResult writes what a model computed as tables: a line a number if there
// are few rows, and a line a row if there are many.
func writeResult(w io.Writer, r *analysis.Result) error {
	var b strings.Builder
	first := true
	for rows := range groups(r.Rows) {
		if !first {
			b.WriteByte('\n')
		}
		first = false
		switch {
		case len(rows) == 1:
			writeNumbers(&b, rows[0])
		case len(rows) >= len(rows[0].Numbers):
			writeRows(&b, rows)
		default:
			writeColumns(&b, rows)
		}
	}
	notes := r.Notes
	if r.Partial != "" {
		notes = append(slices.Clip(notes), "not whole: "+r.Partial)
	}
	for _, note := range notes {
		fmt.Fprintf(&b, "\nnote: %s", note)
	}
	if len(notes) > 0 {
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// groups yields stretches of rows of the same kind.
func groups(rows []analysis.Row) func(func([]analysis.Row) bool) {
	return func(yield func([]analysis.Row) bool) {
		for len(rows) > 0 {
			n := slices.IndexFunc(rows, func(r analysis.Row) bool { return r.Of != rows[0].Of })
			if n < 0 {
				n = len(rows)
			}
			if !yield(rows[:n]) {
				return
			}
			rows = rows[n:]
		}
	}
}

func tabular(b *strings.Builder) *tabwriter.Writer { return tabwriter.NewWriter(b, 0, 0, 2, ' ', 0) }

func writeNumbers(b *strings.Builder, row analysis.Row) {
	t := tabular(b)
	if row.Name != "" {
		fmt.Fprintf(t, "%s\t%s\t\n", row.Of, row.Name)
	}
	for _, n := range row.Numbers {
		fmt.Fprintf(t, "%s\t%s\t%s\n", n.Name, withUnit(n), n.About)
	}
	t.Flush()
}

func writeRows(b *strings.Builder, rows []analysis.Row) {
	// What differs from row to row is told in each row, the rest once below.
	various := false
	for _, r := range rows {
		various = various || r.Numbers[0].About != rows[0].Numbers[0].About
	}
	t := tabular(b)
	fmt.Fprint(t, rows[0].Of)
	for _, n := range rows[0].Numbers {
		fmt.Fprintf(t, "\t%s", n.Name)
	}
	fmt.Fprintln(t)
	for _, r := range rows {
		fmt.Fprint(t, r.Name)
		for _, n := range r.Numbers {
			fmt.Fprintf(t, "\t%s", numberText(n))
		}
		if various {
			fmt.Fprintf(t, "\t%s", r.Numbers[0].About)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	if various {
		writeAbout(b, rows[0].Numbers[1:])
	} else {
		writeAbout(b, rows[0].Numbers)
	}
}

func writeColumns(b *strings.Builder, rows []analysis.Row) {
	t := tabular(b)
	fmt.Fprint(t, rows[0].Of)
	for _, r := range rows {
		fmt.Fprintf(t, "\t%s", r.Name)
	}
	fmt.Fprintln(t)
	for i, n := range rows[0].Numbers {
		fmt.Fprint(t, n.Name)
		for _, r := range rows {
			fmt.Fprintf(t, "\t%s", numberText(r.Numbers[i]))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	writeAbout(b, rows[0].Numbers)
}

// writeAbout explains the names of numbers.
func writeAbout(b *strings.Builder, numbers []analysis.Number) {
	if len(numbers) == 0 {
		return
	}
	b.WriteByte('\n')
	t := tabular(b)
	for _, n := range numbers {
		about := n.About
		if n.Unit != "" {
			about += " (" + n.Unit + ")"
		}
		fmt.Fprintf(t, "%s\t%s\n", n.Name, about)
	}
	t.Flush()
}

// numberText writes a number with four significant digits, and its 95 % interval
// if it is an estimate.
func numberText(n analysis.Number) string {
	if n.Exact() || math.IsNaN(n.Value) {
		return digits(n.Value)
	}
	return fmt.Sprintf("%s [%s, %s]", digits(n.Value), digits(n.Low), digits(n.High))
}

func withUnit(n analysis.Number) string {
	text := numberText(n)
	if n.Unit != "" && !math.IsNaN(n.Value) && !math.IsInf(n.Value, 0) {
		text += " " + n.Unit
	}
	return text
}

func digits(v float64) string {
	switch {
	case math.IsNaN(v):
		return "none"
	case math.IsInf(v, 0):
		return "unbounded"
	case math.Abs(v) >= 1000 || v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64)
	case math.Abs(v) < 1e-4:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	decimals := 3 - int(math.Floor(math.Log10(math.Abs(v))))
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
