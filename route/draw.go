package route

import (
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"weft/sim"
)

// drawAll fills tables with one next hop for each layer, switch and edge switch. A set is a
// single port, numbered from 1 in the order of the switch's links to others.
func drawAll(t *Tables, whole *mesh, o Options, l *Layering) error {
	t.walks = make([]Walks, l.Layers)
	t.reach = make([]int32, len(t.edges))
	degree := whole.degree()
	for r := range t.rows() {
		if whole.offset[r+1]-whole.offset[r] > maxSets {
			return tooManySets(t.graph, t.nodes[r])
		}
	}
	t.onePortEach(whole)
	if degree <= math.MaxUint8 {
		t.numbers.narrow = make([]uint8, t.size())
		newDrawing(t, whole, l, t.numbers.narrow).run(o)
	} else {
		t.numbers.wide = make([]uint16, t.size())
		newDrawing(t, whole, l, t.numbers.wide).run(o)
	}
	return nil
}

// onePortEach makes each port to another switch a set of its own.
func (t *Tables) onePortEach(whole *mesh) {
	rows := t.rows()
	t.ports = whole.port
	t.offsets = make([]uint32, 0, len(whole.port)+2*rows)
	t.base = make([]uint32, 1, rows+1)
	t.first = make([]uint32, 1, rows+1)
	for r := range rows {
		// The empty set begins and ends at 0.
		t.offsets = append(t.offsets, 0)
		for n := range uint32(whole.offset[r+1]-whole.offset[r]) + 1 {
			t.offsets = append(t.offsets, n)
		}
		t.base = append(t.base, uint32(whole.offset[r+1]))
		t.first = append(t.first, uint32(len(t.offsets)))
	}
}

// drawing draws the next hops. A draw depends only on layer, switch and edge switch, so
// batches of edge switches are independent and are divided among processors.
type drawing[N uint8 | uint16] struct {
	tables   *Tables
	whole    *mesh
	layering *Layering
	numbers  []N // of the tables
}

func newDrawing[N uint8 | uint16](t *Tables, whole *mesh, l *Layering, numbers []N) *drawing[N] {
	return &drawing[N]{tables: t, whole: whole, layering: l, numbers: numbers}
}

func (d *drawing[N]) run(o Options) {
	t := d.tables
	workers := make([]*drawer[N], max(1, min(runtime.GOMAXPROCS(0), t.batches())))
	for i := range workers {
		workers[i] = newDrawer(d)
	}
	p := o.progress(d.layering.Layers * t.batches())
	known := false // whether reach is known
	for layer := range d.layering.Layers {
		m := d.layering.part(d.whole, layer)
		isWhole := len(m.to) == len(d.whole.to)
		d.each(workers, func(w *drawer[N], first int) {
			w.layerBatch(layer, m, first)
			if isWhole && !known {
				copy(t.reach[first:], w.search.reach[:])
			}
			p.add()
		})
		known = known || isWhole
		t.minimal = t.minimal || isWhole && layer == 0
		for _, w := range workers {
			t.walks[layer].Add(&w.walks)
			w.walks = Walks{}
		}
		t.strays[layer] = t.walks[layer].Strays
	}
	if !known {
		d.each(workers, func(w *drawer[N], first int) {
			w.rest.fit(d.whole)
			w.missing = nil
			w.rest.run(first)
			copy(t.reach[first:], w.rest.reach[:])
		})
	}
}

// each has workers process all batches.
func (d *drawing[N]) each(workers []*drawer[N], work func(w *drawer[N], first int)) {
	var taken atomic.Int64
	var group sync.WaitGroup
	for _, w := range workers {
		group.Go(func() {
			for {
				first := (int(taken.Add(1)) - 1) * batch
				if first >= len(d.tables.edges) {
					return
				}
				work(w, first)
			}
		})
	}
	group.Wait()
}

