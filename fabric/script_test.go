package fabric_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/internal/packet"
	"weft/protocol"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// send is a frame that a host is told to send.
type send struct {
	At       sim.Time
	Src, Dst int32
	ID       uint32
	Size     uint16
	Entropy  uint16
	Class    uint8
	Spray    uint8 // in sprays
	Extended bool
	Track    packet.Flags // how switches stamp it
	// Of, if not 0, is the message that it is a part of, with or without tokens.
	Of     uint32
	Seq    uint32
	Last   bool
	Tokens bool
	Field  bool // it has one for controllers, which begins with its ID
}

// delivery is a frame as it reached a host.
type delivery struct {
	At              sim.Time
	Src             int32
	ID              uint32
	Size            uint16
	Marked, Trimmed bool
	Stamps          string // in words, so that deliveries can be compared
}

// script is an endpoint whose hosts send what they are told and log what reaches
// them. Frames wait for their NIC in the order of their times.
type script struct {
	d      *fabric.Domain
	hosts  []scriptedHost
	logs   [][]delivery // of all hosts of the network
	broken *[]string    // by host of the network
}

type scriptedHost struct {
	sends          []send
	released, sent int
	paused         uint8
}

func (s *script) Receive(now sim.Time, h int32, id fabric.FrameID) bool {
	f := s.d.Frame(id)
	host := s.d.Hosts[h]
	if f.Dst() != host {
		(*s.broken)[host] = fmt.Sprintf("frame %d for host %d reached host %d", f.Message, f.Dst(), host)
	}
	stamps := ""
	if f.Originated() {
		stamps = fmt.Sprint(s.d.Notice(f).From, s.d.Notice(f).Notice)
	} else if f.Tracked() {
		var list [protocol.MostStamps]protocol.Stamp
		t := s.d.Trail(id)
		n, path := t.Stamps(&list)
		stamps = fmt.Sprint(path, list[:n])
		if field, ok := t.Field(); ok {
			stamps += fmt.Sprint(field)
		}
		if aux := s.d.Aux(f); aux != f.Message {
			(*s.broken)[host] = fmt.Sprintf("frame %d has Aux %d", f.Message, aux)
		}
	}
	if f.Bits&extended != 0 {
		body, answer := viewsOf(f.Message)
		if x, a := s.d.Store.Host(f), s.d.Answer(f); x == nil || *x != body || a == nil || *a != answer {
			(*s.broken)[f.Dst()] = fmt.Sprintf("frame %d has the views %v and %v", f.Message, x, a)
		}
	}
	s.logs[host] = append(s.logs[host], delivery{
		At: now, Src: f.Src(), ID: name(f), Size: f.Size,
		Marked: f.Flags&packet.Marked != 0, Trimmed: f.Flags&packet.Trimmed != 0, Stamps: stamps,
	})
	s.d.Free(id)
	return false
}

func (s *script) Pull(now sim.Time, h int32) (fabric.FrameID, bool, bool) {
	host := &s.hosts[h]
	if host.sent == host.released {
		return 0, false, false
	}
	what := host.sends[host.sent]
	if host.paused>>what.Class&1 != 0 { // and those behind it wait too
		return 0, false, false
	}
	host.sent++
	id := s.d.Alloc()
	f := s.d.Frame(id)
	f.Address(what.Src, what.Dst, 0)
	f.Message = what.ID
	f.Size, f.Entropy = what.Size, what.Entropy
	f.SetClass(what.Class, what.Spray)
	if what.Of == 0 {
		f.Serial = what.ID // each frame draws a delay of its own
	}
	if what.Of > 0 {
		f.Kind, f.Message, f.Serial, f.Seq, f.Aux = ofMessage, what.Of, 0, what.Seq, what.ID
		if what.Last {
			f.Bits = ending
		}
		if what.Tokens {
			giveTokens(s.d, f)
		}
	}
	if what.Track != 0 || what.Field {
		f.Aux = what.ID
	}
	if what.Track != 0 {
		s.d.Track(id, what.Track, 8)
	}
	if what.Field {
		s.d.PutField(id, protocol.Field{uint64(what.ID)})
	}
	if what.Extended {
		f.Bits |= extended
		*s.d.AddHost(f), *s.d.AddAnswer(f) = viewsOf(f.Message)
	}
	return id, host.sent < host.released, true
}

func (s *script) Paused(_ sim.Time, h int32, classes uint8) bool {
	host := &s.hosts[h]
	host.paused = classes
	return host.sent < host.released
}

func (s *script) Timer(now sim.Time, h int32) bool {
	host := &s.hosts[h]
	for host.released < len(host.sends) && host.sends[host.released].At <= now {
		host.released++
	}
	if host.released < len(host.sends) {
		s.d.SetTimer(h, host.sends[host.released].At)
	}
	return host.sent < host.released
}

// Ways to spray that scripted frames name.
const (
	hashed uint8 = iota
	random
	loaded
	loadedAvoiding
	loadedByTime
	loadedTwo
	loadedRanked
	inTurn
	flowlets
	symmetric
	shuffled
)

