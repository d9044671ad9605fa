package papers

import (
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/config"
	"weft/internal/userfile"
	"weft/problem"
)

// numbersColumn is the column of a table's file that has the numbers.
const numbersColumn = "value"

// Table is a table of the paper: a number for each of several studies, its columns,
// and for each level of an axis, its rows.
type Table struct {
	ID    string `yaml:"id" doc:"Name of the table in checks."`
	Title string `yaml:"title" doc:"Title on the page."`
	About string `yaml:"about" default:"" doc:"Remark for the reader."`

	File  string       `yaml:"file" default:"" doc:"The paper's numbers: a CSV file with a header, in the same folder, and them in the column value; any other text there means unstable. Without it, the table has ours only."`
	Where *config.Node `yaml:"where" doc:"Rows of the file that count: a mapping of columns to values."`
	Cells []string     `yaml:"cells" default:"[]" doc:"Columns of the file whose values, joined by spaces, are the keys of of."`
	Rows  string       `yaml:"rows" default:"" doc:"Column of the file with the levels of the axis."`

	Of     *config.Node `yaml:"of" doc:"Columns: a mapping from the name of each to its study."`
	Axis   string       `yaml:"axis" default:"variant" doc:"Axis of the studies whose levels are the rows."`
	Metric string       `yaml:"metric" doc:"Metric or measure."`
	At     *config.Node `yaml:"at" doc:"Levels of the other axes: a mapping of axes to a label."`
	Along  string       `yaml:"along" default:"" doc:"Axis from which one level counts, that with the largest or smallest mean."`
	Take   string       `yaml:"take" default:"largest" doc:"Whether it is the largest or the smallest." enum:"largest,smallest"`
	Per    float64      `yaml:"per" default:"1" doc:"Divisor that converts ours to the paper's unit."`
	Unit   string       `yaml:"unit" default:"" doc:"The paper's unit, shown with numbers."`
	Higher bool         `yaml:"higher" default:"false" doc:"Whether more is better."`
	Best   bool         `yaml:"best" default:"false" doc:"Whether ours is divided by the best stable one of its column. With --prefer, by that of its own scale, if the row that the paper has best was run there."`

	Mean  string `yaml:"mean" default:"" doc:"Key of a last column with the means of rows over the others: ours over those in which the row is stable."`
	Range string `yaml:"range" default:"" doc:"Key of a last column with the differences of the largest and the smallest number of rows; ours as with mean."`

	Unstable *Instability `yaml:"unstable" doc:"When a cell has no number because it is unstable (default: never)."`
}

// Instability is by what cells are told unstable.
type Instability struct {
	Metric string  `yaml:"metric" doc:"Metric or measure that decides."`
	Above  float64 `yaml:"above" doc:"Value above which it is unstable, at any level along."`
	Size   string  `yaml:"size" default:"" doc:"Metric or measure that must also reach a size at the same level (default: none)."`
	Least  float64 `yaml:"least" default:"0" doc:"That size, in its own unit." min:"0"`
}

// metrics are those that it goes by.
func (u *Instability) metrics() []string {
	switch {
	case u == nil:
		return nil
	case u.Size == "":
		return []string{u.Metric}
	}
	return []string{u.Metric, u.Size}
}

// TableCheck compares a table, or a part of it, with the paper's, or rows of it with
// each other. Unstable cells are above any number where less is better.
type TableCheck struct {
	Of      string        `yaml:"of" doc:"The table, by its id."`
	Metric  string        `yaml:"metric" default:"" doc:"Metric instead of the table's; it has no number of the paper to compare with."`
	Compare string        `yaml:"compare" doc:"What the bound is for. value: numbers. each: ratios of rows to those of over in the same column. ratio: ratios of the means over columns of numbers that are divided by the best of their column, each mean over the columns in which its row is stable. deviation: by how many per cent numbers differ from the paper's; factor: by which factor. order: the share, in per cent, of a column's pairs that the paper separates and that are in its order. unstable: the share of the paper's unstable cells that are unstable; stable: the same of the stable ones." enum:"value,each,ratio,deviation,factor,order,unstable,stable"`
	Rows    []string      `yaml:"rows" default:"[]" doc:"Rows (default: all that the studies have)."`
	Over    []string      `yaml:"over" default:"[]" doc:"Rows below the line."`
	Cells   []string      `yaml:"cells" default:"[]" doc:"Columns (default: all)."`
	Take    string        `yaml:"take" default:"each" doc:"Which of several numbers the bound is for: each, or only the largest, the smallest, the median or the mean." enum:"each,largest,smallest,median,mean"`
	Instead []Replacement `yaml:"instead" default:"[]" doc:"Cells that come from other studies, with a change."`
	Apart   float64       `yaml:"apart" default:"1" doc:"Factor by which the paper must separate a pair to count for order." min:"1"`
	And     []TablePairs  `yaml:"and" default:"[]" doc:"Further tables whose columns and rows all count for order, too."`
	Bound
}

