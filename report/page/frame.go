package page

import (
	"encoding/json"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/internal/printable"
	"weft/record"
	"weft/report/internal/jobview"
)

// mostColumns is up to how many variants stand side by side in a table of parameters, or
// as many as there are parameters. More stand below each other.
const mostColumns = 6

// mostNotes is how many notes do not fold.
const mostNotes = 10

// frame is what the template fills in. What can be read without scripts is in it.
type frame struct {
	Title, About, Generated string
	Facts                   []string
	Result                  result
	// Notes are a line each; MoreNotes fold.
	Notes, MoreNotes []string
	Commands         string
	Differ           paramTable
	Same             []param
	Derived          []derivedTable
	Origins          []origin
	Summaries        []summaryTable
	Pauses           []pauseTable
	// OnWire is nil if no run on wire is beside its simulation.
	OnWire *onWire
	// Jobs is nil if no run replayed a trace.
	Jobs *jobview.View
	// Idle are the options that never acted, MoreIdle those of them that fold.
	Idle, MoreIdle []string
	Study, Offered bool
	Versions       string
	Data           template.JS
	Scripts        []template.JS
	Style          template.CSS
}

// paramTable is a table of parameters: a row a parameter, or a row a variant.
type paramTable struct {
	Corner  string
	Heads   []string
	Rows    []paramRow
	Several bool
}

type paramRow struct {
	Name  string
	Cells []string
}

// derivedTable are the values derived for variants that all have the same.
type derivedTable struct {
	Variants string
	Values   []record.Derived
}

// Text writes the value.
func (derivedTable) Text(d record.Derived) string {
	return strings.TrimSpace(number(d.Value) + " " + strings.ReplaceAll(d.Unit, "us", "µs"))
}

// origin tells where the results of a variant came from.
type origin struct {
	Variant, Seeds, Program, Host, Scenario, Results string
	Notices                                          []string
}

func newFrame(r *Report) (*frame, error) {
	t := newTable(r)
	f := &frame{
		Title: r.title(), About: r.About, Commands: strings.Join(r.Commands, "\n"), Study: r.Table != nil, Offered: t.offered(),
		Versions: versions, Result: t.result(), Summaries: t.summaries(),
	}
	if !r.Generated.IsZero() {
		f.Generated = r.Generated.UTC().Format(time.DateOnly + " 15:04 MST")
	}
	f.Facts = append(facts(r, t), expectedLoads(r.Variants)...)
	f.Notes = slices.Concat(r.Notices, t.allNotes())
	if len(f.Notes) > mostNotes {
		f.Notes, f.MoreNotes = f.Notes[:mostNotes], f.Notes[mostNotes:]
	}
	var scenarios []json.RawMessage
	var names []string
	var derived [][]record.Derived
	for _, v := range r.Variants {
		if len(v.Runs) == 0 {
			continue
		}
		names = append(names, v.Name)
		scenarios = append(scenarios, v.Runs[0].manifest.Scenario)
		derived = append(derived, v.Runs[0].manifest.Derived)
	}
	differ, same, err := parameters(scenarios, derived)
	if err != nil {
		return nil, err
	}
	f.Differ, f.Same = newParamTable(names, differ), same
	f.Derived = derivedTables(r.Variants)
	f.Pauses, f.OnWire = newPauseTables(r.Variants), newOnWire(r.liveRuns())
	f.Jobs = newJobs(r.Variants)
	f.Idle = idleLines(r.Variants)
	if len(f.Idle) > mostNotes {
		f.Idle, f.MoreIdle = f.Idle[:mostNotes], f.Idle[mostNotes:]
	}
	for i := range r.Variants {
		if len(r.Variants[i].Runs) > 0 {
			f.Origins = append(f.Origins, newOrigin(&r.Variants[i]))
		}
	}

	// encoding/json escapes what could end the element that holds it.
	// What is no printable character must not reach the pictures that the page draws: it is no XML.
	data, err := fit(r, t)
	if err != nil {
		return nil, err
	}
	f.Data = template.JS(printable.CleanJSON(data))
	if f.Scripts, err = javaScript(); err != nil {
		return nil, err
	}
	f.Style, err = styleSheet()
	return f, err
}

// newJobs returns what the first runs of variants say of the traces that hosts replayed.
func newJobs(variants []Variant) *jobview.View {
	v := new(jobview.View)
	for i := range variants {
		if runs := variants[i].Runs; len(runs) > 0 && runs[0].jobs != nil {
			v.Add(variants[i].Name, runs[0].jobs)
		}
	}
	if len(v.Rows) == 0 {
		return nil
	}
	return v
}

func newParamTable(names []string, differ []param) paramTable {
	out := paramTable{Corner: "parameter", Several: len(names) > 1}
	if len(names) <= max(mostColumns, len(differ)) {
		out.Heads = names
		for _, p := range differ {
			out.Rows = append(out.Rows, paramRow{p.Path, p.Values})
		}
		return out
	}
	out.Corner = "variant"
	for _, p := range differ {
		out.Heads = append(out.Heads, p.Path)
	}
	for i, name := range names {
		row := paramRow{Name: name}
		for _, p := range differ {
			row.Cells = append(row.Cells, p.Values[i])
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// derivedTables returns the derived values, one table for all variants with the same.
func derivedTables(variants []Variant) []derivedTable {
	var tables []derivedTable
	for _, v := range variants {
		if len(v.Runs) == 0 || len(v.Runs[0].manifest.Derived) == 0 {
			continue
		}
		values := v.Runs[0].manifest.Derived
		same := slices.IndexFunc(tables, func(t derivedTable) bool { return slices.Equal(t.Values, values) })
		if same < 0 {
			tables = append(tables, derivedTable{v.Name, values})
		} else {
			tables[same].Variants += ", " + v.Name
		}
	}
	return tables
}

func newOrigin(v *Variant) origin {
	o := origin{Variant: v.Name}
	m := &v.Runs[0].manifest
	o.Program = strings.TrimSpace("weft " + m.Program.Version + " " + short(m.Program.Revision) + " " + m.Program.Go)
	if m.Program.Modified {
		o.Program += " (modified)"
	}
	o.Host = strings.Join(slices.DeleteFunc([]string{m.Host.CPU, m.Host.OS + "/" + m.Host.Arch}, func(s string) bool { return s == "" || s == "/" }), ", ")
	o.Scenario = short(m.Hashes.Scenario)
	var seeds, results []string
	for _, run := range v.Runs {
		seeds = append(seeds, strconv.FormatUint(run.manifest.Seed, 10))
		hash := run.manifest.Hashes.Result
		if hash == "" {
			hash = run.summary.ResultHash
		}
		results = append(results, short(hash))
		for _, n := range run.manifest.Notices {
			if !slices.Contains(o.Notices, n) {
				o.Notices = append(o.Notices, n)
			}
		}
	}
	o.Seeds, o.Results = strings.Join(seeds, ", "), strings.Join(results, ", ")
	return o
}

// short returns as much of a hash as people compare.
func short(hash string) string { return hash[:min(len(hash), 12)] }
