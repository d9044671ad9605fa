package fabric_test

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// scene is a random network with random traffic and faults.
type scene struct {
	setup
	changes []fault.Change
	reroute []rerouting
	stops   []sim.Time
	mixed   bool // rates
	// built and drained, if not nil, are called before the first event and after the
	// last one.
	built, drained func(*network)
}

// rerouting gives switches the tables without the links that are dead.
type rerouting struct {
	at   sim.Time
	dead []bool
}

const horizon = 60 * unit.Microsecond

func drawScene(t *rapid.T) *scene {
	s := &scene{setup: setup{Seed: rapid.Uint64().Draw(t, "seed")}}
	s.Graph = drawGraph(t, s)
	s.draw(t)
	return s
}

// draw draws all but the graph.
func (s *scene) draw(t *rapid.T) {
	s.Layers = rapid.SampledFrom([]int{0, 0, 1, 2, 5, onPaths, onPaths}).Draw(t, "layers")
	s.Port = drawPorts(t)
	s.Buffer = drawBuffer(t)
	if rapid.Bool().Draw(t, "jittery") {
		s.Jitter = drawJitter(t)
	}
	s.HostJitter = drawHostJitter(t)
	hosts := len(s.Graph.Hosts)
	sizes := rapid.SampledFrom([]uint16{64, 65, 1000, 4160, 4160, 9000})
	incast := rapid.Bool().Draw(t, "incast")
	span := rapid.SampledFrom([]sim.Time{unit.Microsecond, 5 * unit.Microsecond, horizon / 2}).Draw(t, "span")
	for i := range hosts * rapid.IntRange(5, 20).Draw(t, "frames a host") {
		what := send{
			At:  sim.Time(rapid.Int64Range(0, int64(span/unit.Nanosecond)).Draw(t, "at")) * unit.Nanosecond,
			Src: int32(rapid.IntRange(0, hosts-1).Draw(t, "src")), ID: uint32(i),
			Size: sizes.Draw(t, "size"), Entropy: rapid.Uint16().Draw(t, "entropy"),
			Class:    uint8(rapid.IntRange(0, 7).Draw(t, "class")),
			Spray:    uint8(rapid.IntRange(0, len(sprays)-1).Draw(t, "spray")),
			Extended: rapid.Bool().Draw(t, "extended"),
		}
		what.Dst = int32(hosts - 1)
		if !incast || what.Src == what.Dst {
			what.Dst = (what.Src + 1 + int32(rapid.IntRange(0, hosts-2).Draw(t, "dst"))) % int32(hosts)
		}
		s.Sends = append(s.Sends, what)
	}
	moment := func(label string) sim.Time {
		return sim.Time(rapid.Int64Range(0, int64(horizon/unit.Nanosecond)).Draw(t, label)) * unit.Nanosecond
	}
	if rapid.Bool().Draw(t, "faulty") {
		for range rapid.IntRange(1, 12).Draw(t, "faults") {
			s.drawFault(t, moment("fault"))
		}
	}
	for range rapid.IntRange(0, 6).Draw(t, "stops") {
		s.stops = append(s.stops, moment("stop"))
	}
}

func (s *scene) drawFault(t *rapid.T, at sim.Time) {
	links := len(s.Graph.Links)
	c := fault.Change{At: at, Port: topo.PortID(rapid.IntRange(0, 2*links-1).Draw(t, "port"))}
	both := func() {
		s.changes = append(s.changes, c)
		c.Port = c.Port.Reverse()
		s.changes = append(s.changes, c)
	}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0, 1:
		c.What = fault.Down
		both()
		if rapid.Bool().Draw(t, "mended") {
			c.At += sim.Time(rapid.IntRange(0, 20_000).Draw(t, "later")) * unit.Nanosecond
			c.What = fault.Up
			both()
		}
		if rapid.Bool().Draw(t, "rerouted") {
			r := rerouting{c.At + unit.Microsecond, make([]bool, links)}
			r.dead[c.Port.Link()] = true
			s.reroute = append(s.reroute, r)
		}
	case 2, 3:
		c.What, c.Rate = fault.SetRate, rapid.SampledFrom(rates()).Draw(t, "rate")
		s.changes = append(s.changes, c)
	case 4:
		c.What, c.Loss = fault.SetLoss, rapid.SampledFrom([]unit.Ratio{0, 0.1, 0.5, 1}).Draw(t, "loss")
		s.changes = append(s.changes, c)
	}
}

func rates() []unit.Rate {
	return []unit.Rate{400 * unit.Gbps, 200 * unit.Gbps, 100 * unit.Gbps, 95 * unit.Gbps, 25 * unit.Gbps}
}

