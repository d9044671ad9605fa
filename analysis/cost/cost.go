// Package cost adds up the costs of a fabric's routers and cables, from linear models whose
// coefficients are inputs (FatPaths §VII-A2 and Figure 10, after Slim Fly, SC 2014, §VI, and
// Dragonfly, ISCA 2008). It also finds the price at which the cheaper of two fabrics changes.
package cost

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"weft/topo"
	"weft/unit"
)

// Line is a linear price: Fixed + PerUnit·x.
type Line struct {
	Fixed, PerUnit float64
}

func (l Line) at(x float64) float64 { return l.Fixed + float64(l.PerUnit*x) }

// Model holds prices and a layout. Prices are inputs, in any currency. FatPaths prints none; it
// says that it uses list prices of its day in the models of Slim Fly, whose own prices are
// [SlimFly2014].
type Model struct {
	// Rate is the rate of the priced equipment. Hosts' links, or the fastest of them, are assumed
	// to have this rate and others are scaled in proportion, since routers and cables of another
	// rate have other prices. 0 uses rates as they are.
	Rate unit.Rate
	// Router is the price of a router with x ports.
	Router Line
	// Ports lists the port counts of available routers. The smallest sufficient one is used. If
	// it is empty, any count is available.
	Ports []int
	// Copper and Fiber are prices of a cable of x metres, per Gb/s of its rate.
	Copper, Fiber Line
	// CopperReach is the maximum length of copper cables in metres, including cables between
	// racks. With 0, copper is used within racks and fibre between them.
	CopperReach float64
	// RackRouters is the number of routers per rack for routers that belong to no group. Each
	// group has a rack of its own.
	RackRouters int
	// InRack is the length of cables within a rack. RackDistance is the distance between
	// neighbouring racks, which stand in a square of rows and columns. Overhead is the extra
	// length of a cable between racks, beyond the distance along rows and columns. All are in
	// metres.
	InRack, RackDistance, Overhead float64
}

// SlimFly2014 returns the prices and layout of Slim Fly's cost model (Besta and Hoefler, SC 2014,
// §VI), in US dollars of 2014. They are linear fits to list prices of Mellanox FDR10 InfiniBand
// at 40 Gb/s: 350.4·k - 892.3 for a router with k ports; per Gb/s, 0.4079·x + 0.5771 for x metres
// of electric cable and 0.0919·x + 2.7452 for optical cable; 1 m within racks, racks 1 m apart, 2
// m of overhead. RackRouters is not from there.
//
// The coefficients were not checked, because neither the paper's text nor the price lists were at
// hand. They give $11722 for a router with 36 ports, $39 for 1 m of copper and $147 for 10 m of
// fibre. They are old; replace them with quotes.
func SlimFly2014() Model {
	return Model{
		Rate:   40 * unit.Gbps,
		Router: Line{-892.3, 350.4},
		Copper: Line{0.5771, 0.4079}, Fiber: Line{2.7452, 0.0919},
		RackRouters: 32, InRack: 1, RackDistance: 1, Overhead: 2,
	}
}

// Check reports invalid fields.
func (m Model) Check() error {
	var err error
	for _, l := range []struct {
		name string
		line Line
	}{{"router", m.Router}, {"copper", m.Copper}, {"fibre", m.Fiber}} {
		if l.line.PerUnit < 0 || math.IsNaN(l.line.Fixed+l.line.PerUnit) || math.IsInf(l.line.Fixed+l.line.PerUnit, 0) {
			err = errors.Join(err, fmt.Errorf("the price of %s is %v + %v·x; it must not fall with size", l.name, l.line.Fixed, l.line.PerUnit))
		}
	}
	if m.Rate < 0 {
		err = errors.Join(err, fmt.Errorf("equipment of %v; a rate must be positive, or 0 for that of the links", m.Rate))
	}
	for _, k := range m.Ports {
		if k < 1 {
			err = errors.Join(err, fmt.Errorf("a router of %d ports; use 1 or more", k))
		}
	}
	if m.RackRouters < 1 {
		err = errors.Join(err, fmt.Errorf("%d routers in a rack; use 1 or more", m.RackRouters))
	}
	for _, x := range []float64{m.CopperReach, m.InRack, m.RackDistance, m.Overhead} {
		if !(x >= 0) || math.IsInf(x, 1) {
			err = errors.Join(err, fmt.Errorf("a length of %v m; lengths must be 0 or more", x))
		}
	}
	return err
}

// Cables sums up the cables of one kind.
type Cables struct {
	Count int
	// Metres is their total length, and Price their total price.
	Metres, Price float64
}

// Bill lists the parts of a fabric and their costs.
type Bill struct {
	Hosts, Routers, Racks int
	// Ports counts router ports in use, and Bought those that are paid for.
	Ports, Bought int
	RouterPrice   float64
	Copper, Fiber Cables
}

