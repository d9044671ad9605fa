package page

import (
	"math"
	"slices"

	"weft/record"
	"weft/report/internal/bysize"
	"weft/study"
)

// styles is how many colours, dashes and shapes the page has.
const styles = 8

// payload is the data block of a page, in the units that it shows.
type payload struct {
	Title string `json:"title"`
	Study bool   `json:"study"`
	// Offered: runs end while load is offered, so that slowdowns take the place of runtimes.
	Offered bool `json:"offered"`
	// Few is up to which share of messages that did not finish charts have no warning.
	Few num `json:"few"`
	// Ends are what the ends of intervals are called.
	Ends [2]string  `json:"ends"`
	Axes []axisData `json:"axes"`
	// Axis is that of the variants, -1 if there is none. Variants are their names, and
	// Panels those of the combinations of the other axes' levels.
	Axis     int          `json:"axis"`
	Variants []string     `json:"variants"`
	Panels   []string     `json:"panels"`
	Metrics  []metricData `json:"metrics"`
	// Rows are the variants or cells, in order; the data below goes by their number.
	Rows   []rowData   `json:"rows"`
	Groups []groupData `json:"groups"`
	// RateUnit is that of the rates of timelines and maps.
	RateUnit  string         `json:"rate_unit"`
	Timelines []timelineData `json:"timelines"`
	Maps      mapsData       `json:"maps"`
	// LeftOut says what the page has no room for.
	LeftOut []string `json:"left_out"`
}

type axisData struct {
	Name    string   `json:"name"`
	Levels  []string `json:"levels"`
	Numbers []num    `json:"numbers,omitempty"`
	Unit    string   `json:"unit,omitempty"`
}

type metricData struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Unit    string `json:"unit"`
	Lower   bool   `json:"lower"`
	Neutral bool   `json:"neutral"`
	// UntilLast: it lasts until the last message finishes.
	UntilLast bool `json:"untilLast,omitempty"`
}

type rowData struct {
	Name string `json:"name"`
	// Variant and Panel are places in the lists of the page.
	Variant int   `json:"variant"`
	Panel   int   `json:"panel"`
	Levels  []int `json:"levels"`
	Runs    int   `json:"runs"`
	Done    int   `json:"done"`
	Partial int   `json:"partial"`
	Failed  int   `json:"failed"`
	// Marks are the words for what qualifies the numbers; Barred: some of it keeps the row from
	// being ranked.
	Marks  string `json:"marks,omitempty"`
	Barred bool   `json:"barred,omitempty"`
	// Cut: there is no whole run.
	Cut bool `json:"cut"`
	// Unfinished are the messages and how many of them did not finish or start, a group
	// each.
	Unfinished map[string][2]num `json:"unfinished"`
	// Instead is what stands in the place of the values of a group that do not count.
	Instead map[string]string `json:"instead,omitempty"`
	// Estimates are n, mean, low and high of each metric; n is 0 where the value does not
	// count.
	Estimates [][4]num `json:"estimates"`
}

// groupData are the messages of a group of traffic, "" for all, in each row.
type groupData struct {
	Name string `json:"name"`
	// OneSize is set if all messages of all rows have this size.
	OneSize int64               `json:"one_size"`
	Binned  bool                `json:"binned"`
	Rows    []*distributionData `json:"rows"`
}

// distributionData are the messages of a row over all its seeds.
type distributionData struct {
	Messages    int64      `json:"messages"`
	Unfinished  int64      `json:"unfinished"`
	Approximate bool       `json:"approximate"`
	FCT         curveData  `json:"fct"`
	Slowdown    curveData  `json:"slowdown"`
	Sizes       []sizeData `json:"sizes"`
}

// curveData is a distribution: values, and the share of all messages up to each.
type curveData struct {
	Values nums   `json:"values"`
	Shares nums   `json:"shares"`
	P      [3]num `json:"p"`
}

type sizeData struct {
	From       int64  `json:"from"`
	To         int64  `json:"to"`
	Mean       num    `json:"mean"`
	Messages   int64  `json:"messages"`
	Unfinished int64  `json:"unfinished"`
	FCT        [3]num `json:"fct"`
	Slowdown   [3]num `json:"slowdown"`
}

type timelineData struct {
	Row  int    `json:"row"`
	Seed string `json:"seed"`
	// Step is the time from a point to the next in µs, Bucket the length of the
	// recorded buckets, and Span over how many buckets a pair of points is the least
	// and the most, 1 if nothing was thinned.
	Step   num        `json:"step"`
	Bucket num        `json:"bucket"`
	Span   int        `json:"span"`
	Marks  []markData `json:"marks"`
	Lines  []lineData `json:"lines"`
	// Hottest are the entities of the lines, those that did most of anything first.
	Hottest []string `json:"hottest"`
	// Left counts what was recorded and is not here, by kind.
	Left map[string]int `json:"left,omitempty"`
}