var sprays = []protocol.Spray{
	hashed:         {},
	random:         {Way: protocol.ByRandom},
	loaded:         {Way: protocol.ByLoad},
	loadedAvoiding: {Way: protocol.ByLoad, AvoidDown: true, Tie: protocol.FirstTie, Bin: 2000},
	loadedByTime:   {Way: protocol.ByLoad, Load: protocol.QueuedTime, Step: 100 * unit.Nanosecond},
	loadedTwo:      {Way: protocol.ByLoad, Choices: 2},
	loadedRanked:   {Way: protocol.ByLoad, Tie: protocol.RankedTie, Bin: 2000},
	inTurn:         {Way: protocol.ByRoundRobin},
	flowlets:       {Way: protocol.ByFlowlet, Gap: 2 * unit.Microsecond, Flowlets: 16},
	symmetric:      {Way: protocol.BySymmetricHash},
	shuffled:       {Way: protocol.ByRoundRobin, Shuffled: true, HashBelow: 100},
}

// giveTokens lets switches deflect a frame, if they do.
func giveTokens(d *fabric.Domain, f *fabric.Frame) {
	if n := d.Tokens(); n > 0 {
		f.SetTokens(n)
	}
}

// Bits of scripted frames: the last one of a message, and one with views.
const ending, extended uint8 = 1, 2

// viewsOf returns the views that frame id carries if it has any.
func viewsOf(id uint32) (packet.Host, protocol.Answer) {
	return packet.Host{Message: id, Amount: unit.Bytes(id) * 31, Extra: ^id}, protocol.Answer{uint64(id), uint64(id) * 17}
}

// setup describes a network with scripted hosts. Port queues hold everything if
// Port is nil.
type setup struct {
	Graph   *topo.Graph
	Domains int // as topo.Partition cuts; 0 is one
	Threads int
	Seed    uint64
	// Layers is how many layers of routes there are; 0 is minimal routes, onPaths are explicit paths.
	Layers int
	Queue  sim.QueueKind
	Port   func(topo.PortID) fabric.PortConfig
	Sends  []send
	Jitter fabric.Jitter
	// HostJitter is how late hosts are.
	HostJitter sim.Time
	Deflect    fabric.DeflectConfig
	// Detours and Lanes are those of walks; with detours routes are hierarchical where switches stand in groups.
	Detours   *route.Detours
	Lanes     fabric.WalkLanes
	Groups    fabric.LaneGroups
	Buffer    fabric.BufferConfig
	Pause     fabric.PauseConfig
	Telemetry fabric.Telemetry
	Control   fabric.ControlConfig
	Follow    fabric.Follower
	// Observed networks have an event for every transmission of a port with priorities.
	Observed bool
}

// network is a running fabric with what its hosts received.
type network struct {
	*fabric.Network
	graph   *topo.Graph
	threads int
	logs    [][]delivery
	broken  []string
}

// unlimited is a port that keeps everything.
func unlimited(topo.PortID) fabric.PortConfig {
	return fabric.PortConfig{Limit: unit.GiB}
}

