package workload

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"weft/internal/nearest"
	"weft/internal/readable"
	"weft/problem"
	"weft/unit"
)

// MaxTable is the largest table of sizes.
const MaxTable = 16 * unit.MiB

// maxSize is the largest size of a message in a table, 1 PiB.
const maxSize = 1 << 50

// endTolerance is the relative error allowed in the last share of a table, since published tables
// are rounded.
const endTolerance = 1e-6

// ReadCDF is ReadTable for sizes in bytes. It rejects tables with three columns, whose sizes may
// be packets.
func ReadCDF(r io.Reader, name string, rule Rule) (*CDF, error) {
	return ReadTable(r, name, rule, 0)
}

// ReadTable reads a table of sizes. Each row has a size and the share of messages up to that
// size, separated by a comma or blanks. Shares ascend to 1, or to 100 if they are in percent.
// Sizes ascend too, and may repeat. A header "size_bytes,cdf" is optional, and text after # is a
// comment. Errors begin with the file's name and the line.
//
// Sizes are in units of the given number of bytes; 0 means single bytes. Tables with three
// columns have the format of ns-2's RandomVariable/Empirical: a size, a number that ns-2 does not use,
// and the share. Some count bytes and others packets, under the same file names, so they require
// a unit.
func ReadTable(r io.Reader, name string, rule Rule, bytes unit.Bytes) (*CDF, error) {
	rules := []string{string(Step), string(Linear), string(Log)}
	if !slices.Contains(rules, string(rule)) {
		guess := ""
		if near, ok := nearest.Name(string(rule), rules); ok {
			guess = fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, problem.New("unknown rule %q%s", rule, guess).Mend("use %s", strings.Join(rules, ", "))
	}
	t := table{name: name, unit: bytes}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		t.line++
		if err := t.read(lines.Text()); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		t.line++
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, t.errorf(0, "the line is too long for a row of a size and a share")
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := t.finish(rule); err != nil {
		return nil, err
	}
	return newCDF(t.sizes, t.shares, rule), nil
}

// table is a table of sizes being read.
type table struct {
	name          string
	unit          unit.Bytes
	columns       int // of the first row
	line          int // current line, from 1
	last          int // line of the last row
	header        bool
	sizes, shares []float64
}

// errorf returns an error at a column, counted from 1, of the current line. Column 0 means the
// whole line.
func (t *table) errorf(column int, format string, args ...any) error {
	at := fmt.Sprintf("%s:%d", t.name, t.line)
	if column > 0 {
		at += fmt.Sprintf(":%d", column)
	}
	return fmt.Errorf("%s: %w", at, fmt.Errorf(format, args...))
}

// cell is a word of a line and the column where it begins.
type cell struct {
	text   string
	column int
}

// String is the word, shortened to fit a message.
func (c cell) String() string { return readable.Clip(c.text) }

// cells splits a line at blanks and commas. A comma next to blanks separates once.
func cells(line string) []cell {
	var list []cell
	start, column := -1, 0
	blank := true // nothing since the last comma
	for i, r := range line {
		column++
		separates := r == ',' || unicode.IsSpace(r)
		if !separates && start < 0 {
			start, blank = i, false
			list = append(list, cell{column: column})
		}
		if separates && start >= 0 {
			list[len(list)-1].text = line[start:i]
			start = -1
		}
		if r == ',' {
			if blank {
				list = append(list, cell{column: column})
			}
			blank = true
		}
	}
	if start >= 0 {
		list[len(list)-1].text = line[start:]
	}
	return list
}

func (t *table) read(line string) error {
	if t.line == 1 {
		line = strings.TrimPrefix(line, "\ufeff")
	}
	if !utf8.ValidString(line) {
		return t.errorf(0, "%w", problem.New("this is not text").Mend("a table has lines such as \"1460,0.5\""))
	}
	line, _, _ = strings.Cut(line, "#")
	row := cells(line)
	if len(row) == 0 {
		return nil
	}
	row, err := t.shape(row)
	if err != nil {
		return err
	}
	if t.isHeader(row) {
		t.header = true
		return nil
	}
	size, err := t.number(row[0], "size", "in bytes, without a unit")
	if err != nil {
		return err
	}
	size *= float64(max(1, t.unit))
	if size > maxSize {
		return t.errorf(row[0].column, "size %s is too large; a message has at most %d bytes", row[0], int64(maxSize))
	}
	share, err := t.number(row[1], "share", "from 0 to 1, or to 100 in per cent")
	if err != nil {
		return err
	}
	if n := len(t.sizes); n > 0 && size < t.sizes[n-1] {
		return t.errorf(row[0].column, "size %s comes after the larger %v; order the rows by size", row[0], t.sizes[n-1]/float64(max(1, t.unit)))
	} else if n > 0 && share < t.shares[n-1] {
		return t.errorf(row[1].column, "share %s comes after the larger %v; shares are cumulative, so they never fall", row[1], t.shares[n-1])
	}
	t.sizes = append(t.sizes, size)
	t.shares = append(t.shares, share)
	t.last = t.line
	return nil
}

// shape checks the number of columns of a row and returns its size and share.
func (t *table) shape(row []cell) ([]cell, error) {
	switch {
	case len(row) != 2 && len(row) != 3:
		return nil, t.errorf(0, "a row has a size in bytes and a cumulative share, as in \"1460,0.5\", but this one has %d columns", len(row))
	case t.columns != 0 && t.columns != len(row):
		return nil, t.errorf(0, "the row has %d columns, but those before have %d; write all rows alike", len(row), t.columns)
	case len(row) == 3 && t.unit == 0:
		return nil, t.errorf(0, "%w", problem.New("the row has three columns, as in ns-2's tables: a size, a number that is not used, and the cumulative share; such sizes are packets or bytes").
			Mend("write unit: 1460B for packets of 1460 bytes, or unit: 1B for bytes"))
	}
	t.columns = len(row)
	if len(row) == 3 {
		if _, err := t.number(row[1], "the unused column", "as ns-2 has it"); err != nil {
			return nil, err
		}
		row = []cell{row[0], row[2]}
	}
	return row, nil
}

// isHeader reports whether a row is the table's header, which must name the unit.
func (t *table) isHeader(row []cell) bool {
	return !t.header && len(t.sizes) == 0 && strings.EqualFold(row[0].text, "size_bytes") && strings.EqualFold(row[1].text, "cdf")
}

func (t *table) number(c cell, what, form string) (float64, error) {
	v, err := strconv.ParseFloat(c.text, 64)
	switch {
	case err != nil && len(t.sizes) == 0 && !t.header:
		return 0, t.errorf(c.column, "%s %s is not a number, nor is this the header \"size_bytes,cdf\"; write a %[1]s %[3]s", what, strconv.Quote(c.String()), form)
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, t.errorf(c.column, "%s %s is not a number; write a %[1]s %[3]s", what, strconv.Quote(c.String()), form)
	case v < 0:
		return 0, t.errorf(c.column, "%s %s is negative; write a %[1]s %[3]s", what, c, form)
	}
	return v, nil
}

// finish checks the whole table and scales its shares to 0..1.
func (t *table) finish(rule Rule) error {
	if len(t.sizes) == 0 {
		return problem.New("%s: the table has no rows", t.name).Mend("write lines such as \"1460,0.5\", with shares that rise to 1")
	}
	t.line = t.last
	end := t.shares[len(t.shares)-1]
	whole := 1.0
	if end > 1+endTolerance {
		whole = 100
	}
	if math.Abs(end/whole-1) > endTolerance {
		return t.errorf(0, "the last share is %v; the shares of a table rise to 1, or to 100 in per cent", end)
	}
	for i := range t.shares {
		t.shares[i] = min(t.shares[i]/end, 1)
	}
	before := 0.0
	for i, share := range t.shares {
		atom := i == 0 || rule == Step || t.sizes[i-1] == t.sizes[i]
		if t.sizes[i] == 0 && atom && share > before {
			return problem.New("%s: a share of %v of the messages has size 0, but a message has at least 1 byte", t.name, share).Mend("begin the table with a larger size")
		}
		before = share
	}
	return nil
}
