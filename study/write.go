package study

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"weft/internal/csvfile"
	"weft/internal/nearest"
	"weft/internal/readable"
)

// WriteCSV writes one row per cell. Its columns are the axes, the numbers of runs, and the
// notices, with the number of runs that each kind qualifies, as in "unstable 3; locked 1".
// Then each metric has its mean (under its own name), the ends of its 95 % interval (_low,
// _high) and the number of values (_n). A missing value is empty. An axis with the name of
// another column is written as axis_ and its name. A text that a spreadsheet would take for
// a formula begins with an apostrophe.
func (t *Table) WriteCSV(w io.Writer) error {
	c := csvfile.NewWriter(w)
	c.Write(t.header())
	for i := range t.Cells {
		c.Write(t.row(&t.Cells[i]))
	}
	return c.Flush()
}

func (t *Table) header() []string {
	h := append(append(t.axisColumns(), countColumns()...), noticesColumn)
	for _, m := range t.Metrics {
		h = append(h, metricColumns(m)...)
	}
	return h
}

const noticesColumn = "notices"

func countColumns() []string { return []string{"runs", "done", "partial", "failed"} }

func metricColumns(m Column) []string {
	return []string{m.Name, m.Name + "_low", m.Name + "_high", m.Name + "_n"}
}

// axisColumns returns the names of the axes' columns. An axis whose name is taken gets the
// prefix axis_.
func (t *Table) axisColumns() []string {
	taken := map[string]bool{noticesColumn: true}
	for _, name := range countColumns() {
		taken[name] = true
	}
	for _, m := range t.Metrics {
		for _, name := range metricColumns(m) {
			taken[name] = true
		}
	}
	// Axes that keep their names come first, so that a renamed axis cannot take one of
	// these names.
	names := make([]string, len(t.Axes))
	for i, a := range t.Axes {
		if !taken[a.Name] {
			names[i], taken[a.Name] = a.Name, true
		}
	}
	for i, a := range t.Axes {
		for name := a.Name; names[i] == ""; name = "axis_" + name {
			if !taken[name] {
				names[i], taken[name] = name, true
			}
		}
	}
	return names
}

func (t *Table) row(c *Cell) []string {
	var row []string
	for i, a := range t.Axes {
		row = append(row, a.Levels[c.Levels[i]])
	}
	for _, n := range []int{c.Runs, c.Done, c.Partial, c.Failed} {
		row = append(row, strconv.Itoa(n))
	}
	row = append(row, c.noticeCounts())
	for _, e := range c.Estimates {
		row = append(row, number(e.Mean), number(e.Low), number(e.High), strconv.Itoa(e.N))
	}
	return row
}

