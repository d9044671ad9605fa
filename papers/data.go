package papers

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"weft/config"
	"weft/record"
	"weft/study"
)

// Data is what a study left at a scale, as checks see it.
type Data struct {
	Axes  []study.Axis
	Cells []study.PlannedCell
	Seeds []uint64
	// Units are the units of metrics and measures, by name.
	Units map[string]string
	// Titles are what they are called in texts, by name; a name is its own without one.
	Titles map[string]string
	// value returns a metric of a run.
	value func(cell int, seed uint64, metric string) (float64, error)
	// status returns how a run ended, "" if it has not, and what its failure was.
	status func(cell int, seed uint64) (study.Status, string)
	// known returns a number that has its own interval instead of a value for each
	// seed, nil if it has not been computed; it is nil itself for runs.
	known func(cell int, metric string) (*study.Estimate, error)
	// lacks tells whether a metric was not published with a run; nil if there is no such run.
	lacks func(cell int, seed uint64, metric string) bool
	// preferred is the study at another scale, whose cells count where they were run; nil
	// if none do. Alone tells that the study is run at that scale only.
	preferred *Data
	alone     bool
}

// Sample is a metric of a cell over its seeds.
type Sample struct {
	// Cell is the cell's name.
	Cell string
	// Values are by seed, in the order of Seeds; NaN where there is none.
	Seeds  []uint64
	Values []float64
	// Missing counts runs that have not ended, Failed those without a whole result.
	Missing, Failed int
	// Unpublished counts the missing runs that have ended, but were published without the metric.
	Unpublished int
	// Why is what the first failure was.
	Why string
	// Share is which share of the messages that the metric is of did not finish, in all
	// runs together; 0 if that is not known.
	Share float64
	// Endless tells that every run got stuck, and that the metric is a time which such
	// a run would never come to the end of.
	Endless bool
	// Window is what weft's judgement of stability found wrong with the measurement window of a run,
	// empty if nothing or if that is not known.
	Window string
	Unit   string
	// Known is the number of an analysis, which has no values of seeds.
	Known *study.Estimate
	// Preferred tells that it is of the scale that is preferred, Both that its runs are the
	// same at both scales.
	Preferred, Both bool
}

// Estimate sums up the sample.
func (s *Sample) Estimate() study.Estimate {
	if s.Known != nil {
		return *s.Known
	}
	return study.NewEstimate(s.Values)
}

// incomplete says why a sample of a study's metric is not whole.
func (s *Sample) incomplete(study, metric string) string {
	if s.Missing > 0 && s.Unpublished == s.Missing {
		return fmt.Sprintf("published runs of study %s lack the metric %s; run the study", study, metric)
	}
	return "study " + study + " is not complete"
}

// sample collects a metric of a cell.
func (d *Data) sample(cell int, metric string) (*Sample, error) {
	if s, err := d.preferredSample(cell, metric); s != nil || err != nil {
		return s, err
	}
	s := &Sample{Cell: d.Cells[cell].Name, Seeds: d.Seeds, Unit: d.unit(metric), Both: d.both(cell)}
	if d.known != nil {
		var err error
		if s.Known, err = d.known(cell, metric); err == nil && s.Known == nil {
			s.Missing = 1
		}
		return s, err
	}
	stuck := 0
	lost, all := 0.0, 0.0
	of := metric[:strings.LastIndex(metric, ".")+1] // a group of traffic or a class of sizes
	for _, seed := range d.Seeds {
		v := math.NaN()
		switch status, why := d.status(cell, seed); {
		case status == "":
			s.Missing++
		case status == study.Done && d.lacks != nil && d.lacks(cell, seed, metric):
			s.Missing++
			s.Unpublished++
		case status == study.Done:
			var err error
			if v, err = d.value(cell, seed, metric); err != nil {
				return nil, err
			}
			if n, err := d.value(cell, seed, of+"unfinished"); err == nil && n > 0 {
				lost += n
			}
			if n, err := d.value(cell, seed, of+"messages"); err == nil && n > 0 {
				all += n
			}
			if s.Window == "" {
				s.Window = d.window(cell, seed, metric)
			}
		default:
			s.Failed++
			if status == study.Partial {
				stuck++
			}
			if s.Why == "" {
				s.Why = fmt.Sprintf("%s: %s", status, why)
			}
		}
		s.Values = append(s.Values, v)
	}
	s.Endless = stuck == len(d.Seeds) && MetricNamed(metric).Completion
	if all > 0 {
		s.Share = lost / all
	}
	return s, nil
}

// window reports what is wrong with the measurement window of a run for a metric, empty if nothing is or
// if the run was published without the judgement.
func (d *Data) window(cell int, seed uint64, metric string) string {
	if metric == unstableMetric || metric == growthMetric {
		return ""
	}
	growth, err := d.value(cell, seed, growthMetric)
	if err != nil || math.IsNaN(growth) {
		return ""
	}
	unstable, err := d.value(cell, seed, unstableMetric)
	if err != nil {
		return ""
	}
	return inWindow(growth, unstable, d.unit(metric) == "Gb/s")
}

// labelsOf returns the labels of a cell, by its axes.
func (d *Data) labelsOf(cell int) map[string]string {
	at := map[string]string{}
	for i, a := range d.Axes {
		at[a.Name] = a.Levels[d.Cells[cell].Levels[i]]
	}
	return at
}