// Total returns the sum of all prices.
func (b Bill) Total() float64 { return b.RouterPrice + b.Copper.Price + b.Fiber.Price }

// PerHost returns the price per host. FatPaths §VII-A2 compares prices per endpoint, because
// sizes differ.
func (b Bill) PerHost() float64 { return b.Total() / float64(b.Hosts) }

// Cables returns the number of cables.
func (b Bill) Cables() int { return b.Copper.Count + b.Fiber.Count }

// Density returns the number of cables per host (FatPaths Figure 19).
func (b Bill) Density() float64 { return float64(b.Cables()) / float64(b.Hosts) }

// Bill adds up a graph's parts. It fails if the model is invalid, if there are no hosts, if a
// router needs more ports than any available router has, or if a price is negative.
func (m Model) Bill(g *topo.Graph) (Bill, error) {
	if err := m.Check(); err != nil {
		return Bill{}, err
	}
	if len(g.Hosts) == 0 {
		return Bill{}, errors.New("the graph has no hosts; prices are compared per host: give some to its routers")
	}
	racks, count := m.racks(g)
	b := Bill{Hosts: len(g.Hosts), Racks: count}
	ports := make([]int, len(g.Nodes))
	scale := m.scale(g)
	columns := int(math.Ceil(math.Sqrt(float64(count))))
	for _, l := range g.Links {
		ports[l.A]++
		ports[l.B]++
		a, c := racks[l.A], racks[l.B]
		length, copper := m.InRack, true
		if a != c {
			far := abs(a/columns-c/columns) + abs(a%columns-c%columns)
			length = float64(m.RackDistance*float64(far)) + m.Overhead
			copper = length <= m.CopperReach
		}
		gigabits := float64(l.Rate) / float64(unit.Gbps) * scale
		kind, line := &b.Fiber, m.Fiber
		if copper {
			kind, line = &b.Copper, m.Copper
		}
		price := line.at(length) * gigabits
		if price < 0 {
			return Bill{}, fmt.Errorf("a cable of %v m costs %v; raise the fixed part of its price", length, price)
		}
		kind.Count++
		kind.Metres += length
		kind.Price += price
	}
	for v, n := range g.Nodes {
		if n.Kind == topo.Host {
			continue
		}
		bought, err := m.bought(ports[v])
		if err != nil {
			return Bill{}, fmt.Errorf("%s: %w", n.Name, err)
		}
		price := m.Router.at(float64(bought))
		if price < 0 {
			return Bill{}, fmt.Errorf("%s: a router of %d ports costs %v; raise the fixed part of its price", n.Name, bought, price)
		}
		b.Routers++
		b.Ports += ports[v]
		b.Bought += bought
		b.RouterPrice += price
	}
	return b, nil
}

// scale returns the factor that converts rates to the rate of the equipment.
func (m Model) scale(g *topo.Graph) float64 {
	fastest := unit.Rate(0)
	for _, l := range g.Links {
		if g.Nodes[l.A].Kind == topo.Host || g.Nodes[l.B].Kind == topo.Host {
			fastest = max(fastest, l.Rate)
		}
	}
	if m.Rate == 0 || fastest == 0 {
		return 1
	}
	return float64(m.Rate) / float64(fastest)
}

// bought returns the port count of the router to buy for a number of used ports.
func (m Model) bought(used int) (int, error) {
	if len(m.Ports) == 0 {
		return used, nil
	}
	sizes := slices.Sorted(slices.Values(m.Ports))
	i, _ := slices.BinarySearch(sizes, used)
	if i == len(sizes) {
		return 0, fmt.Errorf("%d ports are used, but the largest router has %d; allow larger ones", used, sizes[i-1])
	}
	return sizes[i], nil
}

// racks returns the rack of every node and the number of racks: one for each group, then as many
// as the other routers fill. Hosts are in the rack of their router.
func (m Model) racks(g *topo.Graph) (rack []int, count int) {
	rack = make([]int, len(g.Nodes))
	number := map[int32]int{}
	alone := 0
	for v, n := range g.Nodes {
		if n.Kind == topo.Host || n.Group == 0 {
			continue
		}
		r, ok := number[n.Group]
		if !ok {
			r = len(number)
			number[n.Group] = r
		}
		rack[v] = r
	}
	for v, n := range g.Nodes {
		if n.Kind != topo.Host && n.Group == 0 {
			rack[v] = len(number) + alone/m.RackRouters
			alone++
		}
	}
	for _, l := range g.Links {
		switch {
		case g.Nodes[l.A].Kind == topo.Host:
			rack[l.A] = rack[l.B]
		case g.Nodes[l.B].Kind == topo.Host:
			rack[l.B] = rack[l.A]
		}
	}
	return rack, len(number) + (alone+m.RackRouters-1)/m.RackRouters
}

func abs(x int) int {
	if x < 0 {
		return -x
	}
	return x
}