// drawer draws the next hops of one batch of edge switches after another.
type drawer[N uint8 | uint16] struct {
	*drawing[N]
	search *search // in the layer
	rest   *search // in the whole network, for pairs that the layer does not connect
	layer  int
	room   []int32
	others []uint64
	ranking
	key   uint64 // of the layer's draws
	walks Walks
	// missing marks, for each switch, the edge switches of the batch that it does not reach
	// in the layer. If it is nil, rest draws nothing.
	missing []laneWords
}

func newDrawer[N uint8 | uint16](d *drawing[N]) *drawer[N] {
	degree := d.whole.degree()
	w := &drawer[N]{drawing: d, room: make([]int32, degree), others: make([]uint64, degree)}
	w.search = newSearch(d.tables, d.whole, func(a *arrival) {
		if w.search.edge[a.row] {
			w.walks.arrive(a)
		}
		w.draw(a, w.search.mesh, w.key)
	})
	w.search.adjacent = func(row, entry int32, edge int) {
		w.row(row, edge)[0] = N(w.search.mesh.place[entry] + 1)
		if w.search.edge[row] {
			w.walks.Pairs++
			w.walks.Links++
			w.walks.Longest = max(w.walks.Longest, 1)
		}
	}
	w.rest = newSearch(d.tables, d.whole, func(a *arrival) {
		if w.missing == nil {
			return
		}
		open := w.missing[a.row][a.first%batch/laneBits]
		if a.reached &= open; a.reached == 0 {
			return
		}
		a.several &= open
		w.draw(a, d.whole, d.layering.key(wholeNetwork))
	})
	return w
}

// layerBatch draws the next hops of a layer towards a batch of edge switches.
func (w *drawer[N]) layerBatch(layer int, m *mesh, first int) {
	w.layer, w.key = layer, w.layering.key(layer)
	w.search.fit(m)
	w.search.run(first)
	all := w.search.all(first)
	rows := w.tables.rows()
	complete := true
	for _, seen := range w.search.seen[:rows] {
		complete = complete && seen == all
	}
	if complete {
		return
	}
	w.missing = make([]laneWords, rows)
	for r, seen := range w.search.seen[:rows] {
		for i := range seen {
			w.missing[r][i] = all[i] &^ seen[i]
		}
	}
	w.rest.run(first)
	w.stray(first)
}

// stray measures the walks of pairs that the layer does not connect.
func (w *drawer[N]) stray(first int) {
	for _, from := range w.search.start {
		for i, open := range w.missing[from] {
			for ; open != 0; open &= open - 1 {
				edge := first + i*laneBits + bits.TrailingZeros64(open)
				if n := w.walk(from, edge); n > 0 {
					w.walks.Pairs++
					w.walks.Strays++
					w.walks.Links += int64(n)
					w.walks.Longest = max(w.walks.Longest, n)
				}
			}
		}
	}
}

// walk returns the number of links of the walk in the layer from a switch to an edge
// switch, or 0 if there is none.
func (w *drawer[N]) walk(from int32, edge int) (n int) {
	for r := from; r != w.search.start[edge]; n++ {
		port := w.row(r, edge)[0]
		if port == 0 {
			return 0
		}
		r = w.whole.to[w.whole.offset[r]+int32(port)-1]
	}
	return n
}

// row returns the set numbers of a switch from an edge switch of the batch on.
func (w *drawer[N]) row(r int32, edge int) []N {
	return w.numbers[w.tables.numbers.at(w.layer, int(r), edge):]
}

// key returns the random key of a layer's draws.
func (l *Layering) key(layer int) uint64 { return sim.Mix(l.Seed + uint64(int64(layer))) }

// arrive adds the pairs that a step finds: edge switches of a batch that an edge switch
// reaches.
func (w *Walks) arrive(a *arrival) {
	n := int64(bits.OnesCount64(a.reached))
	w.Pairs += n
	w.Links += n * int64(a.distance)
	w.Longest = max(w.Longest, int(a.distance))
}

// Add adds the measurements of another set of pairs.
func (w *Walks) Add(o *Walks) {
	w.Pairs += o.Pairs
	w.Links += o.Links
	w.Strays += o.Strays
	w.Longest = max(w.Longest, o.Longest)
}
