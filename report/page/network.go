package page

import (
	"weft/record"
	"weft/unit"
)

// network is the topology of a run as the map draws it, with what its links did.
type network struct {
	nodes  []mapNode
	links  []mapLink
	layout string
	// hosts and switches count those of the topology, ports its directed links.
	hosts, switches, ports int
	// whole is over the measured time.
	whole mapFrame
	// frames are the snapshots, each span long.
	frames []mapFrame
	span   unit.Time
}

// mapNode is a node of the map: a node of the topology, or several drawn as one.
type mapNode struct {
	name    string
	host    bool
	tier    int
	members int
	x, y    float64
}

// mapLink is a directed link of the map: a port, or several drawn as one.
type mapLink struct {
	from, to int
	name     string
	ports    int
	rate     float64
}

// mapFrame is what the links did in a span of time.
type mapFrame struct {
	at unit.Time
	// bytes, drops and room, which is what they could carry, are sums over the ports of a link,
	// queue the largest.
	bytes, queue, drops, room []float64
}

func newMapFrame(at unit.Time, links int) mapFrame {
	return mapFrame{at: at, bytes: make([]float64, links), queue: make([]float64, links), drops: make([]float64, links), room: make([]float64, links)}
}

func (f *mapFrame) add(link int, bytes, queue, drops float64) {
	f.bytes[link] += bytes
	f.queue[link] = max(f.queue[link], queue)
	f.drops[link] += drops
}

// reduceNetwork returns the map of a run, nil if it has no ports.
func reduceNetwork(r *record.Result) *network {
	if len(r.Ports) == 0 {
		return nil
	}
	g := newGraph(r.Nodes, r.Ports)
	d := g.draw()
	n := &network{nodes: d.nodes, links: d.links, layout: d.layout, ports: len(r.Ports), span: r.Manifest.SnapshotInterval}
	for _, node := range g.nodes {
		if node.host {
			n.hosts++
		} else {
			n.switches++
		}
	}
	capacity := r.Capacity()
	room := func(f *mapFrame, from, to unit.Time) {
		for i := range r.Ports {
			bytes, _ := capacity.Bytes(r.Ports[i].Name, from, to)
			f.room[d.linkOf[i]] += bytes
		}
	}
	n.whole = newMapFrame(0, len(n.links))
	from, to := r.Counted()
	room(&n.whole, from, to)
	for i := range r.Ports {
		p := &r.Ports[i]
		n.whole.add(d.linkOf[i], float64(p.SentBytes), float64(p.QueueMax), float64(p.Drops.Total()))
	}
	if n.span <= 0 {
		return n
	}
	linkOf := make(map[string]int, len(r.Ports))
	for i := range r.Ports {
		linkOf[r.Ports[i].Name] = d.linkOf[i]
	}
	frames := map[unit.Time]*mapFrame{}
	for i := range r.Snapshots {
		s := &r.Snapshots[i]
		link, known := linkOf[s.Port]
		if !known {
			continue
		}
		f := frames[s.Time]
		if f == nil {
			if len(frames) >= mostFrames {
				continue
			}
			made := newMapFrame(s.Time, len(n.links))
			f = &made
			frames[s.Time] = f
		}
		f.add(link, float64(s.Transmitted), float64(s.Queue), float64(s.Dropped))
	}
	// Spans in which nothing happened at all are frames too.
	times := sortedKeys(frames)
	for i, at := range times {
		for i > 0 && len(n.frames) < mostFrames && n.frames[len(n.frames)-1].at+n.span < at {
			n.frames = append(n.frames, newMapFrame(n.frames[len(n.frames)-1].at+n.span, len(n.links)))
		}
		n.frames = append(n.frames, *frames[at])
	}
	for i := range n.frames {
		f := &n.frames[i]
		end := f.at + n.span
		if now := r.Summary.Simulated; now > f.at {
			end = min(end, now)
		}
		room(f, f.at, end)
	}
	return n
}

// mostFrames bounds what a damaged file can ask for.
const mostFrames = 1000

// join joins each so many consecutive frames into one.
func (n *network) join(each int) []mapFrame {
	if each <= 1 {
		return n.frames
	}
	var joined []mapFrame
	for i := 0; i < len(n.frames); i += each {
		f := newMapFrame(n.frames[i].at, len(n.links))
		part := n.frames[i:min(i+each, len(n.frames))]
		for _, one := range part {
			for l := range n.links {
				f.add(l, one.bytes[l], one.queue[l], one.drops[l])
				f.room[l] += one.room[l]
			}
		}
		joined = append(joined, f)
	}
	return joined
}