func drawGraph(t *rapid.T, s *scene) *topo.Graph {
	const rate, delay = 100 * unit.Gbps, 300 * unit.Nanosecond
	small := func(label string) int { return rapid.IntRange(1, 3).Draw(t, label) }
	var b builder
	switch rapid.IntRange(0, 5).Draw(t, "family") {
	case 0:
		b = topo.Star{Hosts: 1 + small("hosts"), Rate: rate, Delay: delay}
	case 1:
		b = topo.Dumbbell{Left: small("left"), Right: small("right"), Rate: rate, Delay: delay}
	case 2, 3:
		b = topo.LeafSpine{ToRs: 1 + small("tors"), HostsPerToR: small("hosts"), Spines: small("spines"), LinksPerSpine: small("parallel"), Rate: rate, Delay: delay}
	default:
		b = topo.FatTree{Tiers: 3, HostsPerToR: ptr(small("hosts")), UplinksPerToR: ptr(small("uplinks")), ToRsPerPod: ptr(small("tors")), Pods: ptr(1 + small("pods")), Rate: rate, Delay: delay}
	}
	g := graph(t, b)
	s.mixed = rapid.Bool().Draw(t, "mixed rates")
	spans := rapid.SampledFrom([]sim.Time{delay, delay, delay, 0, 50 * unit.Nanosecond, 2 * unit.Microsecond})
	if rapid.Bool().Draw(t, "mixed delays") {
		for i := range g.Links {
			g.Links[i].Delay = spans.Draw(t, "delay")
		}
		for i := range g.Nodes {
			if g.Nodes[i].Kind == topo.Switch {
				g.Nodes[i].Latency = spans.Draw(t, "latency")
			}
		}
	}
	if s.mixed {
		for i := range g.Links {
			g.Links[i].Rate = rapid.SampledFrom(rates()).Draw(t, "rate")
		}
	}
	return g
}

// drawPorts draws two kinds of queue, for ports of even and odd numbers.
func drawPorts(t *rapid.T) func(topo.PortID) fabric.PortConfig {
	var kinds [2]fabric.PortConfig
	for k := range kinds {
		c := &kinds[k]
		c.Limit = unit.Bytes(rapid.IntRange(5, 30).Draw(t, "limit")) * unit.KiB
		if rapid.IntRange(0, 3).Draw(t, "ECN") > 0 {
			c.ECN, c.KMin, c.KMax = true, c.Limit/5, c.Limit*4/5
			c.PMax = unit.Ratio(rapid.SampledFrom([]float64{0.1, 1}).Draw(t, "pmax"))
			c.MarkAtDequeue = rapid.Bool().Draw(t, "at dequeue")
			c.MarkByPort = rapid.IntRange(0, 2).Draw(t, "by port") == 0
		}
		if rapid.Bool().Draw(t, "priorities") {
			c.Classes = rapid.IntRange(2, 8).Draw(t, "classes")
			if rapid.IntRange(0, 9).Draw(t, "trim") > 2 {
				c.Trim = &fabric.TrimConfig{Header: 64, Limit: unit.Bytes(rapid.IntRange(1, 100).Draw(t, "headers")) * 64}
				c.Trim.Coin = rapid.Bool().Draw(t, "coin")
				c.Trim.Ratio = rapid.SampledFrom([]int{0, 1, 3, 10}).Draw(t, "ratio")
			} else {
				c.Credit = protocol.CreditClass{Credit: 1000, Data: 9000, Queue: 1000, Burst: 4000}
			}
		}
	}
	return func(p topo.PortID) fabric.PortConfig { return kinds[p&1] }
}

// outcome is all that a run leaves.
type outcome struct {
	Logs   [][]delivery
	Ports  []fabric.PortCounters
	Totals fabric.Totals
	Hops   uint64
	End    sim.Time

	Detours fabric.DetourCounts
}

// play runs the scene, with conservation checked at every stop. It returns the
// number of domains too.
func (s *scene) play(t *rapid.T) (outcome, int) {
	n := s.build(t)
	if s.built != nil {
		s.built(n)
	}
	at := slices.Clone(s.stops)
	for _, c := range s.changes {
		at = append(at, c.At)
	}
	for _, r := range s.reroute {
		at = append(at, r.at)
	}
	slices.Sort(at)
	for _, m := range slices.Compact(at) {
		n.run(t, m)
		for _, c := range s.changes {
			if c.At == m {
				n.Apply(m, c)
			}
		}
		for _, r := range s.reroute {
			if r.at == m {
				n.SetTables(s.tables(t, func(l topo.LinkID) bool { return r.dead[l] }))
			}
		}
	}
	n.drain(t)
	if s.drained != nil {
		s.drained(n)
	}
	const end = unit.Second
	n.Finish(end)
	o := outcome{Logs: n.logs}
	for p := range topo.PortID(2 * len(s.Graph.Links)) {
		o.Ports = append(o.Ports, n.Counters(p, end))
	}
	o.Totals, o.Hops = n.Totals()
	o.Detours = n.Detoured()
	return o, len(n.Domains())
}

