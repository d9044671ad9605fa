package collective

// nodes is how a group lies on nodes. A rail is one rank of each node; the rails are as many as the
// smallest node has ranks. The rank with number l in its node stands on rail l, or gets its data from rail
// l modulo the rails.
type nodes struct {
	places      [][]int // of the ranks of each node
	node, local int     // where I am
	rails       int
	most        int // ranks of the largest node
}

func (w *writer) nodes() nodes {
	n := nodes{}
	number := map[int32]int{}
	for place, rank := range w.group {
		id := rank / int32(min(w.Node, 1<<30))
		i, known := number[id]
		if !known {
			i = len(n.places)
			number[id] = i
			n.places = append(n.places, nil)
		}
		if place == w.me {
			n.node, n.local = i, len(n.places[i])
		}
		n.places[i] = append(n.places[i], place)
	}
	n.rails = len(n.places[0])
	for _, list := range n.places {
		n.rails, n.most = min(n.rails, len(list)), max(n.most, len(list))
	}
	return n
}

// inside is my node.
func (n nodes) inside() team {
	return team{places: n.places[n.node], size: len(n.places[n.node]), me: n.local}
}

// railed tells whether I am on a rail.
func (n nodes) railed() bool { return n.local < n.rails }

// rail is mine.
func (n nodes) rail() team {
	t := team{size: len(n.places), me: n.node}
	for _, list := range n.places {
		t.places = append(t.places, list[n.local])
	}
	return t
}

// served returns the places of a node that get their data from a rail.
func (n nodes) served(node, rail int) (places []int) {
	for l := rail; l < len(n.places[node]); l += n.rails {
		places = append(places, n.places[node][l])
	}
	return places
}

// ofRail returns the parts of what a rail serves at each node.
func (n nodes) ofRail(parts []region, rail int) []region {
	list := make([]region, len(n.places))
	for node := range list {
		list[node] = partsOf(parts, n.served(node, rail))
	}
	return list
}

// byRail returns the parts that each rail serves, and nothing for the ranks of my node without a rail.
func (n nodes) byRail(parts []region) []region {
	list := make([]region, len(n.places[n.node]))
	for rail := range n.rails {
		list[rail] = joined(n.ofRail(parts, rail)...)
	}
	return list
}

func partsOf(parts []region, places []int) (r region) {
	for _, p := range places {
		r = r.join(parts[p])
	}
	return r
}

// stage has a stage of a collective take so many tags at every rank, whether it takes part or not.
func (w *writer) stage(tags int, run func()) {
	first := w.tag
	run()
	w.tag = first + int64(tags)
}

func (w *writer) nodesAllReduce() {
	n := w.nodes()
	parts := append(w.whole.cut(n.rails), make([]region, len(n.places[n.node])-n.rails)...)
	w.stage(n.most-1, func() { w.reduceRing(n.inside(), parts, 0) })
	w.stage(2*len(n.places), func() {
		if n.railed() {
			t := n.rail()
			mine := parts[n.local].cut(t.size)
			w.reduceRing(t, mine, 1)
			w.gatherRing(t, mine, 1)
		}
	})
	w.stage(n.most-1, func() { w.gatherRing(n.inside(), parts, 0) })
}

func (w *writer) nodesReduceScatter() {
	n := w.nodes()
	parts := w.whole.cut(len(w.group))
	w.stage(n.most-1, func() { w.reduceRing(n.inside(), n.byRail(parts), 0) })
	w.stage(len(n.places), func() {
		if n.railed() {
			w.reduceRing(n.rail(), n.ofRail(parts, n.local), 0)
		}
	})
	w.stage(1, func() { w.toServed(n, func(place int) region { return parts[place] }) })
}

func (w *writer) nodesAllGather() {
	n := w.nodes()
	parts := w.whole.cut(len(w.group))
	w.stage(1, func() { w.fromServed(n, func(place int) region { return parts[place] }) })
	w.stage(len(n.places), func() {
		if n.railed() {
			w.gatherRing(n.rail(), n.ofRail(parts, n.local), 0)
		}
	})
	w.stage(n.most-1, func() { w.gatherRing(n.inside(), n.byRail(parts), 0) })
}

