package page

import (
	"math"
	"slices"

	"weft/record"
	"weft/study"
)

// row is a variant, or a cell of a study, in the tables and charts of numbers.
type row struct {
	study.Cell
	// cut says that there is no whole run, and numbers are those of runs that were cut
	// short.
	cut bool
	// tallies are over the runs that numbers are from, per group ("" is all); nil if they
	// are not known.
	tallies map[string]tally
	// noted are the notices of runs.
	noted []record.Notice
	// causes are why runs ended before their end.
	causes []string
	// variant is the level of the axis of variants, contest the place of the combination of
	// the others' levels.
	variant, contest int
}

// tally counts messages: all, those of them that did not finish, and those of these that
// did not start.
type tally struct {
	messages, unfinished, notStarted int64
}

// table is the numbers of a report: those of its study, or those of its variants, with
// the variants as the only axis.
type table struct {
	axes    []study.Axis
	metrics []study.Column
	rows    []row
	// classes are what classes of sizes are called for people.
	classes map[string]string
	// numbers are the rows as a table of a study, which ranks.
	numbers *study.Table
	// axis is that of the variants, study.NoAxis if there is none; contests are what can be
	// compared.
	axis     int
	contests []study.Contest
}

func newTable(r *Report) *table {
	t := &table{classes: map[string]string{}}
	for _, v := range r.Variants {
		for _, run := range v.Runs {
			for i := range run.summary.Sizes {
				g := &run.summary.Sizes[i]
				t.classes[g.Name] = g.Title()
			}
		}
	}
	byName := map[string]*Variant{}
	for i := range r.Variants {
		byName[r.Variants[i].Name] = &r.Variants[i]
	}
	if r.Table == nil {
		t.metrics = metricsOf(r.Variants)
		axis := study.Axis{Name: "variant"}
		for i := range r.Variants {
			v := &r.Variants[i]
			axis.Levels = append(axis.Levels, v.Name)
			cell := study.Cell{Name: v.Name, Levels: []int{i}, Runs: len(v.Runs)}
			for _, run := range v.Runs {
				cell.Note(run.summary.Kinds())
				if run.partial() {
					cell.Partial++
				} else {
					cell.Done++
				}
			}
			t.rows = append(t.rows, t.row(cell, v))
		}
		t.axes = []study.Axis{axis}
		t.inRates()
		t.compare()
		return t
	}
	t.axes, t.metrics = r.Table.Axes, r.Table.Metrics
	for _, cell := range r.Table.Cells {
		t.rows = append(t.rows, t.row(cell, byName[cell.Name]))
	}
	t.inRates()
	t.compare()
	return t
}

// compare puts rows beside each other that can be compared, in the order of variants.
func (t *table) compare() {
	number := func() {
		t.numbers = &study.Table{Axes: t.axes, Metrics: t.metrics}
		for i := range t.rows {
			t.numbers.Cells = append(t.numbers.Cells, t.rows[i].Cell)
		}
		t.contests = t.numbers.Contests(t.axis)
	}
	t.axis = (&study.Table{Axes: t.axes}).VariantAxis()
	number()
	var sorted []row
	for k := range t.contests {
		for _, i := range t.contests[k].Cells {
			if i != study.NoAxis {
				sorted = append(sorted, t.rows[i])
			}
		}
	}
	t.rows = sorted
	number()
	for k := range t.contests {
		for variant, i := range t.contests[k].Cells {
			if i != study.NoAxis {
				t.rows[i].variant, t.rows[i].contest = variant, k
			}
		}
	}
}

// variants returns the names of the variants; one without a name if there is no such axis.
func (t *table) variants() []string {
	if t.axis == study.NoAxis {
		return []string{""}
	}
	return t.axes[t.axis].Levels
}

// offered tells whether load is offered to all runs until they end, so that their runtime
// is how long that was.
func (t *table) offered() bool {
	growth := slices.IndexFunc(t.metrics, func(m study.Column) bool { return m.Name == "backlog_growth_percent" })
	if growth < 0 {
		return false
	}
	known := 0
	for i := range t.rows {
		r := &t.rows[i]
		n := r.Estimates[growth].N
		if n < r.Done {
			return false
		}
		known += n
	}
	return known > 0
}

