package draw

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"weft/topo"
)

// The colours are from Okabe and Ito, Color Universal Design (2008). Readers with any
// colour vision can distinguish them.
const (
	edgeColor   = "#0072b2" // blue: switches with hosts
	coreColor   = "#e69f00" // orange: switches without hosts
	hostColor   = "#888888"
	insideColor = "#009e73" // bluish green: links inside a group
	globalColor = "#d55e00" // vermilion: links between groups
	inkColor    = "#222222"
)

// legendHeight is the room for the legend below the picture.
const legendHeight = 66.0

type picture struct {
	graph  *topo.Graph
	facts  topo.Facts
	layout layout
	title  string
	tiers  int
	out    *bufio.Writer
}

func (p *picture) write(w io.Writer) error {
	p.out = bufio.NewWriter(w)
	width := max(p.layout.width, 360)
	shift := (width - p.layout.width) / 2
	height := p.layout.height + legendHeight
	p.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="Liberation Sans, Arial, sans-serif">`+"\n", width, height, width, height)
	p.printf("<title>%s</title>\n", escape(p.title))
	p.printf(`<rect width="100%%" height="100%%" fill="#ffffff"/>` + "\n")
	p.printf(`<g transform="translate(%.1f 0)">`+"\n", shift)
	p.links()
	p.hosts()
	p.switches()
	p.printf("</g>\n")
	p.legend()
	p.printf("</svg>\n")
	return p.out.Flush()
}

func (p *picture) printf(format string, args ...any) { fmt.Fprintf(p.out, format, args...) }

func escape(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		return ""
	}
	return b.String()
}

// grouped reports whether links inside groups and between groups differ.
func (p *picture) grouped() bool { return p.facts.GroupLinks > 0 && p.facts.Groups > 1 }

func (p *picture) inside(l *topo.Link) bool {
	a, b := p.graph.Nodes[l.A].Group, p.graph.Nodes[l.B].Group
	return a > 0 && a == b
}

// links draws the links. Links between groups come first, as they are longer and thinner.
// Parallel links are curves next to each other.
func (p *picture) links() {
	opacity := 0.75
	if p.facts.GlobalLinks > 300 {
		opacity = 0.45
	}
	seen := map[[2]topo.NodeID]int{}
	for _, inside := range []bool{false, true} {
		color, width, alpha := globalColor, 0.8, opacity
		if inside || !p.grouped() {
			color, width, alpha = insideColor, 1.3, 0.8
		}
		if !p.grouped() && p.facts.GlobalLinks > 300 {
			width = 0.7
		}
		p.printf(`<g stroke="%s" stroke-width="%.1f" stroke-opacity="%.2f" fill="none">`+"\n", color, width, alpha)
		for i := range p.graph.Links {
			l := &p.graph.Links[i]
			if p.graph.Nodes[l.A].Kind == topo.Host || p.graph.Nodes[l.B].Kind == topo.Host || p.inside(l) != inside {
				continue
			}
			pair := [2]topo.NodeID{min(l.A, l.B), max(l.A, l.B)}
			p.link(p.layout.at[pair[0]], p.layout.at[pair[1]], seen[pair])
			seen[pair]++
		}
		p.printf("</g>\n")
	}
}

// link draws the n-th link between two places.
func (p *picture) link(a, b point, n int) {
	if n == 0 {
		p.printf(`<path d="M%.1f %.1fL%.1f %.1f"/>`+"\n", a.x, a.y, b.x, b.y)
		return
	}
	bow := 10 * float64((n+1)/2)
	if n%2 == 0 {
		bow = -bow
	}
	angle := math.Atan2(b.y-a.y, b.x-a.x) + math.Pi/2
	via := point{(a.x + b.x) / 2, (a.y + b.y) / 2}.plus(bow, angle)
	p.printf(`<path d="M%.1f %.1fQ%.1f %.1f %.1f %.1f"/>`+"\n", a.x, a.y, via.x, via.y, b.x, b.y)
}

// drawsHosts reports whether hosts are drawn one by one.
func (p *picture) drawsHosts() bool {
	const mostInFan = 12
	return p.facts.Hosts <= mostHosts && p.facts.HostsPerSwitch.Most <= mostInFan
}

// hosts draws the hosts of each switch as a fan that points outward.
func (p *picture) hosts() {
	if !p.drawsHosts() {
		return
	}
	below := make([]int, len(p.graph.Nodes))
	for _, l := range p.graph.Links {
		switch {
		case p.graph.Nodes[l.A].Kind == topo.Host:
			below[l.B]++
		case p.graph.Nodes[l.B].Kind == topo.Host:
			below[l.A]++
		}
	}
	p.printf(`<g fill="%s" stroke="%[1]s" stroke-width="0.6">`+"\n", hostColor)
	for n, hosts := range below {
		at := p.layout.at[n]
		for i := range hosts {
			fan := 1.7 / float64(max(hosts, 4))
			end := at.plus(reach, p.layout.out[n]+(float64(i)-float64(hosts-1)/2)*fan)
			p.printf(`<path d="M%.1f %.1fL%.1f %.1f"/><circle cx="%[3]g" cy="%[4]g" r="1.4"/>`+"\n", round(at.x), round(at.y), round(end.x), round(end.y))
		}
	}
	p.printf("</g>\n")
}

func round(v float64) float64 { return math.Round(v*10) / 10 }

// switches draws switches with hosts as circles, and others as squares.
func (p *picture) switches() {
	edge := make([]bool, len(p.graph.Nodes))
	for _, l := range p.graph.Links {
		edge[l.A] = edge[l.A] || p.graph.Nodes[l.B].Kind == topo.Host
		edge[l.B] = edge[l.B] || p.graph.Nodes[l.A].Kind == topo.Host
	}
	named := p.facts.Switches <= mostNames
	for n := range p.graph.Nodes {
		node := &p.graph.Nodes[n]
		if node.Kind != topo.Switch {
			continue
		}
		at := p.layout.at[n]
		if edge[n] {
			p.disc(at, escape(node.Name))
		} else {
			p.square(at, escape(node.Name))
		}
		if named {
			p.name(topo.NodeID(n), edge[n])
		}
	}
}

func (p *picture) disc(at point, name string) {
	p.printf(`<circle cx="%.1f" cy="%.1f" r="%g" fill="%s" stroke="#ffffff"><title>%s</title></circle>`+"\n", at.x, at.y, radius, edgeColor, name)
}

func (p *picture) square(at point, name string) {
	const side = 1.8 * radius
	p.printf(`<rect x="%.1f" y="%.1f" width="%g" height="%[3]g" fill="%s" stroke="#ffffff"><title>%s</title></rect>`+"\n", at.x-side/2, at.y-side/2, side, coreColor, name)
}

// name writes the name of a switch outside its hosts.
func (p *picture) name(n topo.NodeID, edge bool) {
	away := radius + 3
	if edge && p.drawsHosts() {
		away = reach + 4
	}
	angle := p.layout.out[n]
	at := p.layout.at[n].plus(away, angle)
	anchor := "middle"
	switch c := math.Cos(angle); {
	case c > 0.3:
		anchor = "start"
	case c < -0.3:
		anchor = "end"
	}
	drop := 2.8 + 3.4*math.Sin(angle)
	p.printf(`<text x="%.1f" y="%.1f" font-size="8" fill="%s" text-anchor="%s" stroke="#ffffff" stroke-width="2" paint-order="stroke">%s</text>`+"\n",
		at.x, at.y+drop, inkColor, anchor, escape(p.graph.Nodes[n].Name))
}

// legend writes the title and the legend.
func (p *picture) legend() {
	top := p.layout.height + 8
	p.printf(`<g font-size="11" fill="%s">`+"\n", inkColor)
	p.printf(`<text x="12" y="%.0f" font-size="13" font-weight="bold">%s</text>`+"\n", top, escape(p.title))
	x, y := 16.0, top+20
	put := func(text string, mark func(at point)) {
		length := 26 + 6*float64(len([]rune(text)))
		if x > 16 && x+length > max(p.layout.width, 360) {
			x, y = 16, y+18
		}
		mark(point{x, y - 4})
		p.printf(`<text x="%.0f" y="%.0f">%s</text>`+"\n", x+14, y, escape(text))
		x += length
	}
	f := p.facts
	if f.EdgeSwitches > 0 {
		text := fmt.Sprintf("%d switches with hosts", f.EdgeSwitches)
		if !p.drawsHosts() {
			text = fmt.Sprintf("%d switches with %s hosts each", f.EdgeSwitches, f.HostsPerSwitch)
		}
		put(text, func(at point) { p.disc(at, "") })
	}
	if n := f.Switches - f.EdgeSwitches; n > 0 {
		put(fmt.Sprintf("%d switches without", n), func(at point) { p.square(at, "") })
	}
	if p.drawsHosts() {
		put(fmt.Sprintf("%d hosts", f.Hosts), func(at point) {
			p.printf(`<circle cx="%.1f" cy="%.1f" r="2" fill="%s"/>`+"\n", at.x, at.y, hostColor)
		})
	}
	line := func(color string, width float64) func(at point) {
		return func(at point) {
			p.printf(`<path d="M%.1f %.1fh14" stroke="%s" stroke-width="%g"/>`+"\n", at.x-5, at.y, color, width)
		}
	}
	if p.grouped() {
		put(fmt.Sprintf("%d links inside groups", f.GroupLinks), line(insideColor, 1.8))
		put(fmt.Sprintf("%d between", f.GlobalLinks), line(globalColor, 1))
	} else if n := f.GroupLinks + f.GlobalLinks; n > 0 {
		put(fmt.Sprintf("%d links", n), line(insideColor, 1.8))
	}
	p.printf("</g>\n")
}
