package papers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/analysis"
	"weft/config"
	"weft/internal/userfile"
	"weft/problem"
	"weft/record"
	"weft/study"
)

// Analyzed is what was run of an analysis: for each task its result, nil if it was
// not run.
type Analyzed struct {
	Results []*analysis.Result
	// Programs are what they were run with, as study.Program returned it, and By the
	// versions of these.
	Programs []string
	By       []record.Program
	// adopted are those that were published, and not run here.
	adopted []bool
}

func newAnalyzed(tasks int) *Analyzed {
	return &Analyzed{make([]*analysis.Result, tasks), make([]string, tasks), make([]record.Program, tasks), make([]bool, tasks)}
}

// keptAnalysis is the file of a result.
type keptAnalysis struct {
	// Words are the command after weft analyze, by which the file is named.
	Words   []string         `json:"words"`
	Key     string           `json:"key"`
	Program record.Program   `json:"program"`
	Result  *analysis.Result `json:"result"`
}

// file names the result of a task: by its command, which has its parameters and its
// seed. Whether it is of the same program is noted in it.
func (p *Analyses) file(out string, task int) string {
	sum := sha256.Sum256([]byte(strings.Join(p.Tasks[task].Words, "\x00")))
	return filepath.Join(StudyDir(out, p.Scale, p.Study.Stored()), hex.EncodeToString(sum[:8])+".json")
}

// Open reads what was run of the analyses below the folder of the paper's results.
func (p *Analyses) Open(out string) (*Analyzed, error) {
	a := newAnalyzed(len(p.Tasks))
	for i, t := range p.Tasks {
		path := p.file(out, i)
		text, err := userfile.Read(path, maxTable)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("the result of an analysis cannot be read: %w", err)
		}
		var kept keptAnalysis
		if err := json.Unmarshal(text, &kept); err != nil {
			return nil, problem.New("%s is not a result of an analysis (%w)", path, err).Mend("delete it, and weft papers run computes it again")
		}
		if slices.Equal(kept.Words, t.Words) {
			a.Results[i], a.Programs[i], a.By[i] = kept.Result, kept.Key, kept.Program
		}
	}
	return a, nil
}

// Missing counts the tasks that were not run, or, unless programs are named, not with
// one of them.
func (a *Analyzed) Missing(programs ...string) int {
	n := 0
	for i := range a.Results {
		if a.lacks(i, programs) {
			n++
		}
	}
	return n
}

func (a *Analyzed) lacks(task int, programs []string) bool {
	return a.Results[task] == nil || len(programs) > 0 && !slices.Contains(programs, a.Programs[task])
}

// RunAnalyses runs the analyses of a study that have no result of this program, or of its
// revision of results, and keeps each before it goes on. Begin is told of each task; the function
// that it returns, of how far that is, and done of its end.
func (e *Evaluator) RunAnalyses(ctx context.Context, s *Study, begin func(Task) (progress func(float64), done func(error))) error {
	p, have, out := e.Analyses[s.ID], e.Analyzed[s.ID], e.Out
	if err := os.MkdirAll(StudyDir(out, p.Scale, p.Study.Stored()), 0o777); err != nil {
		return fmt.Errorf("results of analyses cannot be kept: %w", err)
	}
	for i, t := range p.Tasks {
		if !have.lacks(i, e.programs()) {
			continue
		}
		progress, done := begin(t)
		r, err := e.Analyst.Run(ctx, t.Words, progress)
		if err == nil {
			err = p.keep(p.file(out, i), keptAnalysis{t.Words, e.Program, record.CurrentProgram(), r})
		}
		done(err)
		if err != nil {
			return fmt.Errorf("weft analyze %s: %w", strings.Join(t.Words, " "), err)
		}
	}
	return nil
}

// MissingAnalyses counts the analyses of a study that RunAnalyses would run.
func (e *Evaluator) MissingAnalyses(s *Study) int { return e.Analyzed[s.ID].Missing(e.programs()...) }

// programs are those whose results need not be computed again: this one, and, since what is
// published is named by it, any of the same revision of results.
func (e *Evaluator) programs() []string {
	if e.Revision == "" {
		return []string{e.Program}
	}
	return []string{e.Program, e.Revision}
}

// keep writes a result so that whoever reads sees all of it or nothing.
func (p *Analyses) keep(path string, k keptAnalysis) error {
	text, err := json.MarshalIndent(k, "", " ")
	if err != nil {
		return fmt.Errorf("a result cannot be written: %w", err)
	}
	if err := userfile.WriteBytes(path, append(text, '\n')); err != nil {
		return fmt.Errorf("a result cannot be kept: %w", err)
	}
	return nil
}

