package layers

import (
	"math"
	"slices"
)

// pathFinder implements find_path of Listing 2. Paths increase in the layer's order, so
// they are simple, and dynamic programming finds the lightest path of each length. Two
// halves meet in the middle. That looks at far fewer links than the listing's queue of all
// paths, and finds a path of the same weight.
type pathFinder struct {
	routers *Routers
	least   int
	most    int
	// order is π of the layer. blocked marks the directed links that the layer may not use.
	order   []int32
	blocked bitset
	// weight is W by directed link, over all layers.
	weight   []int64
	random   stream
	forward  half
	backward half
	path     []int32
}

// half holds the lightest paths from one end, by number of links.
type half struct {
	levels []level
}

// level holds the lightest paths with a given number of links.
type level struct {
	// weight is the weight of the lightest path to a router, or math.MaxInt64 if there is
	// none. last is the entry of its last link. ties counts the paths with that weight.
	weight  []int64
	last    []int32
	ties    []int32
	touched []int32
}

func newPathFinder(r *Routers, least, most int) pathFinder {
	return pathFinder{
		routers: r, least: least, most: most,
		blocked: newBitset(len(r.to)), weight: make([]int64, len(r.to)),
		forward: newHalf(len(r.nodes), (most+1)/2), backward: newHalf(len(r.nodes), most/2),
	}
}

func newHalf(routers, hops int) half {
	h := half{levels: make([]level, hops+1)}
	for i := range h.levels {
		h.levels[i] = level{
			weight: slices.Repeat([]int64{math.MaxInt64}, routers),
			last:   make([]int32, routers),
			ties:   make([]int32, routers),
		}
	}
	return h
}

// begin starts a layer with this order of routers.
func (f *pathFinder) begin(order []int32) {
	f.order = order
	clear(f.blocked)
}

// find returns the entries of the directed links of a lightest path with least to most
// links, or nil if there is none. The result is valid until the next call.
func (f *pathFinder) find(u, v int32) []int32 {
	f.forward.start(u)
	f.backward.start(v)
	defer f.forward.clear()
	defer f.backward.clear()
	var (
		lightest = int64(math.MaxInt64)
		hops     int
		meet     int32
	)
	for length := f.least; length <= f.most; length++ {
		h := (length + 1) / 2
		f.reach(&f.forward, h, f.order[u], f.order[v], false)
		f.reach(&f.backward, length-h, f.order[u], f.order[v], true)
		first, second := &f.forward.levels[h], &f.backward.levels[length-h]
		ties := 0
		for _, x := range first.touched {
			if second.weight[x] == math.MaxInt64 {
				continue
			}
			switch w := first.weight[x] + second.weight[x]; {
			case w < lightest:
				lightest, hops, meet, ties = w, length, x, 1
			case w == lightest && hops == length:
				ties++
				if f.random.below(ties) == 0 {
					meet = x
				}
			}
		}
	}
	if hops == 0 {
		return nil
	}
	return f.join(hops, meet)
}

func (h *half) start(r int32) {
	h.levels[0].weight[r] = 0
	h.levels[0].touched = append(h.levels[0].touched, r)
}

func (h *half) clear() {
	for i := range h.levels {
		l := &h.levels[i]
		for _, r := range l.touched {
			l.weight[r] = math.MaxInt64
		}
		l.touched = l.touched[:0]
	}
}

// reach finds the lightest paths with up to hops links that stay within an interval of the
// order.
func (f *pathFinder) reach(h *half, hops int, low, high int32, backwards bool) {
	for k := 1; k <= hops; k++ {
		from, to := &h.levels[k-1], &h.levels[k]
		if len(to.touched) > 0 {
			continue
		}
		for _, x := range from.touched {
			f.extend(from, to, x, low, high, backwards)
		}
	}
}

func (f *pathFinder) extend(from, to *level, x, low, high int32, backwards bool) {
	r := f.routers
	if backwards {
		high = f.order[x] - 1
	} else {
		low = f.order[x] + 1
	}
	for e := r.offset[x]; e < r.offset[x+1]; e++ {
		y := r.to[e]
		if o := f.order[y]; o < low || o > high {
			continue
		}
		link := e
		if backwards {
			link = r.back[e]
		}
		if f.blocked.has(link) {
			continue
		}
		w := from.weight[x] + f.weight[link]
		switch old := to.weight[y]; {
		case w < old:
			if old == math.MaxInt64 {
				to.touched = append(to.touched, y)
			}
			to.weight[y], to.last[y], to.ties[y] = w, link, 1
		case w == old:
			to.ties[y]++
			if f.random.below(int(to.ties[y])) == 0 {
				to.last[y] = link
			}
		}
	}
}

// join joins the two halves that meet at a router.
func (f *pathFinder) join(hops int, meet int32) []int32 {
	r := f.routers
	first := (hops + 1) / 2
	f.path = f.path[:0]
	for k, x := first, meet; k > 0; k-- {
		e := f.forward.levels[k].last[x]
		f.path = append(f.path, e)
		x = r.to[r.back[e]]
	}
	slices.Reverse(f.path)
	for k, x := hops-first, meet; k > 0; k-- {
		e := f.backward.levels[k].last[x]
		f.path = append(f.path, e)
		x = r.to[e]
	}
	return f.path
}

// exclude blocks, for this layer, all links between routers of the path that are not
// neighbours on it (lines 26 and 27).
func (f *pathFinder) exclude(path []int32) {
	r := f.routers
	for i := range path {
		x := r.to[r.back[path[i]]]
		for _, e := range path[i+1:] {
			y := r.to[e]
			for chord := r.offset[x]; chord < r.offset[x+1]; chord++ {
				if r.to[chord] == y {
					f.blocked.set(chord)
					f.blocked.set(r.back[chord])
				}
			}
		}
	}
}
