package transport

import (
	"cmp"
	"math/rand/v2"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/protocol"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// lab is a network with a transport under test. What crosses the border between
// hosts and network is seen, and may be changed, by hooks.
type lab struct {
	*fabric.Network
	transport *Transport
	graph     *topo.Graph
	tables    *route.Tables
	threads   int
}

// labConfig describes a lab.
type labConfig struct {
	Graph   *topo.Graph
	Domains int
	Threads int
	Queue   sim.QueueKind
	Seed    uint64
	Port    func(topo.PortID) fabric.PortConfig // nil holds everything
	Groups  []Group
	// SignalDelay lets hosts signal to each other.
	SignalDelay sim.Time
	// Together are hosts that signal to each other without delay.
	Together    [][]int32
	NIC         *NICQueue
	SourceMarks SourceMarks
	Interrupts  sim.Time
	Telemetry   bool // switches can stamp
	Outside     Outside
	hooks
}

// hooks are called for each frame that a host sends or receives, with the number
// of the host in the graph. With several threads they must share nothing.
type hooks struct {
	// sent sees a frame that a host hands to its NIC.
	sent func(now sim.Time, host int32, f *fabric.Frame)
	// idle tells that a host has nothing to send though its wire is free.
	idle func(now sim.Time, host int32)
	// received sees a frame before the transport does; it is lost if it
	// returns false.
	received func(now sim.Time, host int32, f *fabric.Frame) bool
}

// probe puts hooks before an endpoint.
type probe struct {
	fabric.Endpoint
	d *fabric.Domain
	hooks
}

func (p *probe) Receive(now sim.Time, h int32, id fabric.FrameID) bool {
	if p.received != nil && !p.received(now, p.d.Hosts[h], p.d.Frame(id)) {
		p.d.Free(id)
		return false
	}
	return p.Endpoint.Receive(now, h, id)
}

func (p *probe) Signalled(h int32, s fabric.Signal) {
	p.Endpoint.(fabric.SignalReceiver).Signalled(h, s)
}

func (p *probe) Pull(now sim.Time, h int32) (fabric.FrameID, bool, bool) {
	id, more, ok := p.Endpoint.Pull(now, h)
	if ok && p.sent != nil {
		p.sent(now, p.d.Hosts[h], p.d.Frame(id))
	}
	if !ok && p.idle != nil {
		p.idle(now, p.d.Hosts[h])
	}
	return id, more, ok
}

func (c labConfig) build(t rapid.TB) *lab {
	t.Helper()
	if c.Port == nil {
		c.Port = func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: unit.GiB} }
	}
	l := &lab{graph: c.Graph, threads: max(1, c.Threads)}
	domain := topo.Partition(c.Graph, max(1, c.Domains), c.Together...)
	domains := int32(1)
	for _, d := range domain {
		domains = max(domains, d+1)
	}
	var err error
	if l.tables, err = route.Minimal(c.Graph, route.Options{}); err != nil {
		t.Fatal(err)
	}
	sprays, err := Sprays(c.Groups)
	if err != nil {
		t.Fatal(err)
	}
	l.transport = New(Config{
		Seed: c.Seed, Groups: c.Groups, MeasureTo: sim.Forever, NIC: c.NIC, Interrupts: c.Interrupts, Outside: c.Outside,
		SourceMarks: func(int32) SourceMarks { return c.SourceMarks },
		HostName:    func(h int32) string { return c.Graph.Nodes[c.Graph.Hosts[h]].Name },
		LineRate: func(h int32) unit.Rate {
			return c.Graph.Links[c.Graph.Adjacency().Ports(c.Graph.Hosts[h])[0].Link()].Rate
		},
	}, len(c.Graph.Hosts), int(domains))
	l.Network, err = fabric.New(fabric.Config{
		Graph: c.Graph, Tables: l.tables, Domain: domain, Seed: c.Seed, Queue: c.Queue, Port: c.Port, Sprays: sprays,
		SignalDelay: c.SignalDelay, Together: c.Together, Telemetry: fabric.Telemetry{On: c.Telemetry},
		Endpoint: func(d *fabric.Domain) fabric.Endpoint {
			return &probe{Endpoint: l.transport.Attach(d), d: d, hooks: c.hooks}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// run handles all events before until.
func (l *lab) run(t rapid.TB, until sim.Time) {
	t.Helper()
	l.Run(until, l.threads)
	if err := cmp.Or(l.Check(), l.transport.Check()); err != nil {
		t.Fatalf("at %d: %v", until, err)
	}
}

// collect returns the records of all messages.
func collect(t *Transport) (list []Message) {
	for m := range t.Messages().All() {
		list = append(list, *m)
	}
	return list
}

// finish runs until all messages are done, or for 100 s of simulated time, and
// returns the messages. It checks what holds for every run that ends.
func (l *lab) finish(t rapid.TB) []Message {
	t.Helper()
	l.run(t, 100*unit.Second)
	messages := collect(l.transport)
	c := l.transport.Counts()
	var want Counts
	for _, m := range messages {
		if m.End == Unfinished || m.SenderEnd == Unfinished {
			t.Fatalf("a message is unfinished: %+v", m)
		}
		if m.End < m.Start || m.SenderEnd < m.End {
			t.Fatalf("a message ends before its time: %+v", m)
		}
		want.Started++
		want.Completed++
		want.Delivered++
		want.StartedBytes += uint64(m.Size)
		want.DeliveredBytes += uint64(m.Size)
		want.Packets += uint64(m.Packets)
		want.Retransmits += uint64(m.Retransmits)
		want.Timeouts += uint64(m.Timeouts)
		want.Trims += uint64(m.Trims)
	}
	if c.Spurious > c.Retransmits {
		t.Fatalf("%d copies arrived of %d retransmissions", c.Spurious, c.Retransmits)
	}
	want.Acks, want.Spurious = c.Acks, c.Spurious
	want.Pulls, want.Requests, want.Probes, want.SourceMarks, want.Advices = c.Pulls, c.Requests, c.Probes, c.SourceMarks, c.Advices
	want.CreditGranted, want.CreditGrantedAgain, want.CreditReceived = c.CreditGranted, c.CreditGrantedAgain, c.CreditReceived
	if c != want {
		t.Fatalf("endpoints counted %+v, the messages add up to %+v", c, want)
	}
	if at := l.Bound(); at != sim.Forever {
		t.Fatalf("all messages are done, but something happens at %d", at)
	}
	return messages
}

// hops returns the links from one host to another on the first of their paths.
func (l *lab) hops(src, dst int32) (path []Hop) {
	adjacency := l.graph.Adjacency()
	at, end := l.graph.Hosts[src], l.graph.Hosts[dst]
	edge := l.tables.Edge(end)
	for at != end {
		var port topo.PortID
		switch {
		case l.graph.Nodes[at].Kind == topo.Host:
			port = adjacency.Ports(at)[0]
		case l.tables.Edge(at) == edge:
			port = adjacency.Ports(end)[0].Reverse()
		default:
			port = l.tables.Hops(at, edge)[0]
		}
		_, at = l.graph.Ends(port)
		link := l.graph.Links[port.Link()]
		path = append(path, Hop{link.Rate, link.Delay + l.graph.Nodes[at].Latency})
	}
	return path
}

// train returns when frames that are ready at the given times reach the end of a
// path that they have for themselves.
func train(path []Hop, ready []sim.Time, sizes []unit.Bytes) []sim.Time {
	free := make([]sim.Time, len(path))
	arrivals := make([]sim.Time, len(ready))
	for i, at := range ready {
		for k, h := range path {
			free[k] = max(free[k], at) + h.Rate.Transmit(sizes[i])
			at = free[k] + h.Delay
		}
		arrivals[i] = at
	}
	return arrivals
}

// list is a source of messages known beforehand.
type list []workload.Message

func (l *list) Next() (workload.Message, bool) {
	if len(*l) == 0 {
		return workload.Message{}, false
	}
	m := (*l)[0]
	*l = (*l)[1:]
	return m, true
}

func (l *list) Completed(unit.Time, uint64) {}

// from returns the sources of a network of hosts where only one has messages.
func from(host int32, hosts int, messages ...workload.Message) []workload.Source {
	sources := make([]workload.Source, hosts)
	l := list(messages)
	sources[host] = &l
	return sources
}

const (
	payload = 4096
	header  = 64
	ackSize = 60
)

// params is a transport with a constant window and one entropy.
func params(window unit.Bytes) Params {
	return Params{
		Payload: payload, Header: header, AckSize: ackSize, AckEvery: 1, RTO: 100 * unit.Millisecond,
		Congestion: protocol.CongestionControl{New: func(protocol.Env) protocol.Congestion { return &fixed{window: window} }},
		Balancer:   protocol.Balancer{New: func(protocol.Env) protocol.Entropy { return &constant{} }},
	}
}

// fixed is a congestion control with a constant window that notes what it is told.
type fixed struct {
	window unit.Bytes
	starts []unit.Time
	acks   []protocol.Ack
	losses []protocol.Loss
	log    bool
}

func (c *fixed) Window() unit.Bytes { return c.window }

func (c *fixed) Start(now unit.Time) {
	if c.log {
		c.starts = append(c.starts, now)
	}
}

func (c *fixed) Acked(a *protocol.Ack) {
	if c.log {
		c.acks = append(c.acks, *a)
	}
}

func (c *fixed) Lost(l *protocol.Loss) {
	if c.log {
		c.losses = append(c.losses, *l)
	}
}

// watch makes p's connections share one control, whose notes the test reads.
func watch(p *Params, window unit.Bytes) *fixed {
	c := &fixed{window: window, log: true}
	p.Congestion.New = func(protocol.Env) protocol.Congestion { return c }
	return c
}

// wander is a congestion control whose window changes at random.
type wander struct {
	window, payload unit.Bytes
	rng             *rand.PCG
}

func (c *wander) Start(unit.Time)        { c.window = 4 * c.payload }
func (c *wander) Window() unit.Bytes     { return c.window }
func (c *wander) Acked(*protocol.Ack)    { c.step() }
func (c *wander) Lost(*protocol.Loss)    { c.step() }
func (c *wander) step()                  { c.window = unit.Bytes(c.rng.Uint64() % uint64(12*c.payload)) }
func wandering(env protocol.Env) *wander { return &wander{payload: env.Payload, rng: env.Rand} }

// constant is an entropy chooser that knows one value.
type constant struct{ v uint16 }

func (e *constant) Start(unit.Time)       {}
func (e *constant) Resume(unit.Time)      {}
func (e *constant) Next(unit.Time) uint16 { return e.v }
func (e *constant) Acked(*protocol.Ack)   {}
func (e *constant) Lost(*protocol.Loss)   {}

// counting is an entropy chooser that takes one value after another and notes
// what it is told.
type counting struct {
	next            uint16
	starts, resumes []unit.Time
	acks            []protocol.Ack
	losses          []protocol.Loss
}

func (e *counting) Start(now unit.Time)   { e.starts = append(e.starts, now) }
func (e *counting) Resume(now unit.Time)  { e.resumes = append(e.resumes, now) }
func (e *counting) Acked(a *protocol.Ack) { e.acks = append(e.acks, *a) }
func (e *counting) Lost(l *protocol.Loss) { e.losses = append(e.losses, *l) }

func (e *counting) Next(unit.Time) uint16 {
	e.next++
	return e.next - 1
}

// count makes p's connections share one chooser, whose notes the test reads.
func count(p *Params) *counting {
	e := &counting{}
	p.Balancer.New = func(protocol.Env) protocol.Entropy { return e }
	return e
}

// drawing is an entropy chooser that draws each value from its stream.
type drawing struct {
	constant
	rng *rand.PCG
}

func (e *drawing) Next(unit.Time) uint16 { return uint16(e.rng.Uint64()) }

func spraying() protocol.Balancer {
	return protocol.Balancer{New: func(env protocol.Env) protocol.Entropy { return &drawing{rng: env.Rand} }}
}

// sprays are policies of every way to spray.
func sprays() []protocol.Spray {
	return []protocol.Spray{
		{}, {Way: protocol.ByRandom}, {Way: protocol.ByLoad}, {Way: protocol.ByLoad, Load: protocol.QueuedTime, Choices: 2, AvoidDown: true},
		{Way: protocol.ByRoundRobin}, {Way: protocol.ByFlowlet, Gap: unit.Microsecond, Flowlets: 8},
	}
}

type builder interface{ Build() (*topo.Graph, error) }

func graph(t rapid.TB, b builder) *topo.Graph {
	t.Helper()
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// star is hosts on one switch, over links of 100 Gb/s and 1 µs.
func star(t rapid.TB, hosts int) *topo.Graph {
	return graph(t, topo.Star{Hosts: hosts, Rate: 100 * unit.Gbps, Delay: unit.Microsecond, SwitchLatency: 200 * unit.Nanosecond})
}

func ptr[T any](v T) *T { return &v }

// message is a message of the given size from host 0 to host 1, at once.
func message1(size unit.Bytes) workload.Message { return workload.Message{Dst: 1, Size: size} }
