package route

import (
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"weft/sim"
	"weft/topo"
)

const (
	// manyPorts is how many ports to others a switch has more than where all candidates for a
	// next hop are ranked. Where it has more, a few ports are tried first.
	manyPorts = 32
	// tries is how many, and triesWide where there are more than 255 ports in all: as many as
	// one random number of 64 bits has digits for, each port being as likely within 2⁻¹⁶.
	tries, triesWide = 6, 3
)

// drawAll fills tables with one next hop for each layer, switch and edge switch. A set of a
// switch is a port, numbered from 1 in the order of its links to others.
func drawAll(t *Tables, whole *mesh, o Options, l *Layering) error {
	t.walks = make([]Walks, l.Layers)
	t.reach = make([]int32, len(t.edges))
	size := t.rows() * len(t.edges) * l.Layers
	degree := whole.degree()
	for r := range t.rows() {
		if whole.offset[r+1]-whole.offset[r] > maxSets {
			return tooManySets(t.graph, t.nodes[r])
		}
	}
	t.onePortEach(whole)
	if degree <= math.MaxUint8 {
		t.narrow = make([]uint8, size)
		newDrawing(t, whole, l, t.narrow).run(o)
	} else {
		t.index = make([]uint16, size)
		newDrawing(t, whole, l, t.index).run(o)
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

// drawing is the work of drawing next hops. Batches of edge switches do not depend on each
// other, since draws depend on layer, switch and edge switch alone, and so are divided among
// processors.
type drawing[N uint8 | uint16] struct {
	tables   *Tables
	whole    *mesh
	layering *Layering
	numbers  []N // of the tables
	tries    int
}

func newDrawing[N uint8 | uint16](t *Tables, whole *mesh, l *Layering, numbers []N) *drawing[N] {
	d := &drawing[N]{tables: t, whole: whole, layering: l, numbers: numbers, tries: tries}
	if whole.degree() > math.MaxUint8 {
		d.tries = triesWide
	}
	return d
}

func (d *drawing[N]) run(o Options) {
	t := d.tables
	workers := make([]*drawer[N], max(1, min(runtime.GOMAXPROCS(0), t.batches())))
	for i := range workers {
		workers[i] = newDrawer(d)
	}
	p := o.progress(d.layering.Layers * t.batches())
	known := false // reach
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
			t.walks[layer].add(&w.walks)
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

// each has workers do all batches.
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

// drawer draws for one batch of edge switches after another.
type drawer[N uint8 | uint16] struct {
	*drawing[N]
	search *search // in the layer
	rest   *search // in the whole network, for what the layer does not reach
	layer  int
	first  int
	key    uint64 // of the layer's draws
	walks  Walks
	// missing tells which edge switches of the batch are not reached from a switch in the layer; nil
	// draws nothing.
	missing []uint64
}

func newDrawer[N uint8 | uint16](d *drawing[N]) *drawer[N] {
	w := &drawer[N]{drawing: d}
	w.search = newSearch(d.tables, d.whole, func(a *arrival) {
		if w.search.edge[a.row] {
			w.walks.arrive(a)
		}
		w.draw(a, w.search.mesh, w.key)
	})
	w.rest = newSearch(d.tables, d.whole, func(a *arrival) {
		if w.missing == nil {
			return
		}
		open := w.missing[a.row]
		if a.reached &= open; a.reached == 0 {
			return
		}
		a.several &= open
		for i := range a.words {
			a.words[i] &= open
		}
		w.draw(a, d.whole, d.layering.key(wholeNetwork))
	})
	return w
}

// layerBatch draws the next hops of a layer towards a batch of edge switches.
func (w *drawer[N]) layerBatch(layer int, m *mesh, first int) {
	w.layer, w.first, w.key = layer, first, w.layering.key(layer)
	w.search.fit(m)
	w.search.run(first)
	all := w.search.of(first)
	rows := w.tables.rows()
	complete := true
	for _, seen := range w.search.seen[:rows] {
		complete = complete && seen == all
	}
	if complete {
		return
	}
	w.missing = make([]uint64, rows)
	for r, seen := range w.search.seen[:rows] {
		w.missing[r] = all &^ seen
	}
	w.rest.run(first)
	w.stray()
}

// stray measures the walks of pairs that the layer does not connect.
func (w *drawer[N]) stray() {
	for _, from := range w.search.start {
		for open := w.missing[from]; open != 0; open &= open - 1 {
			bit := bits.TrailingZeros64(open)
			end, n := w.search.start[w.first+bit], 0
			for r := from; r != end; n++ {
				port := w.row(r)[bit]
				if port == 0 {
					break // out of reach, which is so at the first step
				}
				r = w.whole.to[w.whole.offset[r]+int32(port)-1]
			}
			if n > 0 {
				w.walks.Pairs++
				w.walks.Strays++
				w.walks.Links += int64(n)
				w.walks.Longest = max(w.walks.Longest, n)
			}
		}
	}
}

// row returns the numbers of a switch in the layer, from the batch on.
func (w *drawer[N]) row(r int32) []N {
	edges := len(w.tables.edges)
	return w.numbers[(int(r)*w.tables.layers+w.layer)*edges+w.first:]
}

// draw gives a switch one of the next hops that were found.
func (w *drawer[N]) draw(a *arrival, m *mesh, key uint64) {
	begin, row := m.offset[a.row], w.row(a.row)
	var place []uint16
	if m.place != nil {
		place = m.place[begin:m.offset[a.row+1]]
	}
	for _, i := range a.hits {
		alone := a.words[i] &^ a.several
		if alone == 0 {
			continue
		}
		number := N(i + 1)
		if place != nil {
			number = N(place[i] + 1)
		}
		for ; alone != 0; alone &= alone - 1 {
			row[bits.TrailingZeros64(alone)] = number
		}
	}
	if a.several == 0 {
		return
	}
	tries := w.tries
	if w.whole.offset[a.row+1]-w.whole.offset[a.row] <= manyPorts {
		tries = 0
	}
	ports := m.port[begin:m.offset[a.row+1]]
	key += uint64(int(a.row)*len(w.tables.edges) + w.first)
	for several := a.several; several != 0; several &= several - 1 {
		bit := bits.TrailingZeros64(several)
		i := a.pick(uint(bit), sim.Mix(key+uint64(bit)), ports, tries)
		number := N(i + 1)
		if place != nil {
			number = N(place[i] + 1)
		}
		row[bit] = number
	}
}

// key is that of a layer's draws.
func (l *Layering) key(layer int) uint64 { return sim.Mix(l.Seed + uint64(int64(layer))) }

// pick returns the entry by which a search that several lead on goes on, each as likely. A few
// entries are tried at random, and the first that leads on is taken; else all that do are ranked
// by hash, and the first is. Either way a port that is lost changes only what it was chosen for.
func (a *arrival) pick(bit uint, key uint64, ports []topo.PortID, tries int) int {
	// The digits of the key as a fraction, in the base of the number of entries, are random entries.
	if n := uint64(len(a.words)); tries == 6 {
		e0, k := bits.Mul64(key, n)
		e1, k := bits.Mul64(k, n)
		e2, k := bits.Mul64(k, n)
		e3, k := bits.Mul64(k, n)
		e4, k := bits.Mul64(k, n)
		e5, _ := bits.Mul64(k, n)
		w := a.words
		// Without branches, since which try leads on is anybody's guess.
		lead := w[e0]>>bit&1 | w[e1]>>bit&1<<1 | w[e2]>>bit&1<<2 | w[e3]>>bit&1<<3 | w[e4]>>bit&1<<4 | w[e5]>>bit&1<<5
		if lead != 0 {
			e := [8]uint64{e0, e1, e2, e3, e4, e5}
			return int(e[bits.TrailingZeros64(lead)&7])
		}
	} else {
		for k := key; tries > 0; tries-- {
			var e uint64
			e, k = bits.Mul64(k, n)
			if a.words[e]>>bit&1 != 0 {
				return int(e)
			}
		}
	}
	first, least := 0, uint64(math.MaxUint64)
	for _, i := range a.hits {
		if a.words[i]>>bit&1 == 0 {
			continue
		}
		if rank := sim.Mix(key + uint64(ports[i])); rank <= least {
			first, least = int(i), rank
		}
	}
	return first
}

// arrive counts the edge switches of a batch that an edge switch is found to reach.
func (w *Walks) arrive(a *arrival) {
	n := int64(bits.OnesCount64(a.reached))
	w.Pairs += n
	w.Links += n * int64(a.distance)
	w.Longest = max(w.Longest, int(a.distance))
}

// add adds the pairs of another part.
func (w *Walks) add(o *Walks) {
	w.Pairs += o.Pairs
	w.Links += o.Links
	w.Strays += o.Strays
	w.Longest = max(w.Longest, o.Longest)
}
