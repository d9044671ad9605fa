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

// How one of several next hops is drawn, each as likely. A switch with few ports to others ranks all
// candidates by hash, and takes the first. One with many first tries a few of the ports that the layer
// has, at random, and takes the first that is a candidate: most candidates are for destinations that
// are far, and then there are so many that ranking all would take most of the time. Either way a
// link that is lost changes only what it was chosen for.
//
// Departure: FatPaths (SC 2020, §V-B) tries to take another next hop in each layer, where there are several. Here draws of
// layers are independent: with three next hops and four layers with all links (ρ = 1), all three are used in 36/81 = 44 %
// of cases.
const (
	// manyPorts is how many ports to others a switch has more than that tries. It depends on nothing
	// but the topology.
	manyPorts = 32
	// mostRounds is how often four ports are tried.
	mostRounds = 3
	// mostDigits is of how many ports a fraction of 32 bits still gives two, each port being as likely
	// within 2⁻¹².
	mostDigits = 1 << 10
	// narrowWords is the room for the words of a switch: an entry is then told by a byte.
	narrowWords = 1 << 8
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
	first  int // edge switch of the batch
	// drawn are the numbers of all switches towards a batch: side by side, since those in tables are each on a page
	// of memory of their own.
	drawn  []N
	room   []int32
	others []uint64
	ranking
	key   uint64 // of the layer's draws
	walks Walks
	// missing tells which edge switches of the batch are not reached from a switch in the layer; nil
	// draws nothing.
	missing []laneWords
}

func newDrawer[N uint8 | uint16](d *drawing[N]) *drawer[N] {
	w := &drawer[N]{drawing: d, room: make([]int32, d.whole.degree()), others: make([]uint64, d.whole.degree())}
	w.drawn = make([]N, d.tables.rows()*batch)
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
		for i := range a.words {
			a.words[i] &= open
		}
		w.draw(a, d.whole, d.layering.key(wholeNetwork))
	})
	return w
}