// row fills in what a cell lacks from the runs of its variant. Estimates are over whole
// runs; if there are none, those that were cut short are better than nothing, and marked.
func (t *table) row(cell study.Cell, v *Variant) row {
	out := row{Cell: cell}
	if v == nil {
		return out
	}
	for _, run := range v.Runs {
		out.noted = append(out.noted, run.summary.Notices()...)
	}
	var used []*Reduced
	for _, run := range v.Runs {
		if !run.partial() {
			used = append(used, run)
		}
		if run.partial() {
			out.causes = append(out.causes, ending(&run.summary))
		}
	}
	if len(used) == 0 && len(v.Runs) > 0 {
		used, out.cut = v.Runs, true
	}
	if cell.Estimates == nil || out.cut {
		out.Estimates = make([]study.Estimate, len(t.metrics))
		values := make([][]float64, len(t.metrics))
		for _, run := range used {
			byName := map[string]float64{}
			for _, m := range run.summary.Metrics() {
				byName[m.Name] = m.Value
			}
			for i, m := range t.metrics {
				if value, ok := byName[m.Name]; ok {
					values[i] = append(values[i], value)
				}
			}
		}
		for i := range values {
			out.Estimates[i] = study.NewEstimate(values[i])
		}
	}
	out.tallies = map[string]tally{}
	see := func(group string, s *record.Stats) {
		n := out.tallies[group]
		n.messages += s.All()
		n.unfinished += s.Missing()
		n.notStarted += s.NotStarted()
		out.tallies[group] = n
	}
	for _, run := range used {
		see("", &run.summary.Stats)
		for _, g := range slices.Concat(run.summary.Groups, run.summary.Sizes) {
			see(g.Name, &g.Stats)
		}
	}
	if out.Unfinished == nil {
		out.Unfinished = map[string]float64{}
		for group, n := range out.tallies {
			if n.unfinished > 0 {
				out.Unfinished[group] = float64(n.unfinished) / float64(n.messages)
			}
		}
	}
	return out
}

// metricsOf returns the metrics of all variants, in the order in which they come.
func metricsOf(variants []Variant) []study.Column {
	seen := map[string]bool{}
	var columns []study.Column
	for _, v := range variants {
		for _, run := range v.Runs {
			for _, m := range run.summary.Metrics() {
				if !seen[m.Name] {
					seen[m.Name] = true
					columns = append(columns, study.NewColumn(&m))
				}
			}
		}
	}
	return columns
}

// metric returns the index of a metric, or -1.
func (t *table) metric(name string) int {
	for i := range t.metrics {
		if t.metrics[i].Name == name {
			return i
		}
	}
	return -1
}

// left returns how many messages of a group there were, how many did not finish and how
// many of these did not start.
func (t *table) left(r *row, group string) (messages, unfinished, notStarted float64) {
	if r.tallies != nil {
		n := r.tallies[group]
		return float64(n.messages), float64(n.unfinished), float64(n.notStarted)
	}
	prefix := ""
	if group != "" {
		prefix = group + "."
	}
	value := func(name string) float64 {
		i := t.metric(prefix + name)
		if i < 0 || i >= len(r.Estimates) || math.IsNaN(r.Estimates[i].Mean) {
			return 0
		}
		return r.Estimates[i].Mean * float64(r.Estimates[i].N)
	}
	notStarted = value("not_started")
	return value("messages") + notStarted, value("unfinished") + notStarted, notStarted
}

// ending says in words why a run was cut short.
func ending(s *record.Summary) string {
	why := "was cut short"
	switch s.Ended {
	case record.Stuck:
		why = "made no progress"
	case record.Interrupted:
		why = "was interrupted"
	}
	if s.Deadlocked {
		return "ended in a " + s.Cause
	}
	if s.Cause != "" {
		why += ": " + s.Cause
	}
	return why
}

// estimate returns the estimate of a metric.
func (r *row) estimate(metric int) study.Estimate {
	if metric < 0 || metric >= len(r.Estimates) {
		nan := math.NaN()
		return study.Estimate{Mean: nan, Low: nan, High: nan, Min: nan, Max: nan}
	}
	return r.Estimates[metric]
}

// inRates shows the metrics that are rates in one unit.
func (t *table) inRates() {
	var rates []int
	largest := 0.0
	for i := range t.metrics {
		if t.metrics[i].Unit != gigabits {
			continue
		}
		rates = append(rates, i)
		for k := range t.rows {
			if e := t.rows[k].estimate(i); e.N > 0 {
				largest = max(largest, e.Max)
			}
		}
	}
	name, factor := scaleOf(largest)
	if factor == 1 {
		return
	}
	t.metrics = slices.Clone(t.metrics)
	for _, i := range rates {
		t.metrics[i].Unit = name
	}
	for k := range t.rows {
		estimates := slices.Clone(t.rows[k].Estimates)
		for _, i := range rates {
			if i < len(estimates) {
				estimates[i] = scaled(estimates[i], factor)
			}
		}
		t.rows[k].Estimates = estimates
	}
}

// unit returns the unit in which a metric is shown that comes in a unit.
func (t *table) unit(in string, metric int) string {
	if in == gigabits {
		return t.metrics[metric].Unit
	}
	return in
}
