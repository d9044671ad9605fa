// Package jobview turns what the ranks of traces did into what a page shows of it: rows of jobs and of collectives,
// and a chart of ranks over time.
package jobview

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"weft/internal/readable"
	"weft/record"
	"weft/record/section/jobs"
	"weft/unit"
)

// Kept is what a page keeps of a run.
type Kept struct {
	Jobs        jobs.Jobs
	Collectives []record.Collective
	// Activities are those of at most mostRows ranks of each job, if charts are drawn.
	Activities []record.Activity
}

// mostRows is how many ranks of a job a chart shows.
const mostRows = 16

// Keep returns what a page keeps of a result; nil if no traces were replayed.
func Keep(r *record.Result, charts bool) *Kept {
	list := jobs.Of(r.Summary.Sections)
	if list == nil || len(*list) == 0 {
		return nil
	}
	k := &Kept{Jobs: slices.Clone(*list), Collectives: slices.Clone(r.Jobs.Collectives)}
	if !charts {
		return k
	}
	for _, j := range k.Jobs {
		shown := thinned(r.Jobs.Activities, j.Group)
		for _, a := range r.Jobs.Activities {
			if a.Group == j.Group && slices.Contains(shown, a.Rank) {
				k.Activities = append(k.Activities, a)
			}
		}
	}
	return k
}

// thinned returns the ranks of a job that a chart shows, at equal distances.
func thinned(list []record.Activity, group string) (shown []int32) {
	var all []int32
	for _, a := range list {
		if a.Group == group && (len(all) == 0 || all[len(all)-1] != a.Rank) {
			all = append(all, a.Rank)
		}
	}
	n := min(mostRows, len(all))
	for i := range n {
		shown = append(shown, all[i*len(all)/n])
	}
	return shown
}

// View is what a page shows of several runs.
type View struct {
	Rows        []row
	Collectives []collective
	Charts      []chart
}

// row is a job of a run. Shares are in percent.
type row struct {
	Variant, Job string
	Ranks        int
	Time         string
	// Shares are those of computing, exposed communication, waiting and idling.
	Shares [4]string
	Left   int64
}

// collective is a class of collectives of a job of a run.
type collective struct {
	Variant, Job, Name, Of string
	Ranks                  int32
	Calls                  int64
	Bytes                  int64
	Time, Algorithm, Bus   string
}

// chart is what ranks of a job did over time.
type chart struct {
	Title, Note string
	SVG         template.HTML
}

// Add adds a run.
func (v *View) Add(variant string, k *Kept) {
	for _, j := range k.Jobs {
		line := row{Variant: variant, Job: j.Group, Ranks: j.Ranks, Time: micros(j.Time), Left: j.Left}
		for i, part := range []unit.Time{j.Computing, j.Exposed, j.Waiting, j.Idle} {
			line.Shares[i] = strconv.FormatFloat(100*float64(part)/float64(max(1, j.Time)), 'f', 1, 64)
		}
		v.Rows = append(v.Rows, line)
		if c := newChart(variant, &j, k.Activities); c != nil {
			v.Charts = append(v.Charts, *c)
		}
	}
	for _, c := range k.Collectives {
		v.Collectives = append(v.Collectives, collective{
			Variant: variant, Job: c.Group, Name: c.Name, Of: c.Of, Ranks: c.Ranks, Calls: c.Calls,
			Bytes: c.Bytes, Time: micros(c.Time), Algorithm: readable.GBps(float64(c.AlgorithmRate) / 8), Bus: readable.GBps(float64(c.BusRate) / 8),
		})
	}
}

func micros(t unit.Time) string {
	return strconv.FormatFloat(float64(t)/float64(unit.Microsecond), 'f', 1, 64)
}

// The chart is drawn in these units, and as wide as the page.
const (
	chartWidth = 1000
	rowHeight  = 12
	axisHeight = 22
	leftMargin = 52
)

// states are those that have a colour, with the names of their style classes. A rank that is done or idle has none.
var states = [...]string{"computing", "exposed", "waiting"}

// newChart draws the ranks of a job; nil without activities.
func newChart(variant string, j *jobs.Job, list []record.Activity) *chart {
	var ranks []int32
	first, last := unit.Forever, unit.Time(0)
	for _, a := range list {
		if a.Group != j.Group {
			continue
		}
		if !slices.Contains(ranks, a.Rank) {
			ranks = append(ranks, a.Rank)
		}
		first, last = min(first, a.Begin), max(last, a.End)
	}
	if len(ranks) == 0 || last <= first {
		return nil
	}
	slices.Sort(ranks)
	x := func(t unit.Time) float64 {
		return leftMargin + (chartWidth-leftMargin-8)*float64(t-first)/float64(last-first)
	}
	paths := map[string]*strings.Builder{}
	for _, s := range states {
		paths[s] = new(strings.Builder)
	}
	for _, a := range list {
		b := paths[a.State]
		if a.Group != j.Group || b == nil {
			continue
		}
		row := slices.Index(ranks, a.Rank)
		fmt.Fprintf(b, "M%.1f %dH%.1fv%dH%.1fz", x(a.Begin), row*rowHeight+1, x(a.End), rowHeight-2, x(a.Begin))
	}
	height := len(ranks)*rowHeight + axisHeight
	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg class="ranks" viewBox="0 0 %d %d" role="img" aria-label="What ranks did over time">`, chartWidth, height)
	for _, s := range states {
		if paths[s].Len() > 0 {
			fmt.Fprintf(&svg, `<path class="%s" d="%s"/>`, s, paths[s])
		}
	}
	for i, r := range ranks {
		fmt.Fprintf(&svg, `<text x="%d" y="%d" text-anchor="end">%d</text>`, leftMargin-6, i*rowHeight+rowHeight-2, r)
	}
	axis(&svg, last-first, len(ranks)*rowHeight)
	svg.WriteString("</svg>")
	note := ""
	if len(ranks) < j.Ranks {
		note = fmt.Sprintf("%d of %d ranks.", len(ranks), j.Ranks)
	}
	title := variant
	if title == "" || j.Group != title {
		title = strings.TrimSpace(variant + " " + j.Group)
	}
	return &chart{Title: title, Note: note, SVG: template.HTML(svg.String())}
}

// axis draws the axis of time with its unit.
func axis(svg *strings.Builder, length unit.Time, top int) {
	scale, name := unit.Microsecond, "µs"
	switch {
	case length >= 10*unit.Second:
		scale, name = unit.Second, "s"
	case length >= 10*unit.Millisecond:
		scale, name = unit.Millisecond, "ms"
	}
	whole := float64(length) / float64(scale)
	fmt.Fprintf(svg, `<path class="axis" d="M%d %dH%d"/>`, leftMargin, top+2, chartWidth-8)
	const ticks = 4
	for i := range ticks + 1 {
		at := float64(leftMargin) + (chartWidth-leftMargin-8)*float64(i)/ticks
		anchor := "middle"
		if i == ticks {
			anchor = "end"
		}
		text := strconv.FormatFloat(whole*float64(i)/ticks, 'g', 4, 64)
		if i == ticks {
			text += " " + name
		}
		fmt.Fprintf(svg, `<text x="%.1f" y="%d" text-anchor="%s">%s</text>`, at, top+16, anchor, text)
	}
}