type markData struct {
	At   num    `json:"at"`
	What string `json:"what"`
}

type lineData struct {
	Kind   string `json:"kind"`
	Entity string `json:"entity"`
	Values nums   `json:"values"`
}

type mapsData struct {
	Layouts []layoutData `json:"layouts"`
	Runs    []mapData    `json:"runs"`
}

type layoutData struct {
	Layout   string     `json:"layout"`
	Hosts    int        `json:"hosts"`
	Switches int        `json:"switches"`
	Ports    int        `json:"ports"`
	Nodes    []nodeData `json:"nodes"`
	Links    []linkData `json:"links"`
}

type nodeData struct {
	Name    string `json:"name"`
	Host    bool   `json:"host"`
	Tier    int    `json:"tier"`
	Members int    `json:"members"`
	X       num    `json:"x"`
	Y       num    `json:"y"`
}

type linkData struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Name  string `json:"name"`
	Ports int    `json:"ports"`
	Rate  num    `json:"rate"`
}

type mapData struct {
	Row    int         `json:"row"`
	Seed   string      `json:"seed"`
	Layout int         `json:"layout"`
	Whole  frameData   `json:"whole"`
	Frames []frameData `json:"frames"`
	// Span is the length of a frame in µs, Joined how many snapshots it is of.
	Span   num `json:"span"`
	Joined int `json:"joined"`
}

// frameData has a number a link: load in percent, queue in kB, dropped frames.
type frameData struct {
	At    num  `json:"at"`
	Load  nums `json:"load"`
	Queue nums `json:"queue"`
	Drops nums `json:"drops"`
}

func newPayload(r *Report, t *table, b budget) *payload {
	p := &payload{Title: r.title(), Study: r.Table != nil, Offered: t.offered(), Few: record.FewUnfinished, Ends: t.ends(), Axis: t.axis, Variants: t.variants(), LeftOut: []string{}}
	for i := range t.contests {
		p.Panels = append(p.Panels, t.contests[i].Name)
	}
	for _, a := range t.axes {
		axis := axisData{Name: a.Name, Levels: a.Levels, Unit: a.Unit}
		for _, v := range a.Numbers {
			axis.Numbers = append(axis.Numbers, num(v))
		}
		p.Axes = append(p.Axes, axis)
	}
	for _, m := range t.metrics {
		p.Metrics = append(p.Metrics, metricData{m.Name, m.Title, m.Unit, m.LowerIsBetter, m.Neutral, m.UntilLast()})
	}
	runs := make([][]*Reduced, len(t.rows))
	for i := range t.rows {
		row := &t.rows[i]
		p.Rows = append(p.Rows, t.newRowData(row))
		for _, v := range r.Variants {
			if v.Name == row.Name {
				runs[i] = v.Runs
			}
		}
	}
	p.Groups = p.newGroups(t, runs, b)
	p.Timelines = p.newTimelines(runs, b)
	p.Maps = p.newMaps(runs, b)
	p.inRates()
	return p
}

func (t *table) newRowData(r *row) rowData {
	d := rowData{
		Name: r.Name, Variant: r.variant, Panel: r.contest, Levels: r.Levels,
		Runs: r.Runs, Done: r.Done, Partial: r.Partial, Failed: r.Failed, Cut: r.cut,
		Marks: r.Marks(), Barred: r.NotRanked(), Unfinished: map[string][2]num{}, Instead: map[string]string{},
	}
	for group, n := range r.tallies {
		d.Unfinished[group] = [2]num{num(n.messages), num(n.unfinished)}
	}
	for i, e := range r.Estimates {
		m := &t.metrics[i]
		if instead := r.Instead(m); instead != "" {
			if !m.UntilLast() {
				d.Instead[m.Group] = instead
			}
			e = study.NewEstimate(nil)
		}
		d.Estimates = append(d.Estimates, [4]num{num(e.N), num(e.Mean), num(e.Low), num(e.High)})
	}
	return d
}

