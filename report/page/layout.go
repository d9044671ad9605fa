package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/internal/natural"
	"weft/record"
)

const (
	// mostHosts is up to how many hosts are drawn one by one. More are drawn as one
	// node below each of their switches.
	mostHosts = 64
	// mostInTier is how many nodes of a tier are drawn. Of more, neighbours by name are
	// drawn as one.
	mostInTier = 48
	// mostLinks is how many directed links are drawn.
	mostLinks = 1400
)

// Layouts of the map.
const (
	layered  = "layers"
	circular = "circle"
)

type graphNode struct {
	name string
	host bool
	tier int
}

// graph is the topology by indices.
type graph struct {
	nodes []graphNode
	ports []record.Port
	ends  []pair // of the ports
}

// pair is the two ends of a port.
type pair struct{ from, to int }

// drawing is what a map draws of a graph.
type drawing struct {
	nodes  []mapNode
	links  []mapLink
	layout string
	// linkOf gives the link that each port is drawn as.
	linkOf []int
}

// newGraph returns the graph of nodes and ports. Nodes that are not listed, as in
// results of older programs, are hosts if their name says so, and get their tier from
// the links.
func newGraph(nodes []record.Node, ports []record.Port) *graph {
	g := &graph{ports: ports, ends: make([]pair, len(ports))}
	index := make(map[string]int, len(nodes))
	for _, n := range nodes {
		index[n.Name] = len(g.nodes)
		g.nodes = append(g.nodes, graphNode{n.Name, n.Kind == "host", int(n.Tier)})
	}
	var unlisted []string
	for i := range ports {
		for _, name := range []string{ports[i].From, ports[i].To} {
			if _, known := index[name]; !known {
				unlisted = append(unlisted, name)
			}
		}
	}
	slices.SortFunc(unlisted, natural.Compare)
	for _, name := range slices.Compact(unlisted) {
		index[name] = len(g.nodes)
		g.nodes = append(g.nodes, graphNode{name, strings.HasPrefix(strings.ToLower(name), "host"), 0})
	}
	for i := range ports {
		g.ends[i] = pair{index[ports[i].From], index[ports[i].To]}
	}
	if len(unlisted) > 0 {
		g.findTiers()
	}
	return g
}

