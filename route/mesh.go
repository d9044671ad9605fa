package route

import (
	"slices"

	"weft/topo"
)

// mesh holds the links between switches, in both directions. Entries offset[r] to
// offset[r+1] are the ports of the switch with number r, in order, and the numbers of the
// switches that they lead to. An entry of a link that is down leads to a number beyond all
// switches. So the numbering of entries does not depend on which links are down.
type mesh struct {
	offset []int32
	to     []int32
	port   []topo.PortID
	// place is the index of each entry among the entries of its switch. In a part of a
	// mesh, it is the index in the whole mesh.
	place []uint16
	// back is the entry of the opposite direction.
	back []int32
	// simple: no two switches are joined by several links that are up.
	simple bool
}

// newMesh returns all links between switches. A nil down means that none is down.
func newMesh(t *Tables, down func(topo.LinkID) bool) *mesh {
	g, rows := t.graph, t.rows()
	m := &mesh{offset: make([]int32, rows+1)}
	between := func(l topo.LinkID) bool { return t.row[g.Links[l].A] >= 0 && t.row[g.Links[l].B] >= 0 }
	for l := range topo.LinkID(len(g.Links)) {
		if between(l) {
			m.offset[t.row[g.Links[l].A]+1]++
			m.offset[t.row[g.Links[l].B]+1]++
		}
	}
	for r := range rows {
		m.offset[r+1] += m.offset[r]
	}
	m.to = make([]int32, m.offset[rows])
	m.port = make([]topo.PortID, m.offset[rows])
	m.place = make([]uint16, m.offset[rows], m.offset[rows]+narrowWords)
	m.back = make([]int32, m.offset[rows])
	free := slices.Clone(m.offset[:rows])
	for l := range topo.LinkID(len(g.Links)) {
		if !between(l) {
			continue
		}
		out := down != nil && down(l)
		for _, p := range [2]topo.PortID{topo.PortID(2 * l), topo.PortID(2*l + 1)} {
			from, to := g.Ends(p)
			at := &free[t.row[from]]
			m.to[*at], m.port[*at] = t.row[to], p
			m.place[*at] = uint16(*at - m.offset[t.row[from]])
			if out {
				m.to[*at] = int32(rows)
			}
			*at++
		}
		x, y := free[t.row[g.Links[l].A]]-1, free[t.row[g.Links[l].B]]-1
		m.back[x], m.back[y] = y, x
	}
	m.checkSimple()
	return m
}

func (m *mesh) checkSimple() {
	rows := len(m.offset) - 1
	from := make([]int32, rows+1)
	for r := range rows {
		for _, to := range m.to[m.offset[r]:m.offset[r+1]] {
			if int(to) < rows && from[to] == int32(r)+1 {
				return
			}
			from[to] = int32(r) + 1
		}
	}
	m.simple = true
}

// part returns the links of a mesh that has selects.
func (m *mesh) part(has func(topo.LinkID) bool) *mesh {
	rows := len(m.offset) - 1
	p := &mesh{
		offset: make([]int32, 1, rows+1), to: make([]int32, 0, len(m.to)),
		port: make([]topo.PortID, 0, len(m.to)), place: make([]uint16, 0, len(m.to)+narrowWords),
		simple: m.simple,
	}
	at := make([]int32, len(m.to))
	for r := range rows {
		for e := m.offset[r]; e < m.offset[r+1]; e++ {
			if has(m.port[e].Link()) {
				at[e] = int32(len(p.to))
				p.to = append(p.to, m.to[e])
				p.port = append(p.port, m.port[e])
				p.place = append(p.place, m.place[e])
			} else {
				at[e] = -1
			}
		}
		p.offset = append(p.offset, int32(len(p.to)))
	}
	p.back = make([]int32, 0, len(p.to))
	for e, back := range m.back {
		if at[e] >= 0 {
			p.back = append(p.back, at[back])
		}
	}
	return p
}

// degree returns the most entries of a switch.
func (m *mesh) degree() int {
	most := int32(0)
	for r := range len(m.offset) - 1 {
		most = max(most, m.offset[r+1]-m.offset[r])
	}
	return int(most)
}