// nodesAllToAll sends everything to the rank of its own node on the rail that serves the destination, which
// sends it to that rail's rank of the destination's node.
func (w *writer) nodesAllToAll() {
	n := w.nodes()
	parts := w.whole.cut(len(w.group))
	inside := n.inside()
	toRail := func(source, rail int) (r region) {
		if rail >= n.rails {
			return nil
		}
		return w.row(source, joined(n.ofRail(parts, rail)...))
	}
	w.stage(1, func() {
		w.exchange(inside, true, func(to int) region { return toRail(w.me, to) },
			func(from int) region { return toRail(inside.place(from), n.local) }, false)
	})
	w.stage(1, func() {
		if !n.railed() {
			return
		}
		across := func(from, to int) (r region) {
			data := partsOf(parts, n.served(to, n.local))
			for _, source := range n.places[from] {
				r = r.join(w.row(source, data))
			}
			return r
		}
		w.exchange(n.rail(), true, func(to int) region { return across(n.node, to) }, func(from int) region { return across(from, n.node) }, false)
	})
	w.stage(1, func() {
		w.toServed(n, func(place int) (r region) {
			for source := range w.group {
				r = r.join(w.row(source, parts[place]))
			}
			return r
		})
	})
}

// toServed sends data from ranks on rails to those of their node that they serve, and fromServed back.
func (w *writer) toServed(n nodes, data func(place int) region) {
	if !n.railed() {
		w.take(n.inside().place(n.local%n.rails), data(w.me))
		w.turn()
		return
	}
	for _, to := range n.served(n.node, n.local)[1:] {
		w.send(to, data(to))
	}
	w.turn()
}

func (w *writer) fromServed(n nodes, data func(place int) region) {
	if !n.railed() {
		w.send(n.inside().place(n.local%n.rails), data(w.me))
		return
	}
	for _, from := range n.served(n.node, n.local)[1:] {
		w.take(from, data(from))
	}
	w.turn()
}

// leaders are the ranks that stand for their nodes: the root for its own, and the first one otherwise. It
// returns the leader of my node, too, and the number of the root's node.
func (w *writer) leaders(n nodes) (t team, mine, root int) {
	t = team{size: len(n.places), me: n.node}
	for node, list := range n.places {
		leader := 0
		for l, place := range list {
			if w.rooted() && place == w.Root {
				leader, root = l, node
			}
		}
		if node == n.node {
			mine = leader
		}
		t.places = append(t.places, list[leader])
	}
	return t, mine, root
}

// inTwo runs a collective with a root inside of nodes and between their leaders, in either order.
func (w *writer) inTwo(insideFirst bool, inside func(t team, leader int), across func(t team, root int)) {
	n := w.nodes()
	leaders, leader, root := w.leaders(n)
	if insideFirst {
		w.stage(1, func() { inside(n.inside(), leader) })
	}
	w.stage(1, func() {
		if n.local == leader {
			across(leaders, root)
		}
	})
	if !insideFirst {
		w.stage(1, func() { inside(n.inside(), leader) })
	}
}

func (w *writer) nodesBroadcast() {
	one := func(t team, root int) { w.broadcastTree(t, root, w.whole) }
	w.inTwo(false, one, one)
}

func (w *writer) nodesReduce() {
	one := func(t team, root int) { w.reduceTree(t, root, w.whole) }
	w.inTwo(true, one, one)
}

func (w *writer) nodesGather() {
	inside, across := w.parcels()
	w.inTwo(true, func(t team, leader int) { w.gatherTree(t, leader, inside) }, func(t team, root int) { w.gatherTree(t, root, across) })
}

func (w *writer) nodesScatter() {
	inside, across := w.parcels()
	w.inTwo(false, func(t team, leader int) { w.scatterTree(t, leader, inside) }, func(t team, root int) { w.scatterTree(t, root, across) })
}

// parcels returns the parts of the ranks of my node, and those of each node together.
func (w *writer) parcels() (inside, across []region) {
	n := w.nodes()
	parts := w.whole.cut(len(w.group))
	for _, place := range n.places[n.node] {
		inside = append(inside, parts[place])
	}
	for _, list := range n.places {
		across = append(across, partsOf(parts, list))
	}
	return inside, across
}

// nodesBarrier gathers at the leaders, which disseminate it among them, and releases.
func (w *writer) nodesBarrier() {
	n := w.nodes()
	leaders, leader, _ := w.leaders(n)
	w.stage(1, func() { w.reduceTree(n.inside(), leader, w.whole) })
	w.stage(len(leaders.places), func() {
		if n.local == leader {
			w.disseminateIn(leaders)
		}
	})
	w.stage(1, func() { w.broadcastTree(n.inside(), leader, w.whole) })
}