// data is what the analyses left, as checks see it: numbers with the intervals that
// the analysis gives.
func (p *Analyses) data(a *Analyzed) *Data {
	d := &Data{Axes: p.Axes, Cells: p.cells(), Seeds: []uint64{1}, Units: map[string]string{}}
	of := func(cell int) *analysis.Result {
		if a == nil {
			return nil
		}
		return a.Results[cell/max(1, len(p.rows))]
	}
	for cell := range d.Cells {
		if r := of(cell); r != nil {
			for _, row := range r.Rows {
				for _, n := range row.Numbers {
					d.Units[n.Name] = n.Unit
				}
			}
		}
	}
	d.known = func(cell int, metric string) (*study.Estimate, error) {
		r := of(cell)
		if r == nil {
			return nil, nil
		}
		n, err := p.number(cell, r, metric)
		if err != nil {
			return nil, err
		}
		// Two, since an interval is of more than one.
		return &study.Estimate{N: 2, Mean: n.Value, Low: n.Low, High: n.High, Min: n.Low, Max: n.High}, nil
	}
	d.status = func(cell int, _ uint64) (study.Status, string) {
		if of(cell) == nil {
			return "", ""
		}
		return study.Done, ""
	}
	return d
}

// planAnalysis plans an analysis and opens what was run of it.
func (e *Evaluator) planAnalysis(i int) error {
	s := &e.Studies[i]
	p, err := e.PlanAnalyses(s, e.Scale, e.Analyst)
	if err != nil {
		e.broken[s.ID], e.data[s.ID] = err, nil
		return nil
	}
	e.Analyses[s.ID] = p
	a := newAnalyzed(len(p.Tasks))
	if e.Out != "" {
		if a, err = p.Open(e.Out); err != nil {
			return err
		}
	}
	published, err := e.publishedAnalyses(p)
	if err != nil {
		return err
	}
	if e.Published {
		a.adopt(published)
	}
	e.Analyzed[s.ID], e.offeredAnalyses[s.ID] = a, published
	e.data[s.ID] = p.data(a)
	errs := new(config.Error)
	for j := range s.Draw {
		errs.Append(p.checkDraw(&s.Draw[j], e.places.At(fmt.Sprintf("studies[%d].draw[%d]", i, j))))
	}
	if err := errs.Err(); err != nil {
		e.broken[s.ID] = err
	}
	return nil
}

// checkDraw finds figures, axes and labels that an analysis does not have.
func (p *Analyses) checkDraw(d *Draw, at config.Place) error {
	if !slices.Contains([]string{"bars", "lines", "plots", "model"}, d.Kind) {
		return config.Wrong(at, problem.New("a figure of kind %s needs runs, which an analysis has none of", d.Kind).Mend("draw bars, lines or plots"))
	}
	errs := new(config.Error)
	data := &Data{Axes: p.Axes}
	for _, n := range []*config.Node{d.At, d.Over} {
		errs.Append(labels(n, data, map[string][]string{}, false))
	}
	for key, axis := range map[string]string{"x": d.X, "color": d.Color} {
		if _, ok := data.axis(axis); !ok && axis != "" && !(key == "color" && axis == defaultColor) {
			var names []string
			for _, a := range p.Axes {
				names = append(names, a.Name)
			}
			errs.Report(at, problem.New("%s: the study has no axis %q", key, axis).Mend("%s", remedy(axis, names)))
		}
	}
	return errs.Err()
}

// Plots returns the plots that analyses came with, at the levels that are drawn: of
// fabrics, those whose axis of x begins with x, and of each the panels joined by their
// title's.
func (e *Evaluator) Plots(s *Study, d *Draw) ([]analysis.Plot, error) {
	p, a := e.Analyses[s.ID], e.Analyzed[s.ID]
	if p == nil || a == nil {
		return nil, fmt.Errorf("study %s has not been run", s.ID)
	}
	at := map[string][]string{}
	if err := labels(d.At, e.data[s.ID], at, false); err != nil {
		return nil, err
	}
	var list []analysis.Plot
	for i, r := range a.Results {
		label := p.Tasks[i].Label
		if wanted := at[s.Analyze.Axis]; len(wanted) > 0 && !slices.Contains(wanted, label) {
			continue
		}
		if r == nil || a.adopted[i] {
			return nil, fmt.Errorf("study %s has not been run here for %s, and plots are not published; weft papers run computes it", s.ID, label)
		}
		for _, q := range r.Plots {
			if !strings.HasPrefix(q.X, d.Of) {
				continue
			}
			if label != "" {
				q.Title = label
			}
			list = append(list, q)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("study %s has no plots", s.ID)
	}
	return joined(list), nil
}

// joined puts lines of one each into a panel for each pair of axes.
func joined(list []analysis.Plot) []analysis.Plot {
	if slices.ContainsFunc(list, func(q analysis.Plot) bool { return len(q.Lines) != 1 }) {
		return list
	}
	var out []analysis.Plot
	for _, q := range list {
		line := q.Lines[0]
		if q.Title != "" {
			line.Name = q.Title
		}
		i := slices.IndexFunc(out, func(o analysis.Plot) bool { return o.X == q.X && o.Y == q.Y })
		if i < 0 {
			q.Title, q.Lines = "", nil
			out, i = append(out, q), len(out)
		}
		out[i].Lines = append(out[i].Lines, line)
	}
	return out
}
