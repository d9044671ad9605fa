package study

import (
	"cmp"
	"slices"

	"weft/internal/printable"
	"weft/record"
)

// Table sums up the runs that have ended.
func (s *Study) Table() *Table {
	p := s.Plan
	t := &Table{Name: p.Name, Axes: p.Axes, Metrics: s.columns()}
	var sums estimator
	values := make([][]float64, len(t.Metrics))
	for i := range p.Cells {
		c := Cell{Name: p.Cells[i].Name, Levels: p.Cells[i].Levels, Preset: p.Cells[i].Preset, Runs: len(p.Seeds)}
		for m := range values {
			values[m] = values[m][:0]
		}
		missing := shortfall{}
		for _, seed := range p.Seeds {
			e, ok := s.index.entries[p.run(i, seed).Key]
			if !ok {
				continue
			}
			switch e.Status {
			case Done:
				c.Done++
			case Partial:
				c.Partial++
				c.Note(e.notices())
				continue
			default:
				c.Failed++
				continue
			}
			c.Note(e.notices())
			missing.add(e.Metrics)
			for m := range t.Metrics {
				if v, ok := e.Metrics[t.Metrics[m].Name]; ok {
					values[m] = append(values[m], v)
				}
			}
		}
		c.Unfinished = missing.shares()
		for m := range values {
			c.Estimates = append(c.Estimates, sums.estimate(values[m]))
		}
		t.Cells = append(t.Cells, c)
	}
	loaded := t.loaded()
	for i := range t.Cells {
		t.Cells[i].Windowed = loaded
	}
	return t
}

// loaded reports whether all finished runs offered load through a measured window up to its
// end. Such runs have a backlog. A run of a burst may finish before the end, and then has
// no backlog.
func (t *Table) loaded() bool {
	growth := t.Column("backlog_growth_percent")
	return growth >= 0 && !slices.ContainsFunc(t.Cells, func(c Cell) bool { return c.Estimates[growth].N < c.Done })
}

// columns lists the metrics that some run of the plan has. Metrics of all messages come
// first, in the order of summaries, followed by those for each group.
func (s *Study) columns() []Column {
	found := map[string]bool{}
	groups := map[string]bool{}
	var order []string
	for _, r := range s.Plan.Runs() {
		for name := range s.index.entries[r.Key].Metrics {
			found[name] = true
			if group, _ := record.SplitMetric(name); group != "" && !groups[group] {
				groups[group] = true
				order = append(order, group)
			}
		}
	}
	slices.Sort(order)
	var titles map[string]string
	if slices.ContainsFunc(order, record.IsSizeClass) {
		titles = s.classes()
	}
	var list []Column
	for _, m := range record.KnownMetrics(order...) {
		if !found[m.Name] {
			continue
		}
		c := NewColumn(&m)
		if m.Group != "" {
			c.Title = cmp.Or(titles[m.Group], m.Group) + ": " + c.Title
		}
		list = append(list, c)
	}
	return list
}

// classes returns the titles of size classes for people. It reads them from one run, since
// all runs of a study have the same classes.
func (s *Study) classes() map[string]string {
	titles := map[string]string{}
	for _, r := range s.Plan.Runs() {
		if s.index.entries[r.Key].Status != Done {
			continue
		}
		sum, err := s.store.summary(r.Key)
		if err != nil { // adopted, or gone: their names will do
			continue
		}
		for i := range sum.Sizes {
			titles[sum.Sizes[i].Name] = printable.Line(sum.Sizes[i].Title())
		}
		break
	}
	return titles
}

// Column returns the index of a metric in the table, or -1.
func (t *Table) Column(name string) int {
	return slices.IndexFunc(t.Metrics, func(c Column) bool { return c.Name == name })
}

// Failures lists the runs of a part that have no complete result, by name.
func (s *Study) Failures(part Part) []Entry {
	var list []Entry
	for _, r := range s.Plan.In(part) {
		if e, ok := s.index.entries[r.Key]; ok && e.Status != Done {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Seed, b.Seed)) })
	return list
}

// Shown returns the main metrics of the table for people. It leaves out counts that are 0
// everywhere.
func (t *Table) Shown() []string {
	var list []string
	for _, name := range t.shown() {
		i := t.Column(name)
		if i < 0 {
			continue
		}
		count := t.Metrics[i].Unit == "" && t.Metrics[i].LowerIsBetter
		if !count || slices.ContainsFunc(t.Cells, func(c Cell) bool { return c.Estimates[i].Max > 0 }) {
			list = append(list, name)
		}
	}
	return list
}

// Main returns the main metrics that apply to the table's runs. The metrics that the runs
// were made for come first. The runtime does not apply if load is offered until the end.
func (t *Table) Main() []string {
	var list []string
	for _, name := range record.LeadingMetrics() {
		list = append(list, t.Leading(name)...)
	}
	list = append(list, MainMetrics()...)
	if !t.loaded() {
		return list
	}
	return slices.DeleteFunc(list, func(name string) bool {
		i := t.Column(name)
		return i >= 0 && t.Metrics[i].UntilLast()
	})
}

// Leading returns the columns that tables over all traffic have for a leading metric. Of several jobs each has its own
// time. The other metrics would be means over ranks of different jobs, so these are left out.
func (t *Table) Leading(name string) []string {
	var own []string
	for _, m := range t.Metrics {
		if group, rest := record.SplitMetric(m.Name); group != "" && rest == name {
			own = append(own, m.Name)
		}
	}
	switch whole := t.Column(name) >= 0; {
	case whole && len(own) < 2:
		return []string{name}
	case len(own) > 0 && t.Metrics[t.Column(own[0])].UntilLast():
		return own
	}
	return nil
}

// shown returns the metrics that Shown chooses from.
func (t *Table) shown() []string {
	list := append(t.Main(), faultMetrics()...)
	loads := loadMetrics()
	if t.Column("buffer_max_bytes") < 0 { // not a study of loads; only the column for unstable runs is left
		loads = loads[len(loads)-1:]
	}
	return append(list, loads...)
}

// Only returns the table with the given metrics only. It fails if the table lacks one.
func (t *Table) Only(metrics []string) (*Table, error) {
	out := *t
	out.Metrics, out.Cells = nil, slices.Clone(t.Cells)
	for i := range out.Cells {
		out.Cells[i].Estimates = nil
	}
	for _, name := range metrics {
		j := t.Column(name)
		if j < 0 {
			return nil, t.Unknown(name)
		}
		out.Metrics = append(out.Metrics, t.Metrics[j])
		for i := range out.Cells {
			out.Cells[i].Estimates = append(out.Cells[i].Estimates, t.Cells[i].Estimates[j])
		}
	}
	return &out, nil
}