// findTiers sets each node's tier to the number of links to the nearest host.
func (g *graph) findTiers() {
	neighbours := g.neighbours()
	for i := range g.nodes {
		g.nodes[i].tier = -1
	}
	var queue []int
	for i := range g.nodes {
		if g.nodes[i].host {
			g.nodes[i].tier = 0
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, next := range neighbours[at] {
			if g.nodes[next].tier < 0 {
				g.nodes[next].tier = g.nodes[at].tier + 1
				queue = append(queue, next)
			}
		}
	}
	for i := range g.nodes {
		g.nodes[i].tier = max(g.nodes[i].tier, 0)
		if !g.nodes[i].host {
			g.nodes[i].tier = max(g.nodes[i].tier, 1)
		}
	}
}

func (g *graph) neighbours() [][]int {
	next := make([][]int, len(g.nodes))
	for _, l := range g.ends {
		next[l.from] = append(next[l.from], l.to)
	}
	return next
}

// draw chooses a layout, joins nodes until the map can be read, and places them.
func (g *graph) draw() drawing {
	layout := g.chooseLayout()
	members, hosts := g.byTier(layout)
	above := g.above()
	for inTier := mostInTier; ; inTier /= 2 {
		d := drawing{layout: layout}
		drawn := g.joinSwitches(&d, members, inTier)
		g.joinHosts(&d, hosts, above, drawn)
		g.joinLinks(&d, drawn)
		if len(d.links) <= mostLinks || inTier <= 4 {
			place(&d)
			return d
		}
	}
}

// chooseLayout draws layers if links between switches join different tiers, as in
// trees, and else a circle.
func (g *graph) chooseLayout() string {
	within, between := 0, 0
	for _, l := range g.ends {
		a, b := g.nodes[l.from], g.nodes[l.to]
		switch {
		case a.host || b.host:
		case a.tier == b.tier:
			within++
		default:
			between++
		}
	}
	hosts := slices.ContainsFunc(g.nodes, func(n graphNode) bool { return n.host })
	if within > between/4 && within > 2 || !hosts {
		return circular
	}
	return layered
}

// byTier returns the switches of each tier and the hosts, in order of their names.
func (g *graph) byTier(layout string) (tiers map[int][]int, hosts []int) {
	tiers = map[int][]int{}
	for i, n := range g.nodes {
		switch {
		case n.host:
			hosts = append(hosts, i)
		case layout == circular:
			tiers[1] = append(tiers[1], i)
		default:
			tiers[n.tier] = append(tiers[n.tier], i)
		}
	}
	byName := func(a, b int) int { return natural.Compare(g.nodes[a].name, g.nodes[b].name) }
	for _, members := range tiers {
		slices.SortStableFunc(members, byName)
	}
	slices.SortStableFunc(hosts, byName)
	return tiers, hosts
}

// above returns the first switch that each host hangs on, -1 without any.
func (g *graph) above() []int {
	above := slices.Repeat([]int{-1}, len(g.nodes))
	for _, l := range g.ends {
		if g.nodes[l.from].host && !g.nodes[l.to].host && above[l.from] < 0 {
			above[l.from] = l.to
		}
	}
	return above
}

// joinSwitches decides which switches of the tiers are drawn as one, and tells what each node is drawn as.
func (g *graph) joinSwitches(d *drawing, tiers map[int][]int, inTier int) (drawn []int) {
	drawn = make([]int, len(g.nodes))
	most := inTier
	if d.layout == circular {
		most = 2 * inTier
	}
	for _, tier := range sortedKeys(tiers) {
		members := tiers[tier]
		for group := range slices.Chunk(members, groupSize(len(members), most)) {
			for _, i := range group {
				drawn[i] = len(d.nodes)
			}
			d.nodes = append(d.nodes, mapNode{name: g.nameOf(group), tier: tier, members: len(group)})
		}
	}
	return drawn
}

// joinLinks adds up the links between nodes that are drawn.
func (g *graph) joinLinks(d *drawing, drawn []int) {
	links := map[pair]int{}
	d.linkOf = make([]int, len(g.ports))
	for i := range g.ports {
		p := &g.ports[i]
		key := pair{drawn[g.ends[i].from], drawn[g.ends[i].to]}
		at, known := links[key]
		if !known {
			at = len(d.links)
			links[key] = at
			d.links = append(d.links, mapLink{from: key.from, to: key.to, name: p.Name})
		}
		l := &d.links[at]
		l.ports++
		l.rate += float64(p.Rate)
		if l.ports == 2 {
			l.name = d.nodes[key.from].name + "->" + d.nodes[key.to].name
		}
		d.linkOf[i] = at
	}
}

// groupSize returns how many neighbours are drawn as one so that at most so many nodes
// are drawn: if possible a divisor, so that pods and groups are not cut.
func groupSize(n, most int) int {
	least := max((n+most-1)/most, 1)
	for size := least; size <= 2*least; size++ {
		if n%size == 0 {
			return size
		}
	}
	return least
}

// joinHosts adds the hosts, one by one or one node below each switch.
func (g *graph) joinHosts(d *drawing, hosts, above, drawn []int) {
	if len(hosts) <= mostHosts {
		for _, i := range hosts {
			drawn[i] = len(d.nodes)
			d.nodes = append(d.nodes, mapNode{name: g.nodes[i].name, host: true, members: 1})
		}
		return
	}
	below := map[int][]int{}
	for _, i := range hosts {
		at := -1
		if above[i] >= 0 {
			at = drawn[above[i]]
		}
		below[at] = append(below[at], i)
	}
	for _, at := range sortedKeys(below) {
		for _, i := range below[at] {
			drawn[i] = len(d.nodes)
		}
		d.nodes = append(d.nodes, mapNode{name: g.nameOf(below[at]), host: true, members: len(below[at])})
	}
}

func (g *graph) nameOf(group []int) string {
	first, last := g.nodes[group[0]].name, g.nodes[group[len(group)-1]].name
	if len(group) == 1 {
		return first
	}
	return fmt.Sprintf("%s … %s (%d)", first, last, len(group))
}

// place gives every node its place, x and y from 0 to 1.
func place(d *drawing) {
	next := make([][]int, len(d.nodes))
	for _, l := range d.links {
		next[l.from] = append(next[l.from], l.to)
	}
	if d.layout == circular {
		placeCircle(d, next)
		return
	}
	top := 1
	tiers := map[int][]int{}
	for i, n := range d.nodes {
		tier := n.tier
		if n.host {
			tier = 0
		}
		top = max(top, tier)
		tiers[tier] = append(tiers[tier], i)
	}
	// The lowest switches are in the order of their names, and whatever hangs on them
	// is near them: hosts in the order of their switches, upper tiers by the mean place
	// of what is below.
	order := sortedKeys(tiers)
	if i := slices.Index(order, 0); i >= 0 {
		order = append(slices.Delete(order, i, i+1), 0)
	}
	placed := map[int]bool{}
	for _, tier := range order {
		members := tiers[tier]
		mean := map[int]float64{}
		for _, i := range members {
			sum, n := 0.0, 0
			for _, o := range next[i] {
				if placed[o] {
					sum, n = sum+d.nodes[o].x, n+1
				}
			}
			mean[i] = math.Round(sum/float64(max(n, 1))*1e6) / 1e6
		}
		slices.SortStableFunc(members, func(a, b int) int { return compare(mean[a], mean[b]) })
		for at, i := range members {
			d.nodes[i].x = (float64(at) + 0.5) / float64(len(members))
			d.nodes[i].y = 1 - float64(tier)/float64(top)
		}
		for _, i := range members {
			placed[i] = true
		}
	}
}

// placeCircle puts switches on a circle and hosts outside, by their switches.
func placeCircle(d *drawing, next [][]int) {
	var switches, hosts []int
	for i := range d.nodes {
		if d.nodes[i].host {
			hosts = append(hosts, i)
		} else {
			switches = append(switches, i)
		}
	}
	angle := make([]float64, len(d.nodes))
	put := func(i int, at, radius float64) {
		angle[i] = at
		d.nodes[i].x = 0.5 + radius*math.Sin(2*math.Pi*at)
		d.nodes[i].y = 0.5 - radius*math.Cos(2*math.Pi*at)
	}
	for at, i := range switches {
		put(i, float64(at)/float64(len(switches)), 0.36)
	}
	above := func(i int) float64 {
		if len(next[i]) == 0 {
			return 0
		}
		return angle[next[i][0]]
	}
	slices.SortStableFunc(hosts, func(a, b int) int { return compare(above(a), above(b)) })
	// Hosts of one switch lie around it.
	for from := 0; from < len(hosts); {
		to := from + 1
		for to < len(hosts) && above(hosts[to]) == above(hosts[from]) {
			to++
		}
		n := to - from
		slot := 1 / float64(max(len(switches), 1))
		for i := from; i < to; i++ {
			put(hosts[i], above(hosts[i])+slot*((float64(i-from)+0.5)/float64(n)-0.5)*0.9, 0.48)
		}
		from = to
	}
}
