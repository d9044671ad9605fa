package cost

import (
	"math"
	"testing"

	"weft/topo"
	"weft/unit"
)

// pairOfRacks is two groups of two routers with a host each at 10 Gb/s, and one
// link of 40 Gb/s between the groups.
func pairOfRacks() *topo.Graph {
	g := &topo.Graph{}
	for i := range 4 {
		g.Nodes = append(g.Nodes, topo.Node{Name: string(rune('a' + i)), Kind: topo.Switch, Group: int32(1 + i/2), Tier: 1})
	}
	link := func(a, b int, rate unit.Rate) {
		g.Links = append(g.Links, topo.Link{A: topo.NodeID(a), B: topo.NodeID(b), Rate: rate})
	}
	link(0, 1, 40*unit.Gbps)
	link(2, 3, 40*unit.Gbps)
	link(1, 2, 40*unit.Gbps)
	for i := range 4 {
		g.Hosts = append(g.Hosts, topo.NodeID(len(g.Nodes)))
		g.Nodes = append(g.Nodes, topo.Node{Name: "host", Kind: topo.Host})
		link(i, 4+i, 10*unit.Gbps)
	}
	return g
}

func model() Model {
	return Model{
		Router: Line{100, 10}, Copper: Line{1, 0.5}, Fiber: Line{3, 0.1},
		RackRouters: 2, InRack: 1, RackDistance: 1, Overhead: 2,
	}
}

