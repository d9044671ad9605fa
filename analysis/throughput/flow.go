package throughput

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"weft/topo"
)

// Commodity is a demand from one router to another, in units of the network's rate.
type Commodity struct {
	From, To topo.NodeID
	Size     float64
}

// Routes yields the paths of a pair of routers, as layers, spanning trees or lists of shortest
// paths define them. It calls yield with the ports of each path; yield must not keep the slice.
// Repeated paths count once.
type Routes func(from, to topo.NodeID, yield func(ports []topo.PortID))

// ErrNoPath reports that a commodity has no path.
var ErrNoPath = errors.New("no path")

// HostRoutes yields the paths from a router to a host, for schemes in which each address has its
// own paths.
type HostRoutes func(from topo.NodeID, host int32, yield func(ports []topo.PortID))

// Restrict returns the problem of carrying commodities over the paths that routes yields. It
// fails with ErrNoPath if a commodity has no path, and also if a path does not lead from the
// commodity's source to its destination.
func (n *Network) Restrict(list []Commodity, routes Routes) (*Problem, error) {
	p, err := NewProblem(n.capacity)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		err := n.restrict(p, c, func(yield func([]topo.PortID)) { routes(c.From, c.To, yield) })
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// RestrictHosts is Restrict for paths that belong to destination hosts, as PAST's trees do. It
// adds up only the demands from one router's hosts to the same host.
func (n *Network) RestrictHosts(demands []Demand, routes HostRoutes) (*Problem, error) {
	p, err := NewProblem(n.capacity)
	if err != nil {
		return nil, err
	}
	type key struct {
		from topo.NodeID
		host int32
	}
	sizes := map[key]float64{}
	var order []key
	for _, d := range demands {
		k := key{n.router[d.From], d.To}
		if k.from == n.router[d.To] {
			continue
		}
		if _, ok := sizes[k]; !ok {
			order = append(order, k)
		}
		sizes[k] += d.Size
	}
	for _, k := range order {
		c := Commodity{k.from, n.router[k.host], sizes[k]}
		err := n.restrict(p, c, func(yield func([]topo.PortID)) { routes(k.from, k.host, yield) })
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// restrict adds a commodity with its paths.
func (n *Network) restrict(p *Problem, c Commodity, paths func(yield func([]topo.PortID))) error {
	i, err := p.Add(c.Size)
	if err != nil {
		return fmt.Errorf("from %s to %s: %w", n.name(c.From), n.name(c.To), err)
	}
	var path []int32
	paths(func(ports []topo.PortID) {
		if err != nil {
			return
		}
		path = path[:0]
		at := c.From
		for _, port := range ports {
			from, to := n.graph.Ends(port)
			if from != at {
				err = fmt.Errorf("a path from %s to %s leaves %s after it came to %s", n.name(c.From), n.name(c.To), n.name(from), n.name(at))
				return
			}
			at = to
			path = append(path, int32(port))
		}
		if at != c.To {
			err = fmt.Errorf("a path from %s to %s ends at %s", n.name(c.From), n.name(c.To), n.name(at))
			return
		}
		if _, bad := p.AddPath(i, path); bad != nil {
			err = fmt.Errorf("from %s to %s: %w", n.name(c.From), n.name(c.To), bad)
		}
	})
	if err == nil && len(p.paths[i]) == 0 {
		err = fmt.Errorf("%w from %s to %s in the layers; add one with all links, or leave such pairs out", ErrNoPath, n.name(c.From), n.name(c.To))
	}
	return err
}

func (n *Network) name(v topo.NodeID) string { return n.graph.Nodes[v].Name }

// SolveFlow computes the throughput when commodities may use every path of the network: the
// maximum concurrent multi-commodity flow (FatPaths §VI-A3, equations 1 to 4). It works like
// Solve on a pool of paths. Whenever the flow over the pool has settled, it adds the cheapest
// path of every commodity. The upper bound covers all paths in the network. The returned problem
// is the pool, to which the result's Shares belong.
func (n *Network) SolveFlow(ctx context.Context, list []Commodity, o Options) (*Result, *Problem, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	p, err := NewProblem(n.capacity)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range list {
		if _, err := p.Add(c.Size); err != nil {
			return nil, nil, fmt.Errorf("from %s to %s: %w", n.name(c.From), n.name(c.To), err)
		}
	}
	w := newPricing(n, p, list)
	if err := w.seed(); err != nil {
		return nil, nil, err
	}
	if err := p.check(); err != nil {
		return nil, nil, err
	}
	r, err := climb(ctx, p, w, o)
	if r == nil {
		return nil, nil, err
	}
	return r, p, err
}

// pricing finds the cheapest paths of all commodities, in one search per source.
type pricing struct {
	*Network
	problem *Problem
	list    []Commodity
	// sources lists the routers that commodities come from, in order of appearance. of lists the
	// commodities of each.
	sources []topo.NodeID
	of      [][]int32
	// paths and costs are the results for each commodity.
	paths [][]int32
	costs []float64
	found []bool
}

func newPricing(n *Network, p *Problem, list []Commodity) *pricing {
	w := &pricing{Network: n, problem: p, list: list, paths: make([][]int32, len(list)), costs: make([]float64, len(list)), found: make([]bool, len(list))}
	index := map[topo.NodeID]int{}
	for i, c := range list {
		j, ok := index[c.From]
		if !ok {
			j = len(w.sources)
			index[c.From] = j
			w.sources = append(w.sources, c.From)
			w.of = append(w.of, nil)
		}
		w.of[j] = append(w.of[j], int32(i))
	}
	return w
}

// seeds is the approximate size of the initial pool, unless there are more commodities.
const seeds = 30_000

// seed fills the pool with shortest paths of every commodity that share no port. Adding one path
// at a time would need many rounds to find these.
func (w *pricing) seed() error {
	each := max(1, seeds/max(1, len(w.list)))
	found := make([][][]int32, len(w.list))
	parallel(len(w.list), func() func(int) {
		s := newSearch(w.Network)
		hops := slices.Repeat([]float64{1}, len(w.capacity))
		return func(i int) {
			c := w.list[i]
			for range each {
				s.from(c.From, hops, 1, func(v int32) bool { return topo.NodeID(v) == c.To })
				path, ok := s.path(c.From, c.To, nil)
				if !ok {
					break
				}
				for _, e := range path {
					hops[e] = math.Inf(1)
				}
				found[i] = append(found[i], path)
			}
			for _, path := range found[i] {
				for _, e := range path {
					hops[e] = 1
				}
			}
		}
	})
	for i, paths := range found {
		if len(paths) == 0 {
			return w.unreachable(i)
		}
		for _, path := range paths {
			if _, err := w.problem.AddPath(i, path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *pricing) unreachable(i int) error {
	return fmt.Errorf("%w from %s to %s; connect the graph, or leave one of them without hosts", ErrNoPath, w.name(w.list[i].From), w.name(w.list[i].To))
}

// parallel calls a function for every number below n. Each thread makes its own function with
// worker.
func parallel(n int, worker func() func(int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			work := worker()
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				work(i)
			}
		})
	}
	group.Wait()
}

// price implements pricer. The paths that it adds do not depend on the number of threads: the
// searches share nothing, and paths are added in order.
func (w *pricing) price(prices []float64) (float64, error) {
	parallel(len(w.sources), func() func(int) {
		s := newSearch(w.Network)
		want := make([]int32, len(w.graph.Nodes))
		return func(j int) { w.source(s, want, j, prices) }
	})
	pays := 0.0
	for i, c := range w.list {
		if !w.found[i] {
			return 0, w.unreachable(i)
		}
		pays += float64(c.Size * w.costs[i])
		if w.costs[i] < w.pool(i, prices) {
			if _, err := w.problem.AddPath(i, w.paths[i]); err != nil {
				return 0, err
			}
		}
	}
	return pays, nil
}

// pool returns the cost of the cheapest path that commodity i already has.
func (w *pricing) pool(i int, prices []float64) float64 {
	cheapest := math.Inf(1)
	for _, q := range w.problem.paths[i] {
		cheapest = min(cheapest, w.problem.price(q, prices))
	}
	return cheapest
}

// source finds the cheapest paths of all commodities of one source.
func (w *pricing) source(s *search, want []int32, j int, prices []float64) {
	from := w.sources[j]
	targets := 0
	for _, i := range w.of[j] {
		if to := w.list[i].To; want[to] != int32(j)+1 {
			want[to] = int32(j) + 1
			targets++
		}
	}
	s.from(from, prices, targets, func(v int32) bool { return want[v] == int32(j)+1 })
	for _, i := range w.of[j] {
		to := w.list[i].To
		w.paths[i], w.found[i] = s.path(from, to, w.paths[i][:0])
		w.costs[i] = s.cost[to]
	}
}