// TestScenes runs random scenes and checks that frames and bytes are conserved at
// every stop, that the counters of ports and network agree, and that the result
// depends on neither the cut into domains, nor threads, nor the event queue, nor on
// whether transmissions have events.
func TestScenes(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		want, _ := s.play(t)
		checkSums(t, s, want)
		domains := 1
		variants := []setup{
			{Domains: 3, Threads: 2, Queue: sim.Heap},
			{Domains: 100, Threads: 1, Queue: sim.Heap},
			{Observed: true},
		}
		if !testing.Short() {
			variants = append(variants,
				setup{Domains: 100, Threads: 3, Queue: sim.Heap},
				setup{Domains: 100, Threads: 8, Queue: sim.Calendar},
				setup{Domains: 1, Threads: 2, Queue: sim.Heap})
		}
		for _, variant := range variants {
			v := *s
			v.Domains, v.Threads, v.Queue, v.Observed = variant.Domains, variant.Threads, variant.Queue, variant.Observed
			got, cuts := v.play(t)
			domains = max(domains, cuts)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("%d domains, %d threads, queue %d, observed %v (-one domain +these):\n%s", cuts, v.Threads, v.Queue, v.Observed, diff)
			}
		}

		var sum fabric.PortCounters
		for _, c := range want.Ports {
			sum.Trims += c.Trims
			sum.Marks += c.Marks
			for r := range c.Drops {
				sum.Drops[r] += c.Drops[r]
			}
		}
		priorities := false
		for p := range topo.PortID(2) {
			priorities = priorities || s.Port(p).Classes > 1
		}
		cover.note("scenes", true)
		cover.note("full queues", sum.Drops[fabric.QueueFull]+sum.Drops[fabric.HeaderQueueFull] > 0)
		cover.note("trims", sum.Trims > 0)
		cover.note("full queues of credits", sum.Drops[fabric.CreditQueueFull] > 0)
		cover.note("marks", sum.Marks > 0)
		cover.note("faults", len(s.changes) > 0)
		cover.note("frames lost by faults", sum.Drops[fabric.LinkDown]+sum.Drops[fabric.Loss]+sum.Drops[fabric.NoRoute] > 0)
		cover.note("priorities", priorities)
		cover.note("mixed rates", s.mixed)
		cover.note("several domains", domains > 1)
		cover.note("shared buffers", s.Buffer.Size > 0)
		cover.note("jitter", s.Jitter != fabric.Jitter{})
		cover.note("host jitter", s.HostJitter > 0)
		cover.note("layers", s.Layers > 1)
		cover.note("explicit paths", s.Layers == onPaths)
	})
	cover.report(t, 20)
}

// checkSums compares what ports counted with what hosts sent and received.
func checkSums(t *rapid.T, s *scene, o outcome) {
	t.Helper()
	delivered, drops, dropped, trimmed, sent := uint64(0), uint64(0), uint64(0), uint64(0), uint64(0)
	for host, log := range o.Logs {
		delivered += uint64(len(log))
		if !slices.IsSortedFunc(log, func(a, b delivery) int { return cmp.Compare(a.At, b.At) }) {
			t.Fatalf("host %d received frames out of time", host)
		}
		seen := map[uint32]bool{}
		for _, d := range log {
			if seen[d.ID] {
				t.Fatalf("host %d received frame %d twice", host, d.ID)
			}
			seen[d.ID] = true
			if whole := s.Sends[d.ID].Size; d.Trimmed == (d.Size == whole) || d.Trimmed && d.Size != 64 {
				t.Fatalf("frame %d of %d bytes arrived with %d, trimmed %v", d.ID, whole, d.Size, d.Trimmed)
			}
		}
	}
	for p, c := range o.Ports {
		for _, k := range c.Drops {
			drops += k
		}
		dropped += c.DroppedBytes
		trimmed += c.TrimmedBytes
		sent += c.SentFrames
		if c.Frames != c.SentFrames+c.FlushedFrames || c.Bytes != c.SentBytes+c.FlushedBytes {
			t.Fatalf("%s accepted %d frames of %d bytes, sent %d of %d and flushed %d of %d", s.Graph.PortName(topo.PortID(p)),
				c.Frames, c.Bytes, c.SentFrames, c.SentBytes, c.FlushedFrames, c.FlushedBytes)
		}
		if from, _ := s.Graph.Ends(topo.PortID(p)); s.Graph.Nodes[from].Kind == topo.Switch {
			q := s.Port(topo.PortID(p))
			most := q.Limit * unit.Bytes(max(1, q.Classes))
			if q.Trim != nil {
				most += q.Trim.Limit - q.Limit
			}
			if q.Credit.On() { // and one in service
				most += q.Credit.Queue + 9000 - q.Limit
			}
			if unit.Bytes(c.QueueMax) > most {
				t.Fatalf("%s held %d bytes of at most %d", s.Graph.PortName(topo.PortID(p)), c.QueueMax, most)
			}
		}
	}
	total := o.Totals
	if total.Delivered != delivered || total.Dropped != drops || total.DroppedBytes != dropped || total.TrimmedBytes != trimmed {
		t.Fatalf("totals are %+v; hosts received %d; ports dropped %d frames of %d bytes and cut off %d", total, delivered, drops, dropped, trimmed)
	}
	if o.Hops > sent {
		t.Fatalf("%d frames crossed links that sent %d", o.Hops, sent)
	}
}
