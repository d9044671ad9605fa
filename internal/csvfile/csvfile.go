// Package csvfile writes CSV whose cells no spreadsheet takes for formulas. Names in
// weft's tables come from scenarios and graphs, which may be a stranger's, and a cell that
// begins with = runs where the table is opened.
package csvfile

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// formula are the characters with which a formula begins in one spreadsheet or another.
const formula = "=+-@\t\r"

// Cell returns a text as it is written: with an apostrophe before it if a spreadsheet would
// take it for a formula. Numbers stay as they are. Texts that begin with apostrophes before such
// a character get one more, so that Text gives each back.
func Cell(text string) string {
	if !formulaLike(text) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}

// Text returns the text that a cell stands for: Text(Cell(text)) is text.
func Text(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && formulaLike(rest) {
		return rest
	}
	return cell
}

// formulaLike tells whether a formula begins behind the apostrophes of a text.
func formulaLike(text string) bool {
	rest := strings.TrimLeft(text, "'")
	return rest != "" && strings.IndexByte(formula, rest[0]) >= 0
}

// Writer writes rows. Errors are kept until Flush.
type Writer struct {
	out *csv.Writer
	row []string
}

// NewWriter returns a Writer.
func NewWriter(w io.Writer) *Writer { return &Writer{out: csv.NewWriter(w)} }

// Write writes a row.
func (w *Writer) Write(row []string) {
	w.row = w.row[:0]
	for _, text := range row {
		w.row = append(w.row, Cell(text))
	}
	_ = w.out.Write(w.row) // Flush tells
}

// Flush writes what is buffered, and returns the first error.
func (w *Writer) Flush() error {
	w.out.Flush()
	return w.out.Error()
}
