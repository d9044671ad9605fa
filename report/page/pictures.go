package page

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"weft/record"
	"weft/report/internal/thin"
	"weft/unit"
)

// newTimelines returns the timelines of the first run of each row that has some,
// thinned so that all together fit the page.
func (p *payload) newTimelines(runs [][]*Reduced, b budget) []timelineData {
	type chosen struct {
		row int
		run *Reduced
	}
	var all []chosen
	lines := 0
	for i, of := range runs {
		at := slices.IndexFunc(of, func(r *Reduced) bool { return len(r.lines) > 0 })
		if at < 0 {
			continue
		}
		all = append(all, chosen{i, of[at]})
		lines += len(of[at].lines)
	}
	if lines == 0 {
		return nil
	}
	points := max(b.linePoints/lines, b.leastLine)
	// With very many lines even that is too much: then each run keeps fewer of a kind,
	// and if that is still too much the last runs have none.
	perRun := max(b.linePoints/b.leastLine/len(all), leastLines)
	var out []timelineData
	total := 0
	for i, c := range all {
		timeline := newTimeline(c.row, c.run, points, perRun)
		total += timeline.points()
		if i > 1 && total > 2*b.linePoints {
			p.LeftOut = append(p.LeftOut, fmt.Sprintf("Timelines of the last %d variants are left out: the page has no room for them.", len(all)-i))
			break
		}
		out = append(out, timeline)
	}
	return out
}

// leastLines is how many lines of a run are kept at least.
const leastLines = 12

// points counts the points of all lines.
func (t *timelineData) points() int {
	n := 0
	for _, l := range t.Lines {
		n += len(l.Values.values)
	}
	return n
}

func newTimeline(row int, run *Reduced, points, mostLines int) timelineData {
	lines, left := fewerLines(run, mostLines)
	factor := thin.Factor(len(lines[0].values), points)
	span := 1
	if total := factor * lines[0].factor; total > 1 {
		span = 2 * total
	}
	interval := float64(run.manifest.Interval) / float64(unit.Microsecond)
	t := timelineData{
		Row: row, Seed: strconv.FormatUint(run.manifest.Seed, 10), Bucket: num(interval),
		Step: num(interval * float64(factor*lines[0].factor)), Span: span, Left: left, Marks: []markData{},
	}
	for _, m := range run.marks {
		t.Marks = append(t.Marks, markData{num(micros(m.At)), m.What})
	}
	for _, l := range hottest(lines) {
		if !slices.Contains(t.Hottest, l.entity) {
			t.Hottest = append(t.Hottest, l.entity)
		}
	}
	for _, l := range lines {
		t.Lines = append(t.Lines, lineData{l.kind, l.entity, nums{thin.Values(l.values, factor), 4}})
	}
	return t
}

// fewerLines returns at most so many lines, the hottest entities of each kind, and how
// many were left out.
func fewerLines(run *Reduced, most int) ([]line, map[string]int) {
	left := map[string]int{}
	for kind, n := range run.left {
		left[kind] = n
	}
	if len(run.lines) <= most {
		return run.lines, left
	}
	kinds := map[string]int{}
	for _, l := range run.lines {
		kinds[l.kind]++
	}
	each := max(most/len(kinds), 1)
	kept := map[string]map[string]bool{}
	for _, l := range hottest(run.lines) {
		if kept[l.kind] == nil {
			kept[l.kind] = map[string]bool{}
		}
		if len(kept[l.kind]) == each {
			left[l.kind]++
			continue
		}
		kept[l.kind][l.entity] = true
	}
	return slices.DeleteFunc(slices.Clone(run.lines), func(l line) bool { return !kept[l.kind][l.entity] }), left
}

// hottest returns lines in order of heat, and otherwise as they were.
func hottest(lines []line) []line {
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(b.heat, a.heat) })
	return lines
}

func micros(t unit.Time) float64 { return float64(t) / float64(unit.Microsecond) }

// newMaps returns the map of the first run of each row that has one. Runs with the same
// topology share its layout.
func (p *payload) newMaps(runs [][]*Reduced, b budget) mapsData {
	var out mapsData
	out.Layouts, out.Runs = []layoutData{}, []mapData{}
	layouts := map[string]int{}
	var networks []*network
	links, without := 0, 0
	for i, of := range runs {
		at := slices.IndexFunc(of, func(r *Reduced) bool { return r.network != nil })
		if at < 0 {
			continue
		}
		n := of[at].network
		layout := newLayout(n)
		key := fmt.Sprint(layout)
		id, known := layouts[key]
		more := len(n.links)
		if !known {
			more *= 3 // A layout takes about twice what the numbers of a whole run take.
		}
		if links+more > b.mapLinks && len(networks) > 0 {
			without++
			continue
		}
		links += more
		if !known {
			id = len(out.Layouts)
			layouts[key] = id
			out.Layouts = append(out.Layouts, layout)
		}
		out.Runs = append(out.Runs, mapData{Row: i, Seed: strconv.FormatUint(of[at].manifest.Seed, 10), Layout: id})
		networks = append(networks, n)
	}
	for i, n := range networks {
		out.Runs[i].fill(n, b.mapNumbers/len(networks))
	}
	if without > 0 {
		p.LeftOut = append(p.LeftOut, fmt.Sprintf("Maps of %d variants are left out: the page has no room for them.", without))
	}
	return out
}

func newLayout(n *network) layoutData {
	l := layoutData{Layout: n.layout, Hosts: n.hosts, Switches: n.switches, Ports: n.ports}
	for _, node := range n.nodes {
		l.Nodes = append(l.Nodes, nodeData{node.name, node.host, node.tier, node.members, num(round(node.x, 5)), num(round(node.y, 5))})
	}
	for _, link := range n.links {
		l.Links = append(l.Links, linkData{link.from, link.to, link.name, link.ports, num(link.rate / float64(unit.Gbps))})
	}
	return l
}

// fill adds what links did, joining frames until there are at most so many numbers.
func (m *mapData) fill(n *network, most int) {
	m.Whole = frameOf(&n.whole)
	m.Frames = []frameData{}
	m.Joined = 1
	if len(n.frames) == 0 {
		return
	}
	for len(n.frames)*len(n.links)*3 > most*m.Joined && m.Joined < len(n.frames) {
		m.Joined++
	}
	span := n.span * unit.Time(m.Joined)
	m.Span = num(micros(span))
	for _, f := range n.join(m.Joined) {
		m.Frames = append(m.Frames, frameOf(&f))
	}
}

func frameOf(f *mapFrame) frameData {
	d := frameData{At: num(micros(f.at)), Load: nums{digits: 3}, Queue: nums{digits: 3}, Drops: nums{digits: 6}}
	for i := range f.bytes {
		d.Load.values = append(d.Load.values, 100*record.ShareOf(f.bytes[i], f.room[i]))
		d.Queue.values = append(d.Queue.values, f.queue[i]/1000)
		d.Drops.values = append(d.Drops.values, f.drops[i])
	}
	return d
}
