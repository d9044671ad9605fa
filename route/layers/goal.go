package layers

// goalSearch finds shortest paths to a destination by A*, with the distances over all links
// as the bound. In a network of low diameter it looks at few routers, even if some links
// are forbidden.
type goalSearch struct {
	routers *Routers
	// toGoal holds the distance of every router from the destination, over all links.
	toGoal []int32
	// barred marks directed links, by entry, that may not be used; banned marks such
	// routers.
	barred marks
	banned marks
	// firstPort is the port at which a router's search begins. If nil, it begins at a random
	// port.
	firstPort []int32
	random    *stream

	reached marks
	steps   []int32
	last    []int32
	// Routers to continue from, by excess: by how much a path through them is longer than
	// toGoal promises.
	open [][]int32
	path []int32
}

// marks is a set that can be emptied in constant time.
type marks struct {
	round []int32
	now   int32
}

func newMarks(n int) marks        { return marks{make([]int32, n), 1} }
func (m *marks) has(i int32) bool { return m.round[i] == m.now }
func (m *marks) set(i int32)      { m.round[i] = m.now }
func (m *marks) empty()           { m.now++ }

func newGoalSearch(r *Routers) *goalSearch {
	n := len(r.nodes)
	return &goalSearch{
		routers: r, barred: newMarks(len(r.to)), banned: newMarks(n), reached: newMarks(n),
		steps: make([]int32, n), last: make([]int32, n), path: make([]int32, 0, 16),
	}
}

// find returns the entries of a shortest path that avoids what is forbidden, or nil if
// there is none. The result is valid until the next call.
func (g *goalSearch) find(from, to int32) []int32 {
	g.reached.empty()
	for i := range g.open {
		g.open[i] = g.open[i][:0]
	}
	g.reach(from, 0, -1)
	g.push(0, from)
	base := g.toGoal[from]
	for excess := 0; excess < len(g.open); excess++ {
		for len(g.open[excess]) > 0 {
			at := len(g.open[excess]) - 1
			x := g.open[excess][at]
			g.open[excess] = g.open[excess][:at]
			if x == to {
				return g.back(from, to)
			}
			if int(g.steps[x]+g.toGoal[x]-base) != excess {
				continue // a shorter path has reached it meanwhile
			}
			g.expand(x, base)
		}
	}
	return nil
}

// expand continues the search from a router. The last router pushed is taken first, so the
// port at which the loop begins is preferred among equals.
func (g *goalSearch) expand(x, base int32) {
	r := g.routers
	begin, degree := r.offset[x], r.offset[x+1]-r.offset[x]
	turn := int32(0)
	if g.firstPort != nil {
		turn = g.firstPort[x]
	} else {
		turn = int32(g.random.below(int(degree)))
	}
	for i := range degree {
		e := begin + turn - 1 - i
		if e < begin {
			e += degree
		}
		y := r.to[e]
		if g.barred.has(e) || g.banned.has(y) {
			continue
		}
		steps := g.steps[x] + 1
		if g.reached.has(y) && g.steps[y] <= steps {
			continue
		}
		g.reach(y, steps, e)
		g.push(int(steps+g.toGoal[y]-base), y)
	}
}

func (g *goalSearch) reach(x, steps, e int32) {
	g.reached.set(x)
	g.steps[x], g.last[x] = steps, e
}

func (g *goalSearch) push(excess int, x int32) {
	for len(g.open) <= excess {
		g.open = append(g.open, nil)
	}
	g.open[excess] = append(g.open[excess], x)
}

func (g *goalSearch) back(from, to int32) []int32 {
	r := g.routers
	n := int(g.steps[to])
	if cap(g.path) < n {
		g.path = make([]int32, n)
	}
	g.path = g.path[:n]
	for x := to; x != from; {
		n--
		e := g.last[x]
		g.path[n] = e
		x = r.to[r.back[e]]
	}
	return g.path
}
