package layers

import (
	"context"
	"fmt"
	"math"
	"sync"

	"weft/topo"
	"weft/unit"
)

// Tables holds the forwarding tables of layers, σ_i(s, t): for each layer, router and edge
// router as destination, the port that leads there (FatPaths, Listing 3 and Section V-C).
// Of several minimal ports one is drawn for each layer, router and destination, all with
// the same probability. A path is always a shortest one of its layer, so there are no
// loops.
//
// Departures: a search from each destination replaces the listing's Floyd-Warshall, which
// takes |V|³ steps and always finds the same ports. Section V-B tries to take another port
// in each layer; here the draws of layers are independent.
type Tables struct {
	routers *Routers
	// One of these is used, depending on the number of ports. Each layer has, for each
	// destination, a row of all routers. The largest value means no route.
	narrow [][]uint8
	wide   [][]uint16
	reach  []Reach
}

// Reach describes what a layer reaches, over ordered pairs of different edge routers.
type Reach struct {
	// Hops counts pairs by the length of the layer's shortest path, in links between
	// routers. Hops[0] is 0.
	Hops []int64
	// Unreachable counts pairs without a route in the layer. Their packets must take
	// another layer, such as layer 0, which reaches all. Or the layer is made again with
	// more links or another seed.
	Unreachable int64
	// Links is the number of links that the layer uses.
	Links int
}

// Pairs returns the number of ordered pairs.
func (r Reach) Pairs() int64 {
	n := r.Unreachable
	for _, count := range r.Hops {
		n += count
	}
	return n
}

// Mean returns the mean length of the layer's shortest paths in links, or NaN without any.
func (r Reach) Mean() float64 { return Mean(r.Hops) }

// entryBytes returns the size of an entry in bytes. It is one if no router has more than
// 255 ports to others, since one value means no route.
func (r *Routers) entryBytes() int64 {
	if r.degree <= math.MaxUint8 {
		return 1
	}
	return 2
}

// TableBytes returns the memory of tables with n layers, which have one entry per layer,
// router and edge router.
func (r *Routers) TableBytes(n int) unit.Bytes {
	return unit.Bytes(int64(n) * int64(len(r.nodes)) * int64(len(r.edges)) * r.entryBytes())
}

// Tables computes next hops for all layers. seed decides the choices among minimal ones. It
// fails if ctx ends.
func (l *Layers) Tables(ctx context.Context, seed uint64, w Work) (*Tables, error) {
	t := &Tables{routers: l.routers}
	p := &progress{report: w.Progress, of: l.Len() * len(l.routers.edges)}
	for layer := range l.arcs {
		var err error
		if l.routers.entryBytes() == 1 {
			err = fill(ctx, t, &t.narrow, l, layer, seed, w, p)
		} else {
			err = fill(ctx, t, &t.wide, l, layer, seed, w, p)
		}
		if err != nil {
			return nil, fmt.Errorf("tables of layer %d of %d: %w", layer, l.Len(), err)
		}
	}
	return t, nil
}

func fill[P port](ctx context.Context, t *Tables, tables *[][]P, l *Layers, layer int, seed uint64, w Work, p *progress) error {
	r := l.routers
	n := len(r.nodes)
	graph := newSubgraph(r, l.arcs[layer])
	table := make([]P, n*len(r.edges))
	reach := Reach{Links: l.Links(layer)}
	var mutex sync.Mutex
	var workers []*histogram
	err := w.each(ctx, p, len(r.edges), func() func(int) {
		h := &histogram{edge: r.edge, all: len(r.edges) == n}
		mutex.Lock()
		workers = append(workers, h)
		mutex.Unlock()
		s := newSearcher[P](graph)
		s.arrive = h.add
		return func(i int) {
			s.random.start(seed, uint64(layer)<<32|uint64(i), "next hops")
			s.search(r.edges[i], table[i*n:(i+1)*n])
		}
	})
	if err != nil {
		return err
	}
	pairs := int64(len(r.edges)) * int64(len(r.edges)-1)
	for _, h := range workers {
		for hops, count := range h.hops {
			countAt(&reach.Hops, hops, count)
			pairs -= count
		}
	}
	reach.Unreachable = pairs
	*tables = append(*tables, table)
	t.reach = append(t.reach, reach)
	return nil
}

// histogram counts edge routers by distance.
type histogram struct {
	edge []int32
	all  bool
	hops []int64
}

func (h *histogram) add(hops int, routers []int32) {
	n := len(routers)
	if !h.all {
		n = 0
		for _, r := range routers {
			if h.edge[r] >= 0 {
				n++
			}
		}
	}
	countAt(&h.hops, hops, int64(n))
}

// Routers returns the routers of the tables.
func (t *Tables) Routers() *Routers { return t.routers }

// Layers returns the number of layers.
func (t *Tables) Layers() int { return len(t.reach) }

// Reach returns what a layer reaches.
func (t *Tables) Reach(layer int) Reach { return t.reach[layer] }

// Next returns the port that leads towards an edge router in a layer, numbered from 0 among
// the router's ports to others. It returns false if there is no route, or if the router is
// the destination. It panics if the destination is not an edge router.
func (t *Tables) Next(layer, router, destination int) (int, bool) {
	i := int(t.routers.edge[destination])*len(t.routers.nodes) + router
	if t.narrow != nil {
		p := t.narrow[layer][i]
		return int(p), p != math.MaxUint8
	}
	p := t.wide[layer][i]
	return int(p), p != math.MaxUint16
}

// AppendPath appends the ports of the path in a layer. It returns false if there is no
// route in it.
func (t *Tables) AppendPath(path []topo.PortID, layer, from, to int) ([]topo.PortID, bool) {
	r := t.routers
	for from != to {
		p, ok := t.Next(layer, from, to)
		if !ok {
			return path, false
		}
		e := r.offset[from] + int32(p)
		path = append(path, r.port[e])
		from = int(r.to[e])
	}
	return path, true
}
