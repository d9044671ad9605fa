// Package flow computes maximum flows with integer capacities.
package flow

// Amount is what flows are counted in.
type Amount interface{ ~int32 | ~int64 }

// Network is a graph with capacities. Its memory is used again after Reset.
type Network[C Amount] struct {
	// Arcs come in pairs, one the reverse of the other: arc a and arc a^1.
	to, next       []int32
	room, capacity []C
	head           []int32
	level, at      []int32
	queue          []int32
}

// Unlimited is a capacity that no flow reaches.
const Unlimited = 1 << 30

// Reset empties the network and gives it nodes without arcs.
func (n *Network[C]) Reset(nodes int) {
	n.to, n.next, n.room, n.capacity = n.to[:0], n.next[:0], n.room[:0], n.capacity[:0]
	n.head = n.head[:0]
	for range nodes {
		n.head = append(n.head, -1)
	}
}

// Arc adds an arc from u to v; back is the capacity from v to u, which is that of
// the arc for links without direction.
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

// Restore takes back all flow.
func (n *Network[C]) Restore() { copy(n.room, n.capacity) }

// Max adds flow from s to t until there is no more, or the limit is reached, and
// returns how much was added (Dinic 1970). With links of unit capacity it takes
// O(links^1.5) steps.
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

// levels finds how far each node is from s over arcs with room, and tells whether
// t can be reached.
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

// push sends flow along one path of a shortest kind.
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

// Side marks what can be reached from s over arcs with room: the side of s of a
// minimum cut, if the flow is a maximum.
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