// newGroups pools the messages of each row over its seeds.
func (p *payload) newGroups(t *table, runs [][]*Reduced, b budget) []groupData {
	var names []string
	for _, of := range runs {
		for _, run := range of {
			for _, g := range run.groups {
				if !slices.Contains(names, g.Name) {
					names = append(names, g.Name)
				}
			}
		}
	}
	if b.allOnly && len(names) > 1 {
		names = names[:1]
		p.LeftOut = append(p.LeftOut, "Distributions and sizes of single groups of traffic are left out: the page has no room for them.")
	}
	points := min(max(b.curvePoints/max(2*len(names)*len(runs), 1), b.leastCurve), mostCurve)
	groups := make([]groupData, len(names))
	for i, name := range names {
		groups[i] = newGroup(name, t, runs, points)
	}
	return groups
}

func newGroup(name string, t *table, runs [][]*Reduced, points int) groupData {
	out := groupData{Name: name, Rows: make([]*distributionData, len(runs))}
	pooled := make([]*bysize.Group, len(runs))
	for i, of := range runs {
		for _, run := range of {
			// Runs that were cut short count only where there is nothing else.
			if run.partial() && !t.rows[i].cut {
				continue
			}
			for _, g := range run.groups {
				if g.Name != name {
					continue
				}
				if pooled[i] == nil {
					pooled[i] = bysize.NewGroup(name)
				}
				pooled[i].Merge(g)
			}
		}
	}
	binned, one := bysize.Align(pooled)
	out.Binned, out.OneSize = binned, int64(one)
	for i, g := range pooled {
		if g == nil {
			continue
		}
		out.Rows[i] = newDistribution(g, points, t.rows[i].Misses(name))
	}
	return out
}

// newDistribution sums up messages; of those of which more than a few did not finish, there
// are no percentiles.
func newDistribution(g *bysize.Group, points int, unfinished bool) *distributionData {
	messages := g.All.Messages + g.NotStarted
	d := &distributionData{
		Messages:    messages,
		Unfinished:  g.All.Unfinished() + g.NotStarted,
		Approximate: g.All.FCT.Approximate(),
		FCT:         newCurve(&g.All.FCT, messages, points),
		Slowdown:    newCurve(&g.All.Slowdown, messages, points),
	}
	if unfinished {
		nothing := num(math.NaN())
		d.FCT.P, d.Slowdown.P = [3]num{nothing, nothing, nothing}, [3]num{nothing, nothing, nothing}
	}
	for _, s := range g.Sorted() {
		data := sizeData{
			From: int64(s.From), To: int64(s.To), Mean: num(s.Mean()),
			Messages: s.Messages, Unfinished: s.Unfinished(),
			FCT: threeOf(&s.FCT), Slowdown: threeOf(&s.Slowdown),
		}
		// What the others took would look good.
		if unfinished || !s.Few() {
			nothing := num(math.NaN())
			data.FCT, data.Slowdown = [3]num{nothing, nothing, nothing}, [3]num{nothing, nothing, nothing}
		}
		d.Sizes = append(d.Sizes, data)
	}
	return d
}

// threeOf returns the median, the 95th and the 99th percentile.
func threeOf(s *bysize.Sketch) [3]num {
	q := s.Quantiles(50, 95, 99)
	return [3]num{num(q[0]), num(q[1]), num(q[2])}
}

func newCurve(s *bysize.Sketch, messages int64, points int) curveData {
	c := curveData{Values: nums{digits: 5}, Shares: nums{digits: 6}, P: threeOf(s)}
	for _, step := range s.Curve(points) {
		c.Values.values = append(c.Values.values, step.Value)
		c.Shares.values = append(c.Shares.values, float64(step.UpTo)/float64(messages))
	}
	return c
}

// inRates shows the rates of timelines and maps in one unit.
func (p *payload) inRates() {
	largest := 0.0
	p.eachRate(func(v float64) float64 {
		if v > largest { // which a bucket without a value is not
			largest = v
		}
		return v
	})
	var factor float64
	if p.RateUnit, factor = scaleOf(largest); factor != 1 {
		p.eachRate(func(v float64) float64 { return v * factor })
	}
}

// eachRate replaces rates in Gb/s.
func (p *payload) eachRate(by func(float64) float64) {
	for i := range p.Timelines {
		for k := range p.Timelines[i].Lines {
			l := &p.Timelines[i].Lines[k]
			if !slices.Contains([]string{record.Accepted, record.Transmitted, record.Pace}, l.Kind) {
				continue
			}
			l.Values.values = slices.Clone(l.Values.values)
			for at, v := range l.Values.values {
				l.Values.values[at] = by(v)
			}
		}
	}
	for i := range p.Maps.Layouts {
		for k := range p.Maps.Layouts[i].Links {
			l := &p.Maps.Layouts[i].Links[k]
			l.Rate = num(by(float64(l.Rate)))
		}
	}
}
