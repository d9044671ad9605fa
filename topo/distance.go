package topo

import (
	"math/bits"
	"math/rand/v2"

	"weft/sim"
)

// Distances holds the distances in links between the edge switches of a graph, which are
// the switches with hosts.
type Distances struct {
	// Diameter is the largest distance. Mean is the mean distance of two different
	// switches.
	Diameter int
	Mean     float64
	// Pairs counts the ordered pairs at each distance. There are none at 0.
	Pairs []int64
	// Sources is the number of switches that distances were measured from, and Of the
	// number of all edge switches. If Sources is less, the sources were drawn at random.
	// Diameter is then a lower bound, and Mean and Pairs describe a sample.
	Sources, Of int
	// Unreached counts the ordered pairs without a path.
	Unreached int64
}

// distanceBatch is the number of searches that run through the graph together: the bits of
// a word.
const distanceBatch = 64

// MeasureDistances returns the distances from all edge switches. If there are more than
// most, it takes a sample of that size, the same each time. 0 means no limit. Every 64
// sources take one pass over the links per unit of distance.
func MeasureDistances(g *Graph, most int) Distances {
	m := newMesh(g)
	edge := make([]bool, len(m.nodes))
	var sources []int32
	for s, hosts := range m.hosts(g) {
		if hosts > 0 {
			edge[s] = true
			sources = append(sources, int32(s))
		}
	}
	d := Distances{Of: len(sources), Sources: len(sources)}
	if most > 0 && most < len(sources) {
		stream := sim.Stream(0, 0, "distances")
		random := rand.New(&stream)
		for i := range most {
			j := i + random.IntN(len(sources)-i)
			sources[i], sources[j] = sources[j], sources[i]
		}
		sources = sources[:most]
		d.Sources = most
	}
	w := newWave(m, edge)
	for len(sources) > 0 {
		n := min(distanceBatch, len(sources))
		w.run(sources[:n], &d)
		sources = sources[n:]
	}
	d.finish()
	return d
}

func (d *Distances) finish() {
	var pairs, links int64
	for distance, n := range d.Pairs {
		pairs += n
		links += n * int64(distance)
	}
	d.Diameter = max(0, len(d.Pairs)-1)
	if pairs > 0 {
		d.Mean = float64(links) / float64(pairs)
	}
	d.Unreached = int64(d.Sources)*int64(d.Of-1) - pairs
}

// wave is up to 64 breadth-first searches at a time, each represented by one bit of a word.
type wave struct {
	mesh mesh
	edge []bool
	// seen marks, per switch, the searches that have reached it. now marks those that reach
	// it in this step, and next in the next one.
	seen, now, next []uint64
}

func newWave(m mesh, edge []bool) *wave {
	n := len(m.nodes)
	return &wave{mesh: m, edge: edge, seen: make([]uint64, n), now: make([]uint64, n), next: make([]uint64, n)}
}

// run adds the distances from sources, at most 64.
func (w *wave) run(sources []int32, d *Distances) {
	clear(w.seen)
	clear(w.now)
	for i, s := range sources {
		w.seen[s] |= 1 << i
		w.now[s] |= 1 << i
	}
	for distance, more := 1, true; more; distance++ {
		more = false
		var found int64
		for s := range w.next {
			var reached uint64
			if missing := ^w.seen[s]; missing != 0 {
				for _, to := range w.mesh.neighbours(s) {
					reached |= w.now[to]
				}
				reached &= missing
			}
			w.next[s] = reached
			more = more || reached != 0
			if w.edge[s] {
				found += int64(bits.OnesCount64(reached))
			}
		}
		for s, reached := range w.next {
			w.seen[s] |= reached
		}
		w.now, w.next = w.next, w.now
		if found > 0 {
			for len(d.Pairs) <= distance {
				d.Pairs = append(d.Pairs, 0)
			}
			d.Pairs[distance] += found
		}
	}
}

// Unreached is the distance in DistancesBetween between switches without a path, or with a
// distance of 255 links or more.
const Unreached = 255

// DistancesBetween returns the distances in links between some switches, one row per
// switch.
func DistancesBetween(g *Graph, switches []NodeID) [][]uint8 {
	m := newMesh(g)
	number := make([]int32, len(g.Nodes))
	for s, n := range m.nodes {
		number[n] = int32(s)
	}
	rows := make([][]uint8, len(switches))
	far := make([]uint8, len(m.nodes))
	queue := make([]int32, 0, len(m.nodes))
	for i, from := range switches {
		for s := range far {
			far[s] = Unreached
		}
		first := number[from]
		far[first] = 0
		queue = append(queue[:0], first)
		for next := 0; next < len(queue); next++ {
			s := queue[next]
			for _, to := range m.neighbours(int(s)) {
				if far[to] == Unreached && far[s] < Unreached-1 {
					far[to] = far[s] + 1
					queue = append(queue, to)
				}
			}
		}
		rows[i] = make([]uint8, len(switches))
		for j, to := range switches {
			rows[i][j] = far[number[to]]
		}
	}
	return rows
}