func (s setup) build(t rapid.TB) *network {
	t.Helper()
	if s.Port == nil {
		s.Port = unlimited
	}
	n := &network{
		graph:   s.Graph,
		threads: max(1, s.Threads),
		logs:    make([][]delivery, len(s.Graph.Hosts)),
		broken:  make([]string, len(s.Graph.Hosts)),
	}
	var observe func(int, fabric.Event)
	if s.Observed {
		observe = func(int, fabric.Event) {}
	}
	var err error
	n.Network, err = fabric.New(fabric.Config{
		Observe: observe,
		Graph:   s.Graph, Tables: s.tables(t, nil),
		Domain: topo.Partition(s.Graph, max(1, s.Domains)),
		Seed:   s.Seed, Queue: s.Queue, Port: s.Port, Sprays: sprays, Jitter: s.Jitter, HostJitter: s.HostJitter, Deflect: s.Deflect, Detours: s.Detours, Lanes: s.Lanes, LaneGroups: s.Groups, Buffer: s.Buffer, Pause: s.Pause, Telemetry: s.Telemetry, Control: s.Control, Follow: s.Follow,
		Endpoint: func(d *fabric.Domain) fabric.Endpoint {
			e := &script{d: d, hosts: make([]scriptedHost, len(d.Hosts)), logs: n.logs, broken: &n.broken}
			for h, id := range d.Hosts {
				host := &e.hosts[h]
				for _, what := range s.Sends {
					if what.Src == id {
						host.sends = append(host.sends, what)
					}
				}
				slices.SortStableFunc(host.sends, func(a, b send) int { return cmp.Compare(a.At, b.At) })
				if len(host.sends) > 0 {
					d.SetTimer(int32(h), host.sends[0].At)
				}
			}
			return e
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// tables returns routes over the links that are not down. A layer has about half of all links,
// and may leave switches apart.
func (s *setup) tables(t rapid.TB, down func(topo.LinkID) bool) *route.Tables {
	t.Helper()
	if _, groups := route.Groups(s.Graph); s.Detours != nil && groups > 0 {
		return hierarchicalTables(t, s.Graph, down)
	}
	if s.Layers == 0 || s.Detours != nil {
		return tables(t, s.Graph, down)
	}
	if s.Layers == onPaths {
		return explicitTables(t, s.Graph, s.Seed, down)
	}
	tables, err := route.Layered(s.Graph, route.Options{Down: down}, route.Layering{
		Layers: s.Layers, Seed: s.Seed, All: s.Seed%2 == 0,
		Has: func(layer int, l topo.LinkID) bool {
			return layer == 0 || sim.Mix(s.Seed+uint64(layer)<<32+uint64(l))%2 == 0
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// tables returns minimal routes over the links that are not down.
func tables(t rapid.TB, g *topo.Graph, down func(topo.LinkID) bool) *route.Tables {
	t.Helper()
	tables, err := route.Minimal(g, route.Options{Down: down})
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// run handles all events before until and checks that nothing got lost.
func (n *network) run(t rapid.TB, until sim.Time) {
	t.Helper()
	n.Run(until, n.threads)
	if err := n.Check(); err != nil {
		t.Fatalf("at %d: %v", until, err)
	}
	for _, b := range n.broken {
		if b != "" {
			t.Fatal(b)
		}
	}
}

// drain runs until nothing is left to do.
func (n *network) drain(t rapid.TB) {
	t.Helper()
	n.run(t, sim.Forever)
	if at := n.Bound(); at != sim.Forever {
		t.Fatalf("drained, but something happens at %d", at)
	}
	total, _ := n.Totals()
	if total.Injected+total.Originated != total.Delivered+total.Dropped && n.Deadlock() == nil {
		t.Fatalf("drained, but %d injected, %d delivered and %d dropped", total.Injected, total.Delivered, total.Dropped)
	}
}

// change runs up to the change and makes it.
func (n *network) change(t rapid.TB, c fault.Change) {
	t.Helper()
	n.run(t, c.At)
	n.Apply(c.At, c)
}

// port returns the directed link between two named nodes.
func (n *network) port(t rapid.TB, from, to string) topo.PortID { return portOf(t, n.graph, from, to) }

func portOf(t rapid.TB, g *topo.Graph, from, to string) topo.PortID {
	t.Helper()
	for p := range topo.PortID(2 * len(g.Links)) {
		if a, b := g.Ends(p); g.Nodes[a].Name == from && g.Nodes[b].Name == to {
			return p
		}
	}
	t.Fatalf("no link from %s to %s", from, to)
	return 0
}

// times returns when each frame was delivered to a host, by ID.
func (n *network) times(host int32) map[uint32]sim.Time {
	times := map[uint32]sim.Time{}
	for _, d := range n.logs[host] {
		times[d.ID] = d.At
	}
	return times
}

// ids returns the frames delivered to a host in their order.
func (n *network) ids(host int32) []uint32 {
	var ids []uint32
	for _, d := range n.logs[host] {
		ids = append(ids, d.ID)
	}
	return ids
}

// builder is an options struct of package topo.
type builder interface{ Build() (*topo.Graph, error) }

func graph(t rapid.TB, b builder) *topo.Graph {
	t.Helper()
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func ptr[T any](v T) *T { return &v }

// instant is the rate at which a byte takes a picosecond: links that only bring
// frames to the port under test.
const instant = 8 * unit.Tbps

// funnel is a network of many senders, hosts 0…senders-1, and one receiver, the
// last host: the senders' frames reach the port from left to right a picosecond
// a byte after they were sent, and the receiver a picosecond a byte after they
// left the right switch.
func funnel(senders int, rate unit.Rate, delay, latency sim.Time) *topo.Graph {
	g := &topo.Graph{}
	for i := range senders + 1 {
		g.Nodes = append(g.Nodes, topo.Node{Name: fmt.Sprintf("host%d", i), Kind: topo.Host})
		g.Hosts = append(g.Hosts, topo.NodeID(i))
	}
	left := topo.NodeID(len(g.Nodes))
	right := left + 1
	g.Nodes = append(g.Nodes,
		topo.Node{Name: "left", Kind: topo.Switch, Tier: 1},
		topo.Node{Name: "right", Kind: topo.Switch, Tier: 1, Latency: latency})
	for i := range senders {
		g.Links = append(g.Links, topo.Link{A: topo.NodeID(i), B: left, Rate: instant})
	}
	g.Links = append(g.Links,
		topo.Link{A: right, B: topo.NodeID(senders), Rate: instant},
		topo.Link{A: left, B: right, Rate: rate, Delay: delay})
	return g
}

// chiSquare returns how far counts are from equal, in standard deviations of the
// χ² distribution (by Wilson and Hilferty's cube root).
func chiSquare(counts []float64) float64 {
	sum := 0.0
	for _, c := range counts {
		sum += c
	}
	mean, chi := sum/float64(len(counts)), 0.0
	for _, c := range counts {
		chi += (c - mean) * (c - mean) / mean
	}
	k := float64(len(counts) - 1)
	return (math.Cbrt(chi/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k))
}
