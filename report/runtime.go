package report

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/internal/readable"
	"weft/record"
	"weft/record/section/jobs"
	"weft/study"
	"weft/trace/timeline"
	"weft/unit"
)

const (
	barHeight = vg.Length(9)
	barGap    = vg.Length(3)
	groupGap  = vg.Length(9)
	tickLabel = vg.Length(30) // what a number at the axis takes
)

// bar is a number of one run, or of one group of traffic in it.
type bar struct {
	run   int
	group string
	value float64
	text  string
	// parts are the pieces of a bar that has several, from its left.
	parts []barPart
}

// runtimeFigures draws a bar per run, from the first start to the last finish; of several
// groups of traffic, a block of bars each.
func runtimeFigures(runs []run, on paper) ([]*figure, []string) {
	chart := barChart{name: "runtime", runs: runs, groups: groupNames(runs)}
	summaries := make([]record.Summary, len(runs))
	for i, r := range runs {
		summaries[i] = r.Summary
	}
	best := bestRuntimes(summaries)
	largest, whole := 0.0, false
	for _, group := range chart.groups {
		for _, r := range runs {
			s, _ := r.Summary.Of(group)
			largest, whole = max(largest, inMicros(s.Runtime)), whole || s.Whole(r.Partial)
		}
	}
	if !whole {
		return nil, []string{"runtime: not drawn, because every run left messages unfinished"}
	}
	scale := timeScaleOf(largest) // of the axis and of what stands at the bars
	for _, group := range chart.groups {
		for i, r := range runs {
			s, ok := r.Summary.Of(group)
			if !ok {
				continue
			}
			b := bar{run: i, group: group, text: runtimeText(s, r.Partial, scale)}
			// A bar as long as what is known would look shorter than those of whole runs.
			if s.Whole(r.Partial) {
				b.value = inMicros(s.Runtime) / scale.divisor
			}
			if s.Whole(r.Partial) && len(runs) > 1 && best[group] > 0 {
				b.text = fmt.Sprintf("%s (%.2f×)", b.text, float64(s.Runtime)/float64(best[group]))
			}
			b.text += r.inBrackets()
			chart.bars = append(chart.bars, b)
		}
	}
	chart.axis = fmt.Sprintf("Runtime (%s)", scale.name)
	return chart.figures(on), nil
}

// slowdownBars draws a block of bars of the median and of the 99th percentile of slowdowns of each
// group of traffic, and of the latter one for each class of sizes, a bar a run. The ideal is without headers,
// the same for all runs, so that they can be compared.
func slowdownBars(runs []run, on paper) ([]*figure, []string) {
	chart := barChart{name: "slowdown", runs: runs, axis: slowdownAxis}
	some := false
	block := func(group string, of func(s *record.Summary) (record.Stats, float64)) {
		drawn := false
		for i, r := range runs {
			s, value := of(&r.Summary)
			b := bar{run: i, group: group, value: value, text: readable.Significant(value, 4) + r.inBrackets()}
			switch {
			case s.All() == 0:
				continue
			case !finished(&s, r.Partial):
				b.value, b.text = 0, study.Unfinished
			case value == 0:
				continue
			}
			drawn, some = true, some || b.value > 0
			chart.bars = append(chart.bars, b)
		}
		if drawn {
			chart.groups = append(chart.groups, group)
		}
	}
	for _, name := range groupNames(runs) { // which have little in common
		of := func(q func(record.Quantiles) float64) func(s *record.Summary) (record.Stats, float64) {
			return func(s *record.Summary) (record.Stats, float64) {
				stats, _ := s.Of(name)
				return stats, q(stats.SlowdownBare)
			}
		}
		title := func(what string) string {
			if name == "" {
				return what
			}
			return what + ", " + name
		}
		block(title("Median"), of(func(q record.Quantiles) float64 { return q.P50 }))
		block(title("99th percentile"), of(func(q record.Quantiles) float64 { return q.P99 }))
	}
	for _, class := range runs[0].Summary.Sizes {
		block("99th percentile, "+class.Title(), func(s *record.Summary) (record.Stats, float64) {
			i := slices.IndexFunc(s.Sizes, func(g record.Group) bool { return g.Name == class.Name })
			if i < 0 {
				return record.Stats{}, 0
			}
			return s.Sizes[i].Stats, s.Sizes[i].SlowdownBare.P99
		})
	}
	if !some {
		return nil, []string{"slowdown: not drawn, because every run left messages unfinished"}
	}
	return chart.figures(on), nil
}

// runtimeText writes a runtime, or how far a run came that left messages unfinished.
func runtimeText(s record.Stats, partial bool, scale timeScale) string {
	us := inMicros(s.Runtime)
	if us == 0 {
		return "none finished"
	}
	t := scale.text(us)
	if s.Whole(partial) {
		return t
	}
	if s.Missing() == 0 {
		return fmt.Sprintf("%s after %s", study.Unfinished, t)
	}
	return fmt.Sprintf("%s after %s, %d of %d messages", study.Unfinished, t, s.Missing(), s.All())
}

// jobPart is a part of a job's time with its colour. Colours differ in lightness, too, for print without colour.
type jobPart struct {
	name  string
	color color.Color
	of    func(*jobs.Job) unit.Time
}

