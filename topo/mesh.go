package topo

// mesh holds the switches of a graph, numbered from 0 in the order of their nodes, and the
// links between them.
type mesh struct {
	// nodes holds the node of each switch.
	nodes []NodeID
	// to lists the neighbours of switch s from offset[s] to offset[s+1]. Parallel links
	// repeat a neighbour.
	offset []int32
	to     []int32
}

func newMesh(g *Graph) mesh {
	var m mesh
	number := make([]int32, len(g.Nodes))
	for n := range g.Nodes {
		number[n] = -1
		if g.Nodes[n].Kind == Switch {
			number[n] = int32(len(m.nodes))
			m.nodes = append(m.nodes, NodeID(n))
		}
	}
	m.offset = make([]int32, len(m.nodes)+1)
	for i := range g.Links {
		if a, b := number[g.Links[i].A], number[g.Links[i].B]; a >= 0 && b >= 0 {
			m.offset[a+1]++
			m.offset[b+1]++
		}
	}
	for s := range m.nodes {
		m.offset[s+1] += m.offset[s]
	}
	m.to = make([]int32, m.offset[len(m.nodes)])
	free := make([]int32, len(m.nodes))
	copy(free, m.offset)
	for i := range g.Links {
		if a, b := number[g.Links[i].A], number[g.Links[i].B]; a >= 0 && b >= 0 {
			m.to[free[a]], m.to[free[b]] = b, a
			free[a]++
			free[b]++
		}
	}
	return m
}

// hosts returns the number of hosts on each switch.
func (m mesh) hosts(g *Graph) []int {
	number := make([]int, len(g.Nodes))
	for i := range g.Links {
		l := &g.Links[i]
		if g.Nodes[l.A].Kind == Host {
			number[l.B]++
		}
		if g.Nodes[l.B].Kind == Host {
			number[l.A]++
		}
	}
	hosts := make([]int, len(m.nodes))
	for s, n := range m.nodes {
		hosts[s] = number[n]
	}
	return hosts
}

// neighbours returns the other ends of the links of switch s.
func (m mesh) neighbours(s int) []int32 { return m.to[m.offset[s]:m.offset[s+1]] }

// eccentricity returns the distance from switch s to the farthest switch connected to it,
// and the number of connected switches including s.
func (m mesh) eccentricity(s int) (far, reached int) {
	seen := make([]bool, len(m.nodes))
	seen[s] = true
	queue := []int32{int32(s)}
	for ends := 1; ; far++ {
		for _, n := range queue[reached:ends] {
			for _, to := range m.neighbours(int(n)) {
				if !seen[to] {
					seen[to] = true
					queue = append(queue, to)
				}
			}
		}
		reached = ends
		if ends = len(queue); ends == reached {
			return far, reached
		}
	}
}
