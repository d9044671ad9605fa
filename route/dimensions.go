package route

import (
	"fmt"
	"strconv"

	"weft/topo"
)

// grid holds the coordinates of switches, which are the numbers in their names. The
// coordinates of r0-4-2 are 0, 4 and 2.
type grid struct {
	dimensions int
	at         []int32 // dimensions values per node, 0 for hosts
}

// newGrid reads the coordinates of all switches. It fails where dimension-order routing is
// undefined: if names have different numbers of coordinates, if two switches have the same
// coordinates, or if a link changes more than one coordinate.
func newGrid(g *topo.Graph) (*grid, error) {
	var c grid
	var first topo.NodeID
	known := map[string]topo.NodeID{}
	const remedy = "name switches by their coordinates, as in r0-1, or choose another policy, such as ecmp"
	for n := range g.Nodes {
		if g.Nodes[n].Kind != topo.Switch {
			continue
		}
		name := g.Nodes[n].Name
		at, text := numbersIn(name)
		if c.at == nil {
			if len(at) == 0 {
				return nil, fmt.Errorf("switch %s has no number in its name, and dimension-order routing reads coordinates from there; %s", name, remedy)
			}
			c.dimensions, first = len(at), topo.NodeID(n)
			c.at = make([]int32, len(g.Nodes)*c.dimensions)
		}
		if len(at) != c.dimensions {
			return nil, fmt.Errorf("the names of switches %s and %s have %d and %d numbers, and dimension-order routing reads as many coordinates in each; %s",
				g.Nodes[first].Name, name, c.dimensions, len(at), remedy)
		}
		if other, twice := known[text]; twice {
			return nil, fmt.Errorf("switches %s and %s have the same coordinates; %s", g.Nodes[other].Name, name, remedy)
		}
		known[text] = topo.NodeID(n)
		copy(c.at[n*c.dimensions:], at)
	}
	for _, l := range g.Links {
		if g.Nodes[l.A].Kind != topo.Switch || g.Nodes[l.B].Kind != topo.Switch {
			continue
		}
		if d := c.first(l.A, l.B); d < 0 || c.next(l.A, l.B, d+1) >= 0 {
			return nil, fmt.Errorf("the link between %s and %s does not change exactly one coordinate, and dimension-order routing corrects one after another; %s",
				g.Nodes[l.A].Name, g.Nodes[l.B].Name, remedy)
		}
	}
	return &c, nil
}

// numbersIn returns the numbers in a name, and a text that is equal for equal numbers.
func numbersIn(name string) (at []int32, text string) {
	for i := 0; i < len(name); {
		if name[i] < '0' || name[i] > '9' {
			i++
			continue
		}
		end := i
		for end < len(name) && name[end] >= '0' && name[end] <= '9' {
			end++
		}
		n, err := strconv.ParseInt(name[i:end], 10, 32)
		if err != nil {
			return nil, ""
		}
		at = append(at, int32(n))
		text += strconv.FormatInt(n, 10) + "-"
		i = end
	}
	return at, text
}

// first returns the first dimension in which two switches differ, or -1.
func (c *grid) first(a, b topo.NodeID) int { return c.next(a, b, 0) }

// next returns the first dimension from a given one on in which two switches differ, or -1.
func (c *grid) next(a, b topo.NodeID, from int) int {
	x, y := c.at[int(a)*c.dimensions:], c.at[int(b)*c.dimensions:]
	for d := from; d < c.dimensions; d++ {
		if x[d] != y[d] {
			return d
		}
	}
	return -1
}

// inOrder returns a function that reports whether a port corrects the first coordinate in
// which a switch differs from the destination.
func (c *grid) inOrder(g *topo.Graph) func(p topo.PortID, edge topo.NodeID) bool {
	return func(p topo.PortID, edge topo.NodeID) bool {
		from, to := g.Ends(p)
		return c.first(from, edge) == c.first(from, to)
	}
}
