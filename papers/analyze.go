package papers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/analysis"
	"weft/config"
	"weft/problem"
	"weft/study"
)

// Analysis is an analysis of graphs that a study runs instead of a scenario: a
// command of weft analyze, once for each of several fabrics.
type Analysis struct {
	Command string       `yaml:"command" doc:"Command of weft analyze, as in disjoint."`
	Flags   *config.Node `yaml:"flags" doc:"Flags of the command: a mapping of names to values; a list is written with commas."`
	Axis    string       `yaml:"axis" default:"fabric" doc:"Name of the axis whose levels are the fabrics."`
	Fabrics *config.Node `yaml:"fabrics" doc:"What is analyzed, one by one: a mapping of labels to arguments of the command. Without it, the command runs once without arguments."`
	By      string       `yaml:"by" default:"row" doc:"Name of the axis whose levels are the rows."`
	Rows    *config.Node `yaml:"rows" doc:"Rows of the results, a second axis: a mapping of labels to the name of a row beside its fabric, or else to what its name begins with. Without it, a number is that of the only row that has it."`
}

// Analyst runs commands of weft analyze.
type Analyst interface {
	// Check finds what is wrong with a command before anything is computed.
	Check(words []string) error
	// Run runs it. It calls progress, unless that is nil, with the share that is done.
	Run(ctx context.Context, words []string, progress func(share float64)) (*analysis.Result, error)
}

// Task is one run of an analysis.
type Task struct {
	// Label is the fabric's, empty if there is none.
	Label string
	// Words are the command with its flags and arguments, after weft analyze.
	Words []string
}

// Analyses are the runs of an analysis at a scale.
type Analyses struct {
	Study *Study
	Scale string
	Tasks []Task
	// Axes are the axes of fabrics and of rows, if there are several of either.
	Axes []study.Axis
	// rows are what rows are called, in the order of the axis.
	rows []string
	// place is where the command is named.
	place config.Place
}

// PlanAnalyses lists the runs of an analysis at a scale. What is wrong with it is a
// *config.Error; commands are checked unless analyst is nil.
func (l *Ledger) PlanAnalyses(s *Study, scale string, analyst Analyst) (*Analyses, error) {
	a, of := s.Analyze, s.at(scale)
	i := slices.IndexFunc(l.Studies, func(t Study) bool { return t.ID == s.ID })
	p := &Analyses{Study: s, Scale: scale, place: l.places.At(fmt.Sprintf("studies[%d].analyze.command", i))}
	if of.Seeds != nil || of.Set != nil {
		return nil, config.Problemf(p.place, "study %q is an analysis: a scale changes its flags and fabrics; set and seeds are for scenarios", s.ID)
	}
	flags := map[string]string{}
	var order []string
	for _, n := range []*config.Node{a.Flags, of.Flags} {
		names, values, err := pairs(n, "flags are a mapping of names to values, as in {samples: 1000}")
		if err != nil {
			return nil, err
		}
		for j, name := range names {
			if _, ok := flags[name]; !ok {
				order = append(order, name)
			}
			flags[name] = values[j]
		}
	}
	command := []string{a.Command}
	for _, name := range order {
		command = append(command, "--"+name+"="+flags[name])
	}
	fabrics := a.Fabrics
	if of.Fabrics != nil {
		fabrics = of.Fabrics
	}
	labels, arguments, err := pairs(fabrics, "fabrics are a mapping of labels to arguments, as in {Slim Fly: slim-fly:size=1k}")
	if err != nil {
		return nil, err
	}
	for j, label := range labels {
		p.Tasks = append(p.Tasks, Task{label, append(slices.Clone(command), strings.Fields(arguments[j])...)})
	}
	if len(labels) > 0 {
		p.Axes = append(p.Axes, study.Axis{Name: a.Axis, Levels: labels})
	} else {
		p.Tasks = []Task{{Words: command}}
	}
	rows, called, err := pairs(a.Rows, "rows are a mapping of labels to what they are called, as in {FatPaths: overlap n=9}")
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		p.Axes, p.rows = append(p.Axes, study.Axis{Name: a.By, Levels: rows}), called
	}
	if analyst == nil {
		return p, nil
	}
	errs := new(config.Error)
	for _, t := range p.Tasks {
		if err := analyst.Check(t.Words); err != nil {
			errs.Add(p.place, "weft analyze %s: %w", strings.Join(t.Words, " "), err)
		}
	}
	return p, errs.Err()
}

