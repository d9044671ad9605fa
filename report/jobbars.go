package report

import (
	"fmt"
	"image/color"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/record/section/jobs"
	"weft/unit"
)

// jobPart is a part of a job's time with its colour. Colours differ in lightness, too, for print without colour.
type jobPart struct {
	name  string
	color color.Color
	of    func(*jobs.Job) unit.Time
}

func jobParts() []jobPart {
	return []jobPart{
		{"computing", styleOf(0).color, func(j *jobs.Job) unit.Time { return j.Computing }},
		{"exposed communication", styleOf(4).color, func(j *jobs.Job) unit.Time { return j.Exposed }},
		{"waiting for a rank that has not begun to send", color.Gray{0xb8}, func(j *jobs.Job) unit.Time { return j.Waiting }},
		{"idle", color.Gray{0xe8}, func(j *jobs.Job) unit.Time { return j.Idle }},
	}
}

// jobFigures draws a bar per run of the time of its job, cut into the parts that its ranks spent; of several jobs,
// a block of bars each. A job that did not end has no bar.
func jobFigures(runs []run, on paper) ([]*figure, []string) {
	chart := barChart{name: "jobs", runs: runs}
	var names []string
	longest, found := unit.Time(0), map[string]bool{}
	for _, r := range runs {
		list := jobs.Of(r.Sections)
		if list == nil {
			continue
		}
		for _, j := range *list {
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
			list := jobs.Of(r.Sections)
			if list == nil {
				continue
			}
			for _, j := range *list {
				if j.Group == name {
					b := jobBar(&j, scale)
					b.run = i
					if len(names) > 1 {
						b.group = name
					}
					chart.bars = append(chart.bars, b)
				}
			}
		}
	}
	for _, part := range jobParts() {
		chart.keys = append(chart.keys, key{name: part.name, wide: keyHeight, draw: func(c draw.Canvas) {
			c.SetColor(part.color)
			c.Fill(draw.Crop(c, 1, -1, 1, -1).Rectangle.Path())
		}})
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