// layerBatch draws the next hops of a layer towards a batch of edge switches.
func (w *drawer[N]) layerBatch(layer int, m *mesh, first int) {
	w.layer, w.key, w.first = layer, w.layering.key(layer), first
	defer w.keep()
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

// walk returns how many links the walk in the layer from a switch to an edge switch has, 0 if there
// is none.
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

// row returns the drawn numbers of a switch, from an edge switch of the batch on.
func (w *drawer[N]) row(r int32, edge int) []N { return w.drawn[int(r)*batch+edge-w.first:] }

// keep moves what was drawn to the tables.
func (w *drawer[N]) keep() {
	edges := len(w.tables.edges)
	n := min(batch, edges-w.first)
	for r := range w.tables.rows() {
		drawn := w.drawn[r*batch:][:n]
		copy(w.numbers[(r*w.tables.layers+w.layer)*edges+w.first:], drawn)
		clear(drawn)
	}
}

// draw gives a switch one of the next hops that were found.
func (w *drawer[N]) draw(a *arrival, m *mesh, key uint64) {
	begin, end := m.offset[a.row], m.offset[a.row+1]
	places := m.place[begin:end]
	row := w.row(a.row, a.first)
	if alone := a.reached &^ a.several; alone != 0 {
		w.lead(a, alone, places, row)
	}
	if a.several == 0 {
		return
	}
	key += uint64(int(a.row)*len(w.tables.edges) + a.first)
	left := a.several // without a next hop
	if w.whole.offset[a.row+1]-w.whole.offset[a.row] > manyPorts {
		tried := 0
		if len(a.words) <= narrowWords {
			left = tryOnce((*[narrowWords]uint64)(a.words[:narrowWords]), uint64(len(a.words)), left, key, (*[narrowWords]uint16)(m.place[begin:begin+narrowWords]), (*[laneBits]N)(row))
			tried = 1
		}
		left = tryRounds(a.words, tried, left, key, places, row)
	}
	if left == 0 {
		return
	}
	for keys := left; keys != 0; keys &= keys - 1 {
		bit := bits.TrailingZeros64(keys) & 63
		w.ranking.key[bit] = sim.Mix(key + uint64(bit))
	}
	w.ranking.rank(a, a.hits(w.room, left), left, m.port[begin:end])
	for ; left != 0; left &= left - 1 {
		bit := bits.TrailingZeros64(left)
		row[bit] = N(places[w.ranking.first[bit]] + 1)
	}
}

// lead gives some searches the one entry that leads each on. Most entries lead on one of them at most, in a
// network with many ports: the first is taken without a branch.
func (w *drawer[N]) lead(a *arrival, alone uint64, places []uint16, row []N) {
	more := 0
	for _, i := range a.hits(w.room, alone) {
		led := a.words[i] & alone
		row[bits.TrailingZeros64(led)] = N(places[i] + 1)
		led &= led - 1
		w.room[more], w.others[more] = i, led
		more += int((led | -led) >> 63)
	}
	for k, i := range w.room[:more] {
		number := N(places[i] + 1)
		for led := w.others[k]; led != 0; led &= led - 1 {
			row[bits.TrailingZeros64(led)] = number
		}
	}
}

// tryOnce is the first round of tryRounds for a switch whose entries bytes can tell apart. It has no branch,
// since which entry leads on is anybody's guess: a search that none leads on gets one of them all the same, and is
// among those returned.
func tryOnce[N uint8 | uint16](words *[narrowWords]uint64, n, several, key uint64, places *[narrowWords]uint16, row *[laneBits]N) (left uint64) {
	for ; several != 0; several &= several - 1 {
		bit := bits.TrailingZeros64(several) & (laneBits - 1)
		fraction := sim.Mix(key + uint64(bit))
		a, b := fraction>>32*n, fraction&math.MaxUint32*n
		c, d := uint8(a&math.MaxUint32*n>>32), uint8(b&math.MaxUint32*n>>32)
		one := several & -several
		place := uint64(places[d])
		word := words[d]
		lead, other := words[c]&one, uint64(places[c])
		if lead != 0 {
			place = other
		}
		word |= lead
		d = uint8(b >> 32)
		lead, other = words[d]&one, uint64(places[d])
		if lead != 0 {
			place = other
		}
		word |= lead
		d = uint8(a >> 32)
		lead, other = words[d]&one, uint64(places[d])
		if lead != 0 {
			place = other
		}
		word |= lead
		left |= one &^ word
		row[bit] = N(place + 1)
	}
	return left
}

// tryRounds tries four entries after four others, up to mostRounds, of which some are over, and tells for which searches
// none leads on. The digits of a random fraction, in the base of the number of entries, are random entries.
func tryRounds[N uint8 | uint16](words []uint64, over int, several, key uint64, places []uint16, row []N) (left uint64) {
	left = several
	n := uint64(len(words))
	for ; several != 0; several &= several - 1 {
		bit := uint(bits.TrailingZeros64(several)) & 63
		fraction := sim.Mix(key + uint64(bit))
		for range over {
			fraction = sim.Mix(fraction)
		}
		for range mostRounds - over {
			x, y := fraction>>32*n, fraction&math.MaxUint32*n
			x2, y2 := x&math.MaxUint32*n, y&math.MaxUint32*n
			lead := words[x>>32]>>bit&1 | words[y>>32]>>bit&1<<1 | words[x2>>32]>>bit&1<<2 | words[y2>>32]>>bit&1<<3
			if n > mostDigits {
				lead &= 3
			}
			if lead != 0 {
				tried := [4]uint32{uint32(x >> 32), uint32(y >> 32), uint32(x2 >> 32), uint32(y2 >> 32)}
				row[bit] = N(places[tried[bits.TrailingZeros64(lead)&3]] + 1)
				left &^= 1 << bit
				break
			}
			fraction = sim.Mix(fraction)
		}
	}
	return left
}

// key is that of a layer's draws.
func (l *Layering) key(layer int) uint64 { return sim.Mix(l.Seed + uint64(int64(layer))) }

// ranking finds the entry that ranks first by hash, for some searches of a lane.
type ranking struct {
	key, least [laneBits]uint64
	first      [laneBits]int32
}

// rank ranks the entries that lead on each of some searches, which hits lists.
func (r *ranking) rank(a *arrival, hits []int32, of uint64, ports []topo.PortID) {
	for left := of; left != 0; left &= left - 1 {
		r.least[bits.TrailingZeros64(left)] = math.MaxUint64
	}
	for _, i := range hits {
		for w := a.words[i] & of; w != 0; w &= w - 1 {
			bit := bits.TrailingZeros64(w) & 63
			if rank := sim.Mix(r.key[bit] + uint64(ports[i])); rank <= r.least[bit] {
				r.first[bit], r.least[bit] = i, rank
			}
		}
	}
}

// arrive counts the edge switches of a batch that an edge switch is found to reach.
func (w *Walks) arrive(a *arrival) {
	n := int64(bits.OnesCount64(a.reached))
	w.Pairs += n
	w.Links += n * int64(a.distance)
	w.Longest = max(w.Longest, int(a.distance))
}

// Add adds the pairs of another part.
func (w *Walks) Add(o *Walks) {
	w.Pairs += o.Pairs
	w.Links += o.Links
	w.Strays += o.Strays
	w.Longest = max(w.Longest, o.Longest)
}