// cell finds the cell at labels of axes; none if the study leaves it out.
func (d *Data) cell(at map[string]string) (int, bool) {
	levels := make([]int, len(d.Axes))
	for i, a := range d.Axes {
		levels[i] = slices.Index(a.Levels, at[a.Name])
	}
	i := slices.IndexFunc(d.Cells, func(c study.PlannedCell) bool { return slices.Equal(c.Levels, levels) })
	return i, i >= 0
}

// axis finds an axis by its name, or by the path of the parameter that it changes.
func (d *Data) axis(name string) (study.Axis, bool) {
	i := slices.IndexFunc(d.Axes, func(a study.Axis) bool { return a.Name == name })
	if i < 0 && name != "" {
		i = slices.IndexFunc(d.Axes, func(a study.Axis) bool { return a.Path == name })
	}
	if i < 0 {
		return study.Axis{}, false
	}
	return d.Axes[i], true
}

// computed is a measure of a run, or why there is none.
type computed struct {
	value float64
	err   error
}

// dataOf returns what a study's folder has. Measures are computed when they are
// asked for, from the results that are kept; one that a run does not have is wrong
// at its place.
func dataOf(plan *study.Plan, s *study.Study, measures []Measure, place func(measure int) config.Place) *Data {
	d := &Data{Axes: plan.Axes, Cells: plan.Cells, Seeds: plan.Seeds, Units: units(measures), Titles: titles(measures)}
	entry := func(cell int, seed uint64) (study.Run, study.Entry, bool) {
		if s == nil {
			return study.Run{}, study.Entry{}, false
		}
		r := s.Plan.Of(cell, []uint64{seed})[0]
		e, ok := s.Entry(r)
		return r, e, ok
	}
	d.status = func(cell int, seed uint64) (study.Status, string) {
		_, e, ok := entry(cell, seed)
		if !ok {
			return "", ""
		}
		return e.Status, e.Message
	}
	d.lacks = func(cell int, seed uint64, metric string) bool {
		r, _, ok := entry(cell, seed)
		if !ok {
			return false
		}
		a, elsewhere := s.Adopted(r)
		return elsewhere && !a.Knows(metric)
	}
	ofRun := map[string][]computed{}
	d.value = func(cell int, seed uint64, metric string) (float64, error) {
		r, e, ok := entry(cell, seed)
		i := slices.IndexFunc(measures, func(m Measure) bool { return m.Name == metric })
		switch {
		case !ok:
			return math.NaN(), nil
		case i < 0 || adopted(s, r):
			if v, ok := e.Metrics[metric]; ok {
				return v, nil
			}
			return math.NaN(), nil
		}
		if ofRun[r.Key] == nil {
			result, err := s.Result(r)
			if err != nil {
				return 0, fmt.Errorf("the result of %s cannot be read: %w", s.Plan.RunName(r), err)
			}
			for j, m := range measures {
				v, err := m.Of(result)
				if err != nil {
					err = config.Problemf(place(j), "measure %s of %s: %w", m.Name, s.Plan.RunName(r), err)
				}
				ofRun[r.Key] = append(ofRun[r.Key], computed{v, err})
			}
		}
		return ofRun[r.Key][i].value, ofRun[r.Key][i].err
	}
	return d
}

// adopted tells whether a run was executed elsewhere, so that its measures came with it.
func adopted(s *study.Study, r study.Run) bool {
	_, elsewhere := s.Adopted(r)
	return elsewhere
}

// units lists the units of metrics and measures.
func units(measures []Measure) map[string]string {
	list := map[string]string{}
	for _, m := range record.KnownMetrics() {
		list[m.Name] = m.Unit
	}
	for _, m := range measures {
		list[m.Name] = m.unit()
	}
	return list
}

// titles are what metrics and measures are called, by name.
func titles(measures []Measure) map[string]string {
	list := map[string]string{}
	for _, m := range record.KnownMetrics() {
		list[m.Name] = m.Title
	}
	for _, m := range measures {
		if m.About != "" {
			list[m.Name] = m.About
		}
	}
	return list
}

// title is what a metric is called, also a group's.
func (d *Data) title(metric string) string {
	group, name, ok := strings.Cut(metric, ".")
	if !ok {
		return cmp.Or(d.Titles[metric], metric)
	}
	return cmp.Or(d.Titles[name], name) + " of " + group
}

// Open opens the runs of a study at a scale, below the folder of the paper's
// results. It returns nil if there are none, and ErrStale if they belong to
// another state of the ledger.
func (p *Planned) Open(out string) (*study.Study, error) {
	s, err := study.Open(StudyDir(out, p.Scale, p.Study.Stored()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !sameRuns(s.Plan, p.Plan) {
		return nil, ErrStale
	}
	return s, nil
}

// ErrStale reports that runs belong to another state of the ledger.
var ErrStale = errors.New("the runs are of another state of the ledger")

// sameRuns tells whether two plans have the same cells and seeds, whatever program
// they are for.
func sameRuns(a, b *study.Plan) bool {
	return slices.Equal(a.Seeds, b.Seeds) && slices.EqualFunc(a.Cells, b.Cells, func(x, y study.PlannedCell) bool {
		return x.Hash == y.Hash && slices.Equal(x.Levels, y.Levels)
	})
}