func jobParts() []jobPart {
	of := []func(*jobs.Job) unit.Time{
		func(j *jobs.Job) unit.Time { return j.Computing }, func(j *jobs.Job) unit.Time { return j.Exposed }, func(j *jobs.Job) unit.Time { return j.Waiting },
	}
	var parts []jobPart
	for i, s := range rankStates() {
		parts = append(parts, jobPart{s.name, s.color, of[i]})
	}
	return append(parts, jobPart{"idle", color.Gray{0xee}, func(j *jobs.Job) unit.Time { return j.Idle }})
}

// jobs returns the traces that the hosts of a run replayed.
func (r *run) jobs() jobs.Jobs {
	if list := jobs.Of(r.Sections); list != nil {
		return *list
	}
	return nil
}

// jobFigures draws a bar per run of the time of its job, cut into the parts that its ranks spent; of several jobs,
// a block of bars each. A job that did not end has no bar.
func jobFigures(runs []run, on paper) ([]*figure, []string) {
	chart := barChart{name: "jobs", runs: runs}
	var names []string
	longest, found := unit.Time(0), map[string]bool{}
	for _, r := range runs {
		for _, j := range r.jobs() {
			if !found[j.Group] {
				found[j.Group] = true
				names = append(names, j.Group)
			}
			if j.Left == 0 {
				longest = max(longest, j.Time)
			}
		}
	}
	switch {
	case len(names) == 0:
		return nil, []string{"jobs: not drawn, because no run replayed a trace"}
	case longest == 0:
		return nil, []string{"jobs: not drawn, because no trace came to its end"}
	}
	scale := timeScaleOf(inMicros(longest))
	for _, name := range names {
		for i, r := range runs {
			for _, j := range r.jobs() {
				if j.Group != name {
					continue
				}
				b := jobBar(&j, scale)
				b.run = i
				if len(names) > 1 {
					b.group = name
				}
				chart.bars = append(chart.bars, b)
			}
		}
	}
	for _, part := range jobParts() {
		chart.keys = append(chart.keys, boxKey(part.name, part.color))
	}
	chart.axis = fmt.Sprintf("Time of the job, mean of ranks (%s)", scale.name)
	return chart.figures(on), nil
}

func jobBar(j *jobs.Job, scale timeScale) bar {
	if j.Left > 0 {
		return bar{text: strconv.FormatInt(j.Left, 10) + " operations did not end"}
	}
	b := bar{value: inMicros(j.Time) / scale.divisor}
	b.text = fmt.Sprintf("%.4g, %.0f %% exposed", b.value, 100*float64(j.Exposed)/float64(max(1, j.Time)))
	for _, part := range jobParts() {
		b.parts = append(b.parts, barPart{inMicros(part.of(j)) / scale.divisor, part.color})
	}
	return b
}

// barPart is a piece of a bar.
type barPart struct {
	value float64
	color color.Color
}

// fillParts draws the pieces of a bar one behind the other.
func fillParts(c draw.Canvas, parts []barPart, x func(float64) vg.Length, top vg.Length) {
	from := 0.0
	for _, part := range parts {
		left, right := x(from), x(from+part.value)
		c.FillPolygon(part.color, []vg.Point{{X: left, Y: top}, {X: right, Y: top}, {X: right, Y: top - barHeight}, {X: left, Y: top - barHeight}})
		from += part.value
	}
}

// rankFigures draws what ranks did over time, a figure per run and job.
func rankFigures(runs []run, _ paper) (list []*figure, notices []string) {
	for _, r := range runs {
		for _, c := range r.rankCharts() {
			f, err := c.Figure()
			if err != nil {
				notices = append(notices, fmt.Sprintf("ranks of %s: not drawn, because %v", r.name, err))
				continue
			}
			list = append(list, f.of)
		}
	}
	if len(list) == 0 && len(notices) == 0 {
		notices = []string{"ranks: not drawn, because no run replayed a trace"}
	}
	return numbered(list), notices
}

// rankCharts returns the charts of a run's jobs.
func (r *run) rankCharts() (list []*RankChart) {
	states := map[string]timeline.State{}
	for s := range timeline.State(timeline.States) {
		states[s.String()] = s
	}
	of := map[string]*RankChart{}
	for _, a := range r.activities {
		c := of[a.Group]
		if c == nil {
			c = &RankChart{Title: r.name + ": " + a.Group, Begin: a.Begin}
			of[a.Group] = c
			list = append(list, c)
		}
		if n := len(c.Ranks); n == 0 || c.Ranks[n-1] != a.Rank {
			c.Ranks, c.Rows = append(c.Ranks, a.Rank), append(c.Rows, nil)
		}
		row := &c.Rows[len(c.Rows)-1]
		*row = append(*row, timeline.Interval{Begin: a.Begin, End: a.End, State: states[a.State]})
		c.Begin, c.End = min(c.Begin, a.Begin), max(c.End, a.End)
	}
	for _, c := range list {
		c.Total = len(c.Ranks)
	}
	for _, j := range r.jobs() {
		if c := of[j.Group]; c != nil {
			c.Total = j.Ranks
		}
	}
	return list
}