func bill(t *testing.T, m Model, g *topo.Graph) Bill {
	t.Helper()
	b, err := m.Bill(g)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestBillByHand(t *testing.T) {
	b := bill(t, model(), pairOfRacks())
	// Routers have 2, 3, 3 and 2 ports.
	if b.Routers != 4 || b.Ports != 10 || b.Bought != 10 || b.Racks != 2 || b.Hosts != 4 {
		t.Errorf("%+v", b)
	}
	near(t, "routers", b.RouterPrice, 4*100+10*10)
	// Copper: two links of 40 Gb/s and four of 10, each 1 m at 1.5 a Gb/s.
	if b.Copper.Count != 6 || b.Fiber.Count != 1 {
		t.Errorf("%+v", b)
	}
	near(t, "copper", b.Copper.Price, 120*1.5)
	near(t, "copper length", b.Copper.Metres, 6)
	// Fibre: 1 m between racks and 2 m more, at 3.3 a Gb/s.
	near(t, "fibre", b.Fiber.Price, 40*3.3)
	near(t, "fibre length", b.Fiber.Metres, 3)
	near(t, "per host", b.PerHost(), (500+180+132)/4.)
	near(t, "density", b.Density(), 7/4.)
}

// TestRateOfEquipment takes hosts' links of 10 Gb/s for 40, but those of 40 for 160.
func TestRateOfEquipment(t *testing.T) {
	m := model()
	plain := bill(t, m, pairOfRacks())
	m.Rate = 40 * unit.Gbps
	b := bill(t, m, pairOfRacks())
	near(t, "copper", b.Copper.Price, 4*plain.Copper.Price)
	near(t, "fibre", b.Fiber.Price, 4*plain.Fiber.Price)
	near(t, "routers", b.RouterPrice, plain.RouterPrice)
	near(t, "metres", b.Fiber.Metres, plain.Fiber.Metres)
	m.Rate = -1
	if b, err := m.Bill(pairOfRacks()); err == nil {
		t.Errorf("a negative rate: %+v", b)
	}
}

func TestCopperReaches(t *testing.T) {
	m := model()
	m.CopperReach = 3
	if b := bill(t, m, pairOfRacks()); b.Fiber.Count != 0 || b.Copper.Count != 7 {
		t.Errorf("%+v", b)
	}
	m.CopperReach = 2.9
	if b := bill(t, m, pairOfRacks()); b.Fiber.Count != 1 {
		t.Errorf("%+v", b)
	}
}

func TestRoutersAreSoldWithSoManyPorts(t *testing.T) {
	m := model()
	m.Ports = []int{8, 2}
	if b := bill(t, m, pairOfRacks()); b.Bought != 2+8+8+2 || b.Ports != 10 {
		t.Errorf("%+v", b)
	}
	m.Ports = []int{2}
	if b, err := m.Bill(pairOfRacks()); err == nil {
		t.Errorf("%+v", b)
	}
}

func TestRacksStandInASquare(t *testing.T) {
	g := &topo.Graph{Hosts: []topo.NodeID{9}}
	for i := range 9 {
		g.Nodes = append(g.Nodes, topo.Node{Name: string(rune('a' + i)), Kind: topo.Switch, Tier: 1})
	}
	g.Nodes = append(g.Nodes, topo.Node{Name: "host", Kind: topo.Host})
	for _, b := range []int{1, 3, 8} {
		g.Links = append(g.Links, topo.Link{A: 0, B: topo.NodeID(b), Rate: unit.Gbps})
	}
	g.Links = append(g.Links, topo.Link{A: 9, B: 0, Rate: unit.Gbps})
	m := model()
	m.RackRouters = 1
	b := bill(t, m, g)
	// From the corner of 3 × 3 racks: to its neighbours, and to the other corner.
	near(t, "fibre", b.Fiber.Metres, 1+1+4+3*2)
	if b.Racks != 9 {
		t.Errorf("%d racks", b.Racks)
	}
}

func TestSlimFlyStandsInRacks(t *testing.T) {
	order := 5
	g, err := topo.SlimFly{Order: &order, Cables: topo.Cables{Rate: 40 * unit.Gbps, Delay: 1}}.Build()
	if err != nil {
		t.Fatal(err)
	}
	b := bill(t, SlimFly2014(), g)
	// q racks of 2q routers; k' = 7 of which 2 within the group and 1 to the other
	// group of the rack; 4 hosts a router.
	if b.Racks != 5 || b.Routers != 50 || b.Cables() != 50*7/2+200 {
		t.Errorf("%+v", b)
	}
	if want := 50*2/2 + 25 + 200; b.Copper.Count != want {
		t.Errorf("%d copper cables, want %d", b.Copper.Count, want)
	}
	near(t, "routers", b.RouterPrice, 50*(350.4*11-892.3))
}

func TestFlipPoint(t *testing.T) {
	routers := Bill{Hosts: 10, RouterPrice: 1000, Fiber: Cables{Price: 100}}
	cables := Bill{Hosts: 20, RouterPrice: 800, Fiber: Cables{Price: 800}}
	// Per host 110 and 80: the second is cheaper. With fibre s times its price,
	// 100+10s and 40+40s: the same at s = 2.
	f, err := FlipPoint(routers, cables, Fiber, 1, 1)
	if err != nil || !f.Flips {
		t.Fatalf("%+v, %v", f, err)
	}
	near(t, "ratio", f.Ratio, 80./110)
	near(t, "factor", f.Factor, 2)
	// Of cables alone, 10 s and 40 s: the first is cheaper at any price.
	f, err = FlipPoint(routers.OfCables(), cables.OfCables(), Fiber, 1, 1)
	if err != nil || f.Flips || routers.RouterPrice != 1000 {
		t.Errorf("%+v, %v", f, err)
	}
	near(t, "ratio of cables", f.Ratio, 4)
	// Where hosts of the first are worth twice: 50+5s and 40+40s: at s = 10/35.
	f, err = FlipPoint(routers, cables, Fiber, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "worth", f.Factor, 10/35.)
	// More expensive in both parts: nothing flips.
	f, err = FlipPoint(Bill{Hosts: 1, RouterPrice: 2, Fiber: Cables{Price: 2}}, Bill{Hosts: 1, RouterPrice: 1, Fiber: Cables{Price: 1}}, Fiber, 1, 1)
	if err != nil || f.Flips {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := FlipPoint(routers, cables, "power", 1, 1); err == nil {
		t.Error("an unknown part was taken")
	}
	if _, err := FlipPoint(routers, cables, Fiber, 0, 1); err == nil {
		t.Error("hosts without worth were taken")
	}
}

func TestRefuses(t *testing.T) {
	bad := map[string]func(*Model){
		"sinking price": func(m *Model) { m.Router.PerUnit = -1 },
		"no ports":      func(m *Model) { m.Ports = []int{0} },
		"no rack":       func(m *Model) { m.RackRouters = 0 },
		"length":        func(m *Model) { m.InRack = -1 },
		"cheap router":  func(m *Model) { m.Router.Fixed = -1000 },
		"cheap cable":   func(m *Model) { m.Fiber.Fixed = -1000 },
	}
	for what, spoil := range bad {
		m := model()
		spoil(&m)
		if b, err := m.Bill(pairOfRacks()); err == nil {
			t.Errorf("%s: %+v", what, b)
		}
	}
	if _, err := model().Bill(&topo.Graph{}); err == nil {
		t.Error("a graph without hosts was taken")
	}
}
