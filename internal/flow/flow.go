// Package flow computes maximum flows with integer capacities.
package flow

// Amount is the type of capacities and flows.
type Amount interface{ ~int32 | ~int64 }

// Network is a directed graph with capacities. Reset keeps its memory for the next graph.
type Network[C Amount] struct {
	// Arcs come in pairs: a^1 is the reverse of arc a.
	to, next       []int32
	room, capacity []C
	head           []int32
	level, at      []int32
	queue          []int32
}

// Unlimited is a capacity that no flow reaches.
const Unlimited = 1 << 30

// Reset removes all arcs and gives the network a number of nodes.
func (n *Network[C]) Reset(nodes int) {
	n.to, n.next, n.room, n.capacity = n.to[:0], n.next[:0], n.room[:0], n.capacity[:0]
	n.head = n.head[:0]
	for range nodes {
		n.head = append(n.head, -1)
	}
}

// Arc adds an arc from u to v, and its reverse with capacity back. For an undirected link, both
// capacities are equal.
func (n *Network[C]) Arc(u, v int32, capacity, back C) {
	n.half(u, v, capacity)
	n.half(v, u, back)
}

func (n *Network[C]) half(u, v int32, capacity C) {
	n.to = append(n.to, v)
	n.next = append(n.next, n.head[u])
	n.room = append(n.room, capacity)
	n.capacity = append(n.capacity, capacity)
	n.head[u] = int32(len(n.to) - 1)
}

// Restore removes all flow and keeps the arcs.
func (n *Network[C]) Restore() { copy(n.room, n.capacity) }

// Max adds flow from s to t until no more fits or the limit is reached. It returns the amount
// added (Dinic 1970). With links of unit capacity it takes O(links^1.5) steps.
func (n *Network[C]) Max(s, t int32, limit C) C {
	total := C(0)
	for total < limit && n.levels(s, t) {
		n.at = append(n.at[:0], n.head...)
		for total < limit {
			pushed := n.push(s, t, limit-total)
			if pushed == 0 {
				break
			}
			total += pushed
		}
	}
	return total
}

// levels computes each node's distance from s over arcs with spare capacity. It reports whether t
// can be reached.
func (n *Network[C]) levels(s, t int32) bool {
	n.level = n.level[:0]
	for range n.head {
		n.level = append(n.level, -1)
	}
	n.level[s] = 0
	n.queue = append(n.queue[:0], s)
	for i := 0; i < len(n.queue); i++ {
		v := n.queue[i]
		for a := n.head[v]; a >= 0; a = n.next[a] {
			if u := n.to[a]; n.room[a] > 0 && n.level[u] < 0 {
				n.level[u] = n.level[v] + 1
				if u == t {
					return true
				}
				n.queue = append(n.queue, u)
			}
		}
	}
	return false
}

// push sends flow from v to t along one shortest path, at most the given amount, and returns the
// amount sent.
func (n *Network[C]) push(v, t int32, most C) C {
	if v == t {
		return most
	}
	for ; n.at[v] >= 0; n.at[v] = n.next[n.at[v]] {
		a := n.at[v]
		u := n.to[a]
		if n.room[a] <= 0 || n.level[u] != n.level[v]+1 {
			continue
		}
		if pushed := n.push(u, t, min(most, n.room[a])); pushed > 0 {
			n.room[a] -= pushed
			n.room[a^1] += pushed
			return pushed
		}
	}
	return 0
}

// Side marks the nodes that s can reach over arcs with spare capacity. After a maximum flow this
// is the source side of a minimum cut.
func (n *Network[C]) Side(s int32, side []bool) {
	clear(side)
	side[s] = true
	n.queue = append(n.queue[:0], s)
	for i := 0; i < len(n.queue); i++ {
		for a := n.head[n.queue[i]]; a >= 0; a = n.next[a] {
			if u := n.to[a]; n.room[a] > 0 && !side[u] {
				side[u] = true
				n.queue = append(n.queue, u)
			}
		}
	}
}