// pairs reads a mapping in its order; lists become words with commas.
func pairs(n *config.Node, wrong string) (keys, values []string, err error) {
	if n == nil || n.Kind == config.Null {
		return nil, nil, nil
	}
	if n.Kind != config.Mapping {
		return nil, nil, config.Problemf(n.Place, "%s, not %v", wrong, n.Kind)
	}
	for _, f := range n.Fields {
		value := f.Value.Text
		switch f.Value.Kind {
		case config.Scalar:
		case config.Sequence:
			var words []string
			for _, item := range f.Value.Items {
				words = append(words, item.Text)
			}
			value = strings.Join(words, ",")
		default:
			return nil, nil, config.Problemf(f.Place, "%s; %s has %v", wrong, f.Key, f.Value.Kind)
		}
		keys, values = append(keys, f.Key), append(values, value)
	}
	return keys, values, nil
}

// cells lists the cells of the analyses: one for each fabric and row.
func (p *Analyses) cells() []study.PlannedCell {
	var list []study.PlannedCell
	for i, t := range p.Tasks {
		for j := range max(1, len(p.rows)) {
			var c study.PlannedCell
			var words []string
			if t.Label != "" {
				c.Levels, words = append(c.Levels, i), append(words, t.Label)
			}
			if len(p.rows) > 0 {
				c.Levels, words = append(c.Levels, j), append(words, p.Axes[len(p.Axes)-1].Levels[j])
			}
			c.Name = strings.Join(words, ", ")
			list = append(list, c)
		}
	}
	return list
}

// number finds a number of a cell in the result of its fabric.
func (p *Analyses) number(cell int, r *analysis.Result, name string) (analysis.Number, error) {
	task, row := p.Tasks[cell/max(1, len(p.rows))], ""
	if len(p.rows) > 0 {
		row = p.rows[cell%len(p.rows)]
	}
	var found []analysis.Number
	var names, called []string
	for i := range r.Rows {
		is := rowName(&r.Rows[i], task.Words)
		if !slices.Contains(called, is) {
			called = append(called, is)
		}
		if row != "" && row != is {
			continue
		}
		for _, n := range r.Rows[i].Numbers {
			if n.Name == name {
				found = append(found, n)
			}
			if !slices.Contains(names, n.Name) {
				names = append(names, n.Name)
			}
		}
	}
	command := "weft analyze " + strings.Join(task.Words, " ")
	switch {
	case len(found) == 1:
		return found[0], nil
	case row != "" && !slices.Contains(called, row):
		return analysis.Number{}, problem.New("%s has no row %q", command, row).Mend("%s", remedy(row, called))
	case len(found) == 0:
		return analysis.Number{}, problem.New("%s has no number %q there", command, name).Mend("%s", remedy(name, names))
	}
	return analysis.Number{}, problem.New("%s has several numbers %q", command, name).Mend("separate its rows with rows: of the study; they are called %s", strings.Join(called, ", "))
}

// rowName returns the name of a row without the fabric that the command names. If nothing
// is left, it returns what the row describes.
func rowName(r *analysis.Row, words []string) string {
	for _, word := range words[1:] {
		fabric, _, _ := strings.Cut(word, "@")
		rest, ok := strings.CutPrefix(r.Name, fabric)
		if !ok || fabric == "" {
			continue
		}
		if rest == "" {
			return r.Of
		}
		if rest[0] == ' ' || rest[0] == ',' {
			if rest = strings.TrimLeft(rest, ", "); !strings.HasPrefix(rest, ":") {
				return rest
			}
		}
	}
	return r.Name
}
