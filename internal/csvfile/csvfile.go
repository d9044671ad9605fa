// Package csvfile writes CSV that spreadsheets do not read as formulas. Names in weft's tables
// come from scenarios and graphs, which may be a stranger's. A spreadsheet would run a cell that
// begins with "=".
package csvfile

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// formula lists the characters that begin a formula in some spreadsheet.
const formula = "=+-@\t\r"

// Cell returns the text to write for a cell. It puts an apostrophe before text that a spreadsheet
// would take for a formula, and leaves numbers alone. Text that already has apostrophes before
// such a character gets one more, so that Text can undo the change.
func Cell(text string) string {
	if !formulaLike(text) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}

// Text undoes Cell: Text(Cell(text)) is text.
func Text(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && formulaLike(rest) {
		return rest
	}
	return cell
}

// formulaLike reports whether a text, after any leading apostrophes, begins like a formula.
func formulaLike(text string) bool {
	rest := strings.TrimLeft(text, "'")
	return rest != "" && strings.IndexByte(formula, rest[0]) >= 0
}

// Writer writes rows of CSV. It keeps the first error until Flush.
type Writer struct {
	out *csv.Writer
	row []string
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{out: csv.NewWriter(w)} }

// Write writes one row, each cell as Cell returns it.
func (w *Writer) Write(row []string) {
	w.row = w.row[:0]
	for _, text := range row {
		w.row = append(w.row, Cell(text))
	}
	_ = w.out.Write(w.row) // Flush returns the error
}

// Flush writes buffered rows and returns the first error of any write.
func (w *Writer) Flush() error {
	w.out.Flush()
	return w.out.Error()
}