func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// WriteParquet writes the columns of WriteCSV as a Parquet file, sorted by name.
func (t *Table) WriteParquet(w io.Writer) error {
	columns := parquet.Group{}
	axes := t.axisColumns()
	for _, name := range axes {
		columns[name] = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	}
	for _, name := range countColumns() {
		columns[name] = parquet.Int(64)
	}
	columns[noticesColumn] = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	for _, m := range t.Metrics {
		columns[m.Name+"_n"] = parquet.Int(64)
		for _, ending := range []string{"", "_low", "_high"} {
			columns[m.Name+ending] = parquet.Optional(parquet.Leaf(parquet.DoubleType))
		}
	}
	out := parquet.NewWriter(w, parquet.NewSchema("table", columns), parquet.Compression(&parquet.Zstd))
	for i := range t.Cells {
		c := &t.Cells[i]
		row := map[string]any{"runs": int64(c.Runs), "done": int64(c.Done), "partial": int64(c.Partial), "failed": int64(c.Failed), noticesColumn: c.noticeCounts()}
		for i, a := range t.Axes {
			row[axes[i]] = a.Levels[c.Levels[i]]
		}
		for j, m := range t.Metrics {
			e := c.Estimates[j]
			row[m.Name+"_n"] = int64(e.N)
			for ending, v := range map[string]float64{"": e.Mean, "_low": e.Low, "_high": e.High} {
				if !math.IsNaN(v) {
					row[m.Name+ending] = v
				}
			}
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return out.Close()
}

// MainMetrics returns the metrics that tables for people show by default. Slowdown is
// relative to the ideal that is the same for all protocols.
func MainMetrics() []string {
	return []string{"runtime_us", "goodput_gbps", "fct_p50_us", "fct_p99_us", "slowdown_bare_p99", "drops", "unfinished"}
}

// loadMetrics returns the metrics that such tables also show if they were recorded, or if a
// run is unstable.
func loadMetrics() []string {
	return []string{"host_completed_gbps", "buffer_mean_bytes", "buffer_max_bytes", "unstable"}
}

// faultMetrics returns the metrics that such tables also show if something failed.
func faultMetrics() []string {
	return []string{"lost_to_faults", "fault_last_offered_us", "fault_regained_us", "fault_unregained"}
}

// WriteMarkdown writes a table for people: one row per cell, with means and intervals of the
// named metrics.
func (t *Table) WriteMarkdown(w io.Writer, metrics []string) error {
	rows, err := t.Text(metrics)
	if err != nil {
		return err
	}
	for i, row := range rows {
		for j := range row {
			row[j] = markdownCell(row[j])
		}
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | ")); err != nil {
			return err
		}
		if i > 0 {
			continue
		}
		line := strings.Repeat(" --- |", len(t.Axes)+1) + strings.Repeat(" ---: |", len(row)-len(t.Axes)-1)
		if _, err := fmt.Fprintf(w, "|%s\n", line); err != nil {
			return err
		}
	}
	return nil
}

// markdownCell escapes a text so that it ends neither its cell nor its row.
func markdownCell(text string) string {
	return strings.NewReplacer(`\`, `\\`, "|", `\|`, "\r\n", " ", "\n", " ", "\r", " ").Replace(text)
}

// Text returns the rows of a table for people, starting with the heading: the axes, the
// numbers of finished and all runs, and the named metrics. Words replace values that would
// mislead. A last column holds the marks that qualify the others. It fails if a metric does
// not exist.
func (t *Table) Text(metrics []string) ([][]string, error) {
	var columns []int
	var units []readUnit
	head := []string{}
	for _, a := range t.Axes {
		head = append(head, a.Name)
	}
	head = append(head, "runs")
	for _, name := range metrics {
		i := t.Column(name)
		if i < 0 {
			return nil, t.Unknown(name)
		}
		columns = append(columns, i)
		read := t.readUnit(i)
		units = append(units, read)
		head = append(head, strings.TrimSuffix(t.Metrics[i].Title+" "+read.name, " "))
	}
	marked := slices.ContainsFunc(t.Cells, func(c Cell) bool { return c.Marks() != "" })
	if marked {
		head = append(head, noticesColumn)
	}
	rows := [][]string{head}
	for i := range t.Cells {
		c := &t.Cells[i]
		var row []string
		for i, a := range t.Axes {
			row = append(row, a.Levels[c.Levels[i]])
		}
		row = append(row, c.counts())
		for k, j := range columns {
			e, text := t.Value(c, j)
			if text == "" || t.Metrics[j].Counted() && e.N > 0 {
				text = e.in(units[k].size).String()
			}
			row = append(row, text)
		}
		if marked {
			row = append(row, c.Marks())
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// Unknown returns the error for an unknown metric. It suggests similar names.
func (t *Table) Unknown(name string) error {
	var all []string
	for _, m := range t.Metrics {
		all = append(all, m.Name)
	}
	if len(all) == 0 {
		return t.noMetrics()
	}
	const offered = 5
	near := nearest.Several(name, all, offered)
	if len(near) == 0 {
		return fmt.Errorf("there is no metric %q; the main ones are %s, and the first line of weft study table DIR --csv has all %d, which --list-metrics lists with their units", name, strings.Join(MainMetrics(), ", "), len(all))
	}
	return fmt.Errorf("there is no metric %q; did you mean %s? The first line of weft study table DIR --csv has all %d, which --list-metrics lists with their units", name, strings.Join(near, ", "), len(all))
}

func (t *Table) noMetrics() error {
	return fmt.Errorf("no run of %s has ended, so there are no metrics yet", t.Name)
}

// MetricsText returns one row per metric of the table, starting with the heading: name,
// unit as in CSV, and meaning. It fails if no run has ended, since only results name their
// metrics.
func (t *Table) MetricsText() ([][]string, error) {
	if len(t.Metrics) == 0 {
		return nil, t.noMetrics()
	}
	rows := [][]string{{"metric", "unit", "meaning"}}
	for _, m := range t.Metrics {
		rows = append(rows, []string{m.Name, m.Unit, m.Title})
	}
	return rows, nil
}

// counts describes how many runs of a cell are done.
func (c *Cell) counts() string {
	text := fmt.Sprintf("%d/%d", c.Done, c.Runs)
	if c.Done == c.Runs {
		text = strconv.Itoa(c.Runs)
	}
	if c.Failed > 0 {
		text += fmt.Sprintf(" (%d failed)", c.Failed)
	}
	if c.Partial > 0 {
		text += fmt.Sprintf(" (%d stuck)", c.Partial)
	}
	return text
}

// readUnit is the unit in which people read a column, and its size in the column's own
// unit.
type readUnit struct {
	name string
	size float64
}

// readUnit returns one unit for the whole column, so that cells compare at a glance. Bytes
// become the unit in which the largest mean has few digits.
func (t *Table) readUnit(column int) readUnit {
	own := readUnit{t.Metrics[column].Unit, 1}
	if own.name != "B" {
		return own
	}
	largest := 0.0
	for i := range t.Cells {
		if e := &t.Cells[i].Estimates[column]; e.N > 0 {
			largest = max(largest, math.Abs(e.Mean))
		}
	}
	for _, u := range []readUnit{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if largest >= u.size {
			return u
		}
	}
	return own
}

// in returns the estimate in a unit of the given size.
func (e Estimate) in(unit float64) Estimate {
	return Estimate{e.N, e.Mean / unit, e.Low / unit, e.High / unit, e.Min / unit, e.Max / unit}
}

// String writes the mean and its 95 % interval. If both ends are equally far from the mean,
// to two significant digits, the interval is written as ± half its width. Otherwise it is
// written as [low, high]. All numbers are as precise as two significant digits of half the
// width: that is as much as the interval supports, and enough to distinguish its ends from
// the mean.
func (e Estimate) String() string {
	if e.N == 0 {
		return "–"
	}
	half := (e.High - e.Low) / 2
	if e.N < 2 || e.Max == e.Min || !(half > 0) {
		return readable.Short(e.Mean, 4)
	}
	up, down := e.High-e.Mean, e.Mean-e.Low
	digits := decimals(half, 2)
	if strconv.FormatFloat(up, 'e', 1, 64) == strconv.FormatFloat(down, 'e', 1, 64) {
		return rounded(e.Mean, digits) + " ± " + rounded(half, digits)
	}
	return fmt.Sprintf("%s [%s, %s]", rounded(e.Mean, digits), rounded(e.Low, digits), rounded(e.High, digits))
}

// decimals returns the decimal place at which a number of significant digits ends. It is
// negative before the decimal point.
func decimals(v float64, figures int) int {
	// Rounding may add a digit, as for 9.96.
	_, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', figures-1, 64), "e")
	n, _ := strconv.Atoi(exponent)
	return figures - 1 - n
}

// rounded writes a number to a decimal place, which may be negative. Nobody reads more than
// nine places.
func rounded(v float64, digits int) string {
	if digits < 0 {
		tens := math.Pow10(-digits)
		v = math.Round(v/tens) * tens
	}
	return strconv.FormatFloat(v, 'f', min(max(digits, 0), 9), 64)
}

// EnoughSeeds is the number of values from which on a 95 % interval fits within their
// extremes.
const EnoughSeeds = 5

// Coverage is the probability that the mean lies between the extremes of n values, for any
// distribution whose mean is its median.
func Coverage(n int) float64 { return 1 - math.Exp2(float64(1-n)) }

// Footnote states the coverage of intervals over few values, as a paragraph below the
// table. It is empty if all cells have enough values, or there are no intervals.
func (t *Table) Footnote() string {
	few, cells := 0, 0
	for i := range t.Cells {
		if n := t.Cells[i].Done; n > 1 && n < EnoughSeeds {
			cells++
			if few == 0 || n < few {
				few = n
			}
		}
	}
	if cells == 0 {
		return ""
	}
	what := "These intervals"
	if cells < len(t.Cells) {
		what = fmt.Sprintf("The intervals of %d of %d cells", cells, len(t.Cells))
	}
	return fmt.Sprintf("\n%s are the extremes of %d seeds, which cover the mean in at most %.0f %% of cases, not 95 %%; run %d seeds or more.\n",
		what, few, 100*Coverage(few), EnoughSeeds)
}

// GroupsNote explains that the main metrics cover several traffic groups, and how to name
// the metrics of one group. It is empty if there is one group.
func (t *Table) GroupsNote() string {
	const metric = "fct_p50_us"
	var groups []string
	for _, m := range t.Metrics {
		if group, of := strings.CutSuffix(m.Name, "."+metric); of && !strings.Contains(group, ":") {
			groups = append(groups, group)
		}
	}
	if len(groups) < 2 {
		return ""
	}
	return fmt.Sprintf("\nNumbers cover all traffic together; those of one group begin with its name (%s), as in --metric %s.%s.\n",
		strings.Join(groups, ", "), groups[0], metric)
}
