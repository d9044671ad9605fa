package layers

// subgraph holds the links of one layer by router, so that a search reads nothing else. The
// ports of each router are numbered from 0.
type subgraph struct {
	// The ports of a router in the layer, and the routers that they lead to.
	out     []int32
	to      []int32
	outPort []uint16
	// The directed links into a router: the routers that they come from, and the ports
	// there. If every link has both directions, these are the same slices as above.
	in     []int32
	from   []int32
	inPort []uint16
}

func newSubgraph(r *Routers, arcs bitset) *subgraph {
	n := len(r.nodes)
	g := &subgraph{out: make([]int32, n+1), in: make([]int32, n+1)}
	total := 0
	for e := range r.to {
		if arcs.has(int32(e)) {
			total++
		}
	}
	g.to, g.outPort = make([]int32, 0, total), make([]uint16, 0, total)
	g.from, g.inPort = make([]int32, 0, total), make([]uint16, 0, total)
	for u := range int32(n) {
		for e := r.offset[u]; e < r.offset[u+1]; e++ {
			to, back := r.to[e], r.back[e]
			if arcs.has(e) {
				g.to = append(g.to, to)
				g.outPort = append(g.outPort, uint16(e-r.offset[u]))
			}
			if arcs.has(back) {
				g.from = append(g.from, to)
				g.inPort = append(g.inPort, uint16(back-r.offset[to]))
			}
		}
		g.out[u+1], g.in[u+1] = int32(len(g.to)), int32(len(g.from))
	}
	return g
}

// state is the state of a router in a search.
type state uint8

const (
	unseen state = iota
	near         // nearer than the frontier
	frontier
	next // one step beyond the frontier
)

// searcher finds minimal next hops towards one router after another. Only one goroutine may
// use it.
type searcher[P port] struct {
	graph *subgraph
	state []state
	// ties counts the minimal next hops offered to a router of the next level.
	ties           []uint32
	frontier, next []int32
	left           []int32
	random         stream
	// arrive is called for each level with its routers.
	arrive func(hops int, routers []int32)
}

// port is the type of a table entry.
type port interface{ uint8 | uint16 }

func newSearcher[P port](g *subgraph) *searcher[P] {
	n := len(g.out) - 1
	return &searcher[P]{graph: g, state: make([]state, n), ties: make([]uint32, n), left: make([]int32, 0, n)}
}

// search writes a random minimal next hop into row for every router that reaches the
// destination, and none for the others (FatPaths, Listing 3 and Section V-C). All minimal
// next hops have the same probability. While the frontier is small, levels are searched
// from the frontier. They are searched from the unseen routers when that looks at fewer
// links. The search stops when all routers are seen, so it never starts from the last and
// largest level.
func (s *searcher[P]) search(destination int32, row []P) {
	none := ^P(0)
	clear(s.state)
	for i := range row {
		row[i] = none
	}
	s.state[destination] = frontier
	s.frontier = append(s.frontier[:0], destination)
	missing := len(row) - 1
	listed := false
	degree := max(1, len(s.graph.to)/len(row))
	for hops := 1; len(s.frontier) > 0 && missing > 0; hops++ {
		s.next = s.next[:0]
		// An unseen router tries about len(row)/len(frontier) links until one leads into
		// the frontier.
		if len(s.frontier)*degree <= missing*min(degree, len(row)/len(s.frontier)+1) {
			s.forth(row)
		} else {
			if !listed {
				s.list()
				listed = true
			}
			s.back(row)
		}
		for _, r := range s.frontier {
			s.state[r] = near
		}
		for _, r := range s.next {
			s.state[r] = frontier
		}
		missing -= len(s.next)
		if s.arrive != nil {
			s.arrive(hops, s.next)
		}
		s.frontier, s.next = s.next, s.frontier
	}
}

// forth follows the links into the frontier. A router with several possible next hops keeps
// each with the same probability (reservoir sampling).
func (s *searcher[P]) forth(row []P) {
	g := s.graph
	for _, r := range s.frontier {
		for i := g.in[r]; i < g.in[r+1]; i++ {
			from := g.from[i]
			switch s.state[from] {
			case unseen:
				s.state[from] = next
				s.ties[from] = 1
				row[from] = P(g.inPort[i])
				s.next = append(s.next, from)
			case next:
				s.ties[from]++
				if s.random.below(int(s.ties[from])) == 0 {
					row[from] = P(g.inPort[i])
				}
			}
		}
	}
}

// list collects the unseen routers.
func (s *searcher[P]) list() {
	s.left = s.left[:0]
	for r, state := range s.state {
		if state == unseen {
			s.left = append(s.left, int32(r))
		}
	}
}

// back lets each unseen router try random ports. The first that leads into the frontier is
// equally likely to be any port that does. After some failures the router looks at all
// ports.
func (s *searcher[P]) back(row []P) {
	g := s.graph
	left := s.left[:0]
	for _, r := range s.left {
		if s.state[r] != unseen {
			continue
		}
		begin, degree := g.out[r], int(g.out[r+1]-g.out[r])
		chosen := int32(-1)
		for try := 0; try < degree/8+2 && degree > 0; try++ {
			if i := begin + int32(s.random.below(degree)); s.state[g.to[i]] == frontier {
				chosen = i
				break
			}
		}
		if chosen < 0 {
			chosen = s.among(begin, g.out[r+1])
		}
		if chosen < 0 {
			left = append(left, r)
			continue
		}
		row[r] = P(g.outPort[chosen])
		s.next = append(s.next, r)
	}
	s.left = left
	for _, r := range s.next {
		s.state[r] = next
	}
}

// among chooses a random link that leads into the frontier, or returns -1.
func (s *searcher[P]) among(begin, end int32) int32 {
	chosen, ties := int32(-1), 0
	for i := begin; i < end; i++ {
		if s.state[s.graph.to[i]] == frontier {
			ties++
			if s.random.below(ties) == 0 {
				chosen = i
			}
		}
	}
	return chosen
}
