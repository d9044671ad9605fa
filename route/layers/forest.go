package layers

import (
	"math"
	"slices"

	"weft/topo"
	"weft/unit"
)

// Forest holds layers without cycles, as in SPAIN and PAST. In such a layer, two routers of
// the same tree have exactly one path. A forest takes a few bytes per layer and router,
// where tables take one or two per layer and pair.
type Forest struct {
	routers *Routers
	// up holds, for every layer and router, the port to the parent. depth holds the
	// distance from the root.
	up    []uint16
	depth []uint16
	// component numbers the trees by layer and router. It is nil if each layer is one tree.
	component []int32
	layers    int
}

const noPort = math.MaxUint16

// Layers returns the number of layers.
func (f *Forest) Layers() int { return f.layers }

// Routers returns the routers of the layers.
func (f *Forest) Routers() *Routers { return f.routers }

// TreeBytes returns the memory of n spanning trees.
func (r *Routers) TreeBytes(n int) unit.Bytes { return unit.Bytes(int64(n) * int64(len(r.nodes)) * 4) }

// Links returns the number of links in a layer.
func (f *Forest) Links(layer int) int {
	n := len(f.routers.nodes)
	links := 0
	for _, p := range f.up[layer*n : (layer+1)*n] {
		if p != noPort {
			links++
		}
	}
	return links
}

// parent returns the entry of the link from a router to its parent, or -1.
func (f *Forest) parent(layer int, router int32) int32 {
	p := f.up[layer*len(f.routers.nodes)+int(router)]
	if p == noPort {
		return -1
	}
	return f.routers.offset[router] + int32(p)
}

// AppendPath appends the ports of the path in a layer. It returns false if the two ends are
// in different trees.
func (f *Forest) AppendPath(path []topo.PortID, layer, from, to int) ([]topo.PortID, bool) {
	r := f.routers
	base := layer * len(r.nodes)
	if f.component != nil && f.component[base+from] != f.component[base+to] {
		return path, false
	}
	a, b := int32(from), int32(to)
	// The second half is found from its end, and reversed afterwards.
	down := 0
	for a != b {
		if f.depth[base+int(a)] >= f.depth[base+int(b)] {
			e := f.parent(layer, a)
			path = slices.Insert(path, len(path)-down, r.port[e])
			a = r.to[e]
		} else {
			e := f.parent(layer, b)
			path = append(path, r.port[r.back[e]])
			down++
			b = r.to[e]
		}
	}
	slices.Reverse(path[len(path)-down:])
	return path, true
}

// Unreachable counts ordered pairs of different edge routers without a route in a layer.
func (f *Forest) Unreachable(layer int) int64 {
	r := f.routers
	if f.component == nil {
		return 0
	}
	base := layer * len(r.nodes)
	size := make([]int64, len(r.nodes))
	for _, edge := range r.edges {
		size[f.component[base+int(edge)]]++
	}
	pairs := int64(0)
	for _, n := range size {
		pairs += n * (int64(len(r.edges)) - n)
	}
	return pairs
}

// Reach measures what a layer reaches, by looking at every pair.
func (f *Forest) Reach(layer int) Reach {
	r := f.routers
	reach := Reach{Links: f.Links(layer)}
	var path []topo.PortID
	for _, from := range r.edges {
		for _, to := range r.edges {
			if from == to {
				continue
			}
			var ok bool
			if path, ok = f.AppendPath(path[:0], layer, int(from), int(to)); ok {
				countAt(&reach.Hops, len(path), 1)
			} else {
				reach.Unreachable++
			}
		}
	}
	return reach
}

// addLinks adds a layer with the links of these entries, which have no cycle. The root of
// each tree is its router with the smallest number.
func (f *Forest) addLinks(entries []int32) {
	r := f.routers
	n := len(r.nodes)
	base := f.layers * n
	f.up = append(f.up, slices.Repeat([]uint16{noPort}, n)...)
	f.depth = append(f.depth, make([]uint16, n)...)
	f.component = append(f.component, slices.Repeat([]int32{-1}, n)...)
	f.layers++
	in := newBitset(len(r.to))
	for _, e := range entries {
		in.set(e)
		in.set(r.back[e])
	}
	var queue []int32
	for root := range int32(n) {
		if f.component[base+int(root)] >= 0 {
			continue
		}
		f.component[base+int(root)] = root
		queue = append(queue[:0], root)
		for i := 0; i < len(queue); i++ {
			u := queue[i]
			for e := r.offset[u]; e < r.offset[u+1]; e++ {
				v := r.to[e]
				if !in.has(e) || f.component[base+int(v)] >= 0 {
					continue
				}
				f.component[base+int(v)] = root
				f.depth[base+int(v)] = f.depth[base+int(u)] + 1
				f.up[base+int(v)] = uint16(r.back[e] - r.offset[v])
				queue = append(queue, v)
			}
		}
	}
}