// TablePairs is a further table whose pairs count in a check of order.
type TablePairs struct {
	Of    string  `yaml:"of" doc:"The table, by its id."`
	Apart float64 `yaml:"apart" default:"1" doc:"Factor by which the paper must separate a pair to count." min:"1"`
}

// each lists the checks of one table each that one of several is; none of none.
func (c *TableCheck) each() []*TableCheck {
	if c == nil {
		return nil
	}
	list := []*TableCheck{c}
	for _, t := range c.And {
		list = append(list, &TableCheck{Of: t.Of, Compare: c.Compare, Apart: t.Apart})
	}
	return list
}

// TableNamed returns a table by its id.
func (l *Ledger) TableNamed(id string) (*Table, bool) {
	i := slices.IndexFunc(l.Tables, func(t Table) bool { return t.ID == id })
	if i < 0 {
		return nil, false
	}
	return &l.Tables[i], true
}

func (l *Ledger) tableIDs() []string {
	var ids []string
	for _, t := range l.Tables {
		ids = append(ids, t.ID)
	}
	return ids
}

// checkTables finds what is wrong with tables by themselves.
func (l *Ledger) checkTables(errs *config.Error) {
	seen := map[string]bool{}
	for i := range l.Tables {
		t := &l.Tables[i]
		at := func(key string) config.Place { return l.places.At(fmt.Sprintf("tables[%d].%s", i, key)) }
		once(errs, seen, "table", t.ID, at("id"))
		if t.Of == nil || t.Of.Kind != config.Mapping || len(t.Of.Fields) == 0 {
			errs.Add(at("of"), "of is a mapping of columns to studies, as in {Balanced: fig6}")
			continue
		}
		for _, f := range t.Of.Fields {
			if _, ok := l.Study(f.Value.Text); !ok {
				errs.Report(f.Value.Place, problem.New("there is no study %q", f.Value.Text).Mend("%s", remedy(f.Value.Text, l.StudyIDs())))
			}
		}
		if u := t.Unstable; u != nil && (u.Size == "") != (u.Least == 0) {
			errs.Report(at("unstable"), problem.New("size needs a metric (of) and its minimum (least)").Mend("write both or none"))
		}
		if t.Per <= 0 {
			errs.Add(at("per"), "per is a divisor, and must be above 0")
		}
		if t.File == "" {
			continue
		}
		if t.Rows == "" || len(t.Cells) == 0 {
			errs.Report(at("file"), problem.New("rows and cells name the columns of the file for rows and columns of the table").Mend("write both"))
			continue
		}
		if _, err := l.published(t); err != nil {
			errs.Report(at("file"), err)
		}
	}
}

// check finds what is wrong with the check of a table by itself.
func (c *TableCheck) check(l *Ledger, errs *config.Error, at config.Place) {
	t, ok := l.TableNamed(c.Of)
	if !ok {
		errs.Report(at, problem.New("there is no table %q", c.Of).Mend("%s", remedy(c.Of, l.tableIDs())))
		return
	}
	c.Bound.check(errs, at)
	between := c.Compare == "each" || c.Compare == "ratio"
	switch {
	case between != (len(c.Over) > 0), between && len(c.Rows) == 0:
		errs.Add(at, "rows and over name what each and ratio compare; nothing else has over")
	case c.againstPaper() && (t.File == "" || c.Metric != ""):
		errs.Add(at, "%s compares with the paper, which has no numbers of this", c.Compare)
	}
	for _, and := range c.each()[1:] {
		switch more, ok := l.TableNamed(and.Of); {
		case c.Compare != "order":
			errs.Add(at, "and adds the pairs of further tables; only order counts pairs")
		case !ok:
			errs.Report(at, problem.New("and: there is no table %q", and.Of).Mend("%s", remedy(and.Of, l.tableIDs())))
		case more.File == "":
			errs.Add(at, "and: the paper has no numbers of table %s", and.Of)
		}
	}
	c.checkReplacements(l, t, errs, at)
	known := t.keys()
	for _, name := range c.Cells {
		if !slices.Contains(known, name) {
			errs.Report(at, problem.New("table %s has no column %q", c.Of, name).Mend("%s", remedy(name, known)))
		}
	}
}

