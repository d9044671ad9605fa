package report

import (
	"errors"
	"fmt"
	"image/color"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"weft/trace/timeline"
	"weft/unit"
)

// RankChart is a figure of what the ranks of a job did over time, one row per rank, as wide as a page.
type RankChart struct {
	// Ranks are those that have a row, from top to bottom, of Total ranks.
	Ranks []int32
	Total int
	// Rows are the intervals of each of them, which Intervals of no less than RankStep keep small.
	Rows       [][]timeline.Interval
	Begin, End unit.Time
	// Title stands above the plot, if it is not empty.
	Title string
}

const (
	// mostRankRows is how many rows fit on a figure.
	mostRankRows = 64
	// rankSteps is how many intervals next to each other can be told apart.
	rankSteps = 800

	// Rows are as high as there is room for, within these bounds.
	rankRoom          = vg.Length(190)
	leastRow, mostRow = vg.Length(3), vg.Length(10)
	// rowGap is the share of a row that parts it from the next one.
	rowGap = 0.16
	// rankLabels is how many rows have a number.
	rankLabels = 16
)

// RankStep returns the resolution for the rows of a chart: the shortest interval that it can show.
func RankStep(begin, end unit.Time) unit.Time { return max((end-begin)/rankSteps, 1) }

// RankRows returns which ranks have a row: all, or else as many as fit, at equal distances from rank 0 on.
func RankRows(total int) []int32 {
	every := (total + mostRankRows - 1) / mostRankRows
	var list []int32
	for r := 0; r < total; r += every {
		list = append(list, int32(r))
	}
	return list
}

// Save draws the chart into a file, as Figure does.
func (c RankChart) Save(path string) error {
	f, err := c.Figure()
	if err != nil {
		return fmt.Errorf("drawing %s: %w", path, err)
	}
	return f.Save(path)
}

// Figure lays the chart out. It fails if there is nothing to draw.
func (c RankChart) Figure() (Figure, error) {
	if len(c.Rows) == 0 || len(c.Rows) != len(c.Ranks) {
		return Figure{}, fmt.Errorf("the chart has %d rows for %d ranks", len(c.Rows), len(c.Ranks))
	}
	if c.End <= c.Begin {
		return Figure{}, errors.New("the job takes no time")
	}
	n := float64(len(c.Rows))
	scale := timeScaleOf(inMicros(c.End - c.Begin))
	p := newPlot("Time ("+scale.name+")", "Rank")
	p.X.Min, p.X.Max = 0, inMicros(c.End-c.Begin)
	p.X.Tick.Marker = inUnits{ticks(8), scale.divisor}
	p.Y.Min, p.Y.Max = 0, n
	p.Y.Tick.Marker = plot.ConstantTicks(c.ticks())
	p.Add(c)
	keys := newLegend(pageWidth-2*gap, rankKeys())
	note := c.note()
	head := keys.height() + gap
	if note != "" {
		head += keyHeight
	}
	if c.Title != "" {
		head += titleHeight
	}
	tall := vg.Length(n)*min(max(rankRoom/vg.Length(n), leastRow), mostRow) + labelledAxisHeight
	return Figure{&figure{name: "ranks", width: pageWidth, height: head + tall + 2*gap, draw: func(canvas draw.Canvas) {
		canvas.SetColor(color.White)
		canvas.Fill(canvas.Rectangle.Path())
		canvas = draw.Crop(canvas, gap, -gap, gap, -gap)
		top, body := cutTop(canvas, head)
		if c.Title != "" {
			var title draw.Canvas
			title, top = cutTop(top, titleHeight)
			style := write(labelSize, ink(), text.XLeft, text.YTop)
			title.FillText(style, vg.Point{X: title.Min.X, Y: title.Max.Y - 2}, shorten(c.Title, style, title.Max.X-title.Min.X))
		}
		keys.draw(top)
		if note != "" {
			style := write(textSize, paleInk(), text.XLeft, middle)
			at := top.Max.Y - keys.height() - keyHeight/2
			top.FillText(style, vg.Point{X: top.Min.X, Y: at}, shorten(note, style, top.Max.X-top.Min.X))
		}
		p.Draw(body)
	}}}, nil
}

// note says which ranks are shown, if not all are.
func (c RankChart) note() string {
	shown := len(c.Ranks)
	if shown == c.Total {
		return ""
	}
	text := fmt.Sprintf("%d of %d ranks", shown, c.Total)
	if shown < 2 {
		return text
	}
	every := c.Ranks[1] - c.Ranks[0]
	for i, r := range c.Ranks {
		if r != c.Ranks[0]+int32(i)*every {
			return text
		}
	}
	return fmt.Sprintf("%s: each %dth from rank %d on", text, every, c.Ranks[0])
}

// ticks number some rows at equal distances.
func (c RankChart) ticks() []plot.Tick {
	every := (len(c.Ranks) + rankLabels - 1) / rankLabels
	var list []plot.Tick
	for i := 0; i < len(c.Ranks); i += every {
		list = append(list, plot.Tick{Value: float64(len(c.Ranks)-i) - 0.5, Label: strconv.Itoa(int(c.Ranks[i]))})
	}
	return list
}

// Plot implements plot.Plotter. All intervals of a colour are one path, which keeps files small.
func (c RankChart) Plot(canvas draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&canvas)
	for _, k := range rankStates() {
		var path vg.Path
		for i, row := range c.Rows {
			top := float64(len(c.Rows) - i)
			high, low := y(top-rowGap/2), y(top-1+rowGap/2)
			for _, v := range row {
				if v.State != k.state {
					continue
				}
				from, to := x(inMicros(v.Begin-c.Begin)), x(inMicros(v.End-c.Begin))
				path = append(path, vg.Rectangle{Min: vg.Point{X: from, Y: low}, Max: vg.Point{X: to, Y: high}}.Path()...)
			}
		}
		if len(path) > 0 {
			canvas.SetColor(k.color)
			canvas.Fill(path)
		}
	}
}

// rankState is a state with its name and colour in figures.
type rankState struct {
	state timeline.State
	name  string
	color color.Color
}

// rankStates are the states that figures show. The colours differ in lightness, too, for print without
// colour. An idle rank has the colour of paper in this chart.
func rankStates() []rankState {
	return []rankState{
		{timeline.Computing, "computing", styleOf(0).color},
		{timeline.Exposed, "exposed communication", styleOf(4).color},
		{timeline.Waiting, "waiting for a rank that has not begun to send", color.Gray{0xcc}},
	}
}

func rankKeys() []key {
	var keys []key
	for _, s := range rankStates() {
		keys = append(keys, boxKey(s.name, s.color))
	}
	return keys
}

var _ plot.Plotter = RankChart{}