// title names the tables and rows of the check.
func (c *TableCheck) title() string {
	var tables []string
	for _, t := range c.each() {
		tables = append(tables, t.Of)
	}
	words := []string{strings.Join(tables, ", "), c.Compare, strings.Join(c.Rows, ", ")}
	if len(c.Over) > 0 {
		words = append(words, "/", strings.Join(c.Over, ", "))
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// unit is the unit of the bounded number. It reports whether the number is a factor.
func (c *TableCheck) unit() (unit string, factor bool) {
	switch c.Compare {
	case "each", "ratio", "factor":
		return "", true
	case "value":
		return "", false
	}
	return "%", false
}

// againstPaper tells whether the check needs the paper's numbers.
func (c *TableCheck) againstPaper() bool {
	return slices.Contains([]string{"deviation", "factor", "order", "unstable", "stable"}, c.Compare)
}

// columns lists what the columns are called.
func (t *Table) columns() []string {
	var list []string
	for _, f := range t.Of.Fields {
		list = append(list, f.Key)
	}
	return list
}

// keys are the columns with those that sum rows up.
func (t *Table) keys() []string {
	return append(t.columns(), slices.DeleteFunc([]string{t.Mean, t.Range}, func(key string) bool { return key == "" })...)
}

// study returns the study of a column.
func (t *Table) study(column string) string { return t.Of.Get(column).Text }

// Figure is a number of the paper, or that it is unstable there.
type Figure struct {
	Value    float64
	Unstable bool
}

// String writes f as the paper does.
func (f *Figure) String() string {
	if f.Unstable {
		return "unstable"
	}
	return fmt.Sprintf("%.4g", f.Value)
}

// figureAt is a place in a table.
type figureAt struct{ column, row string }

// published reads the paper's numbers; none if the table has no file.
func (l *Ledger) published(t *Table) (map[figureAt]Figure, error) {
	if t.File == "" {
		return nil, nil
	}
	f, err := userfile.Open(filepath.Join(l.Dir, t.File), maxTable)
	if err != nil {
		return nil, fmt.Errorf("the paper's numbers cannot be read: %w", err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil || len(records) == 0 {
		return nil, fmt.Errorf("%s is not a table with a header: %w", t.File, err)
	}
	head := records[0]
	column := func(name string) (int, error) {
		i := slices.Index(head, name)
		if i < 0 {
			return 0, problem.New("%s has no column %q", t.File, name).Mend("%s", remedy(name, head))
		}
		return i, nil
	}
	where := map[int]string{}
	if t.Where != nil {
		for _, f := range t.Where.Fields {
			i, err := column(f.Key)
			if err != nil {
				return nil, err
			}
			where[i] = f.Value.Text
		}
	}
	var index []int
	for _, name := range append(slices.Clone(t.Cells), t.Rows, numbersColumn) {
		i, err := column(name)
		if err != nil {
			return nil, err
		}
		index = append(index, i)
	}
	cells, row, value := index[:len(t.Cells)], index[len(t.Cells)], index[len(t.Cells)+1]
	known, out := t.keys(), map[figureAt]Figure{}
next:
	for _, r := range records[1:] {
		for i, text := range where {
			if r[i] != text {
				continue next
			}
		}
		var words []string
		for _, i := range cells {
			words = append(words, r[i])
		}
		at := figureAt{strings.Join(words, " "), r[row]}
		if !slices.Contains(known, at.column) {
			continue
		}
		v, err := strconv.ParseFloat(r[value], 64)
		out[at] = Figure{Value: v, Unstable: err != nil}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no number of any column under of", t.File)
	}
	return out, nil
}
