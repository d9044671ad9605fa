package fabric_test

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// ofMessage is the kind of frames that are parts of messages; their Aux is what others have as message.
const ofMessage = 1

// name returns the ID of a frame.
func name(f *fabric.Frame) uint32 {
	if f.Kind == ofMessage {
		return f.Aux
	}
	return f.Message
}

// ends tells which parts of messages are the first and the last.
func ends(_ *fabric.Domain, f *fabric.Frame) (first, last bool) {
	return f.Seq == 0, f.Bits&ending != 0
}

// drawDeflection draws a scene of messages on a network in which switches deflect.
func drawDeflection(t *rapid.T) *scene {
	s := &scene{setup: setup{Seed: rapid.Uint64().Draw(t, "seed")}}
	const rate, delay = 100 * unit.Gbps, 300 * unit.Nanosecond
	some := func(least, most int, label string) int { return rapid.IntRange(least, most).Draw(t, label) }
	switch some(0, 6, "family") {
	case 0:
		s.Graph = ring(some(3, 6, "switches"))
	case 1, 2:
		s.Graph = graph(t, topo.FatTree{Tiers: 3, HostsPerToR: ptr(some(1, 2, "hosts")), UplinksPerToR: ptr(some(1, 3, "uplinks")), ToRsPerPod: ptr(some(1, 3, "tors")), Pods: ptr(some(2, 3, "pods")), Rate: rate, Delay: delay})
	default:
		s.Graph = graph(t, topo.LeafSpine{ToRs: some(2, 4, "tors"), HostsPerToR: some(1, 4, "hosts"), Spines: some(1, 4, "spines"), LinksPerSpine: some(1, 2, "parallel"), Rate: rate, Delay: delay})
	}
	s.drawDeflecting(t)
	return s
}

// drawDeflecting draws all but the graph.
func (s *scene) drawDeflecting(t *rapid.T) {
	some := func(least, most int, label string) int { return rapid.IntRange(least, most).Draw(t, label) }
	c := &s.Deflect
	c.Tokens = some(1, 4, "tokens")
	c.Threshold = unit.Bytes(some(0, 6, "threshold")) * unit.KiB
	c.Table = rapid.SampledFrom([]int{0, 1, 2, 8, 8}).Draw(t, "table")
	c.Age = rapid.SampledFrom([]sim.Time{0, 0, 100 * unit.Microsecond, 3 * unit.Microsecond}).Draw(t, "age")
	c.Lanes = rapid.SampledFrom([]fabric.Lanes{fabric.OneLane, fabric.TwoLanes, fabric.LanePerToken, fabric.LanePerToken}).Draw(t, "lanes")
	c.Class = uint8(c.Tokens)
	c.Ends = ends
	port := fabric.PortConfig{Limit: unit.Bytes(some(5, 40, "limit")) * unit.KiB, Classes: c.Tokens + 1}
	if rapid.Bool().Draw(t, "ECN") {
		port.ECN, port.KMin, port.KMax, port.PMax = true, 2*unit.KiB, 20*unit.KiB, 1
	}
	if c.Lanes == fabric.OneLane && rapid.Bool().Draw(t, "one class") {
		c.Class, port.Classes = 0, 1
	}
	s.Port = func(topo.PortID) fabric.PortConfig { return port }
	if c.Lanes != fabric.OneLane && rapid.IntRange(0, 3).Draw(t, "of one priority") > 0 {
		s.Groups = fabric.LaneGroups{Masks: []uint8{1<<port.Classes - 1}, Order: fabric.LaneOrder(some(0, 1, "order")), MarkEach: rapid.Bool().Draw(t, "mark each")}
	}
	if port.Classes > 1 && rapid.Bool().Draw(t, "pauses") {
		s.Pause = fabric.PauseConfig{Classes: 1<<port.Classes - 1, Limits: safeLimits(s.Graph, fabric.PauseLimits{
			Off: unit.Bytes(some(3, 15, "off")) * unit.KiB, Gap: 2 * unit.KiB,
		})}
	}
	s.drawMessages(t)
	if rapid.IntRange(0, 2).Draw(t, "faulty") == 0 {
		for range some(1, 4, "faults") {
			s.drawFault(t, sim.Time(rapid.Int64Range(0, int64(horizon/unit.Nanosecond)).Draw(t, "fault"))*unit.Nanosecond)
		}
		s.reroute = nil // which would reorder
	}
	for range some(0, 3, "stops") {
		s.stops = append(s.stops, sim.Time(rapid.Int64Range(0, int64(horizon/unit.Nanosecond)).Draw(t, "stop"))*unit.Nanosecond)
	}
}

// drawMessages has hosts send messages to each other, many to the first ones.
func (s *scene) drawMessages(t *rapid.T) {
	hosts := len(s.Graph.Hosts)
	sizes := rapid.SampledFrom([]uint16{64, 1000, 1000, 4160})
	span := rapid.SampledFrom([]sim.Time{unit.Microsecond, 5 * unit.Microsecond, horizon / 2}).Draw(t, "span")
	gap := rapid.SampledFrom([]sim.Time{0, 0, 500 * unit.Nanosecond, 10 * unit.Microsecond})
	for of := range uint32(hosts * rapid.IntRange(2, 10).Draw(t, "messages a host")) {
		at := sim.Time(rapid.Int64Range(0, int64(span/unit.Nanosecond)).Draw(t, "at")) * unit.Nanosecond
		src := int32(rapid.IntRange(0, hosts-1).Draw(t, "src"))
		dst := (src + 1 + int32(rapid.IntRange(0, hosts-2).Draw(t, "dst"))) % int32(hosts)
		if one := int32(rapid.IntRange(0, hosts).Draw(t, "common")) % 3; one != src && int(one) < hosts {
			dst = one
		}
		packets := rapid.IntRange(1, 6).Draw(t, "packets")
		size, apart := sizes.Draw(t, "size"), gap.Draw(t, "gap")
		entropy, tokens := rapid.Uint16Range(0, 3).Draw(t, "entropy"), rapid.IntRange(0, 4).Draw(t, "short") > 0
		for k := range packets {
			s.Sends = append(s.Sends, send{
				At: at + sim.Time(k)*apart, Src: src, Dst: dst, ID: uint32(len(s.Sends)), Size: size, Entropy: entropy, Class: s.Deflect.Class,
				Of: of + 1, Seq: uint32(k), Last: k == packets-1, Tokens: tokens,
			})
		}
	}
}

// checkOrder looks whether messages arrive in order.
func (s *scene) checkOrder(t *rapid.T, o outcome) {
	for host, log := range o.Logs {
		next := map[uint32]uint32{}
		for _, d := range log {
			what := s.Sends[d.ID]
			if what.Seq < next[what.Of] {
				t.Fatalf("host %d: packet %d of message %d came after packet %d", host, what.Seq, what.Of, next[what.Of]-1)
			}
			next[what.Of] = what.Seq + 1
		}
	}
}

// TestDeflectedScenes runs random messages on networks that deflect, and follows them with a model of the tables. Messages
// arrive in order, whatever is lost, unless rows grew too old. Without losses no row is left. The result depends on neither cuts, threads nor the queue
// of events. With a lane for each token nothing waits for ever.
func TestDeflectedScenes(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		s := drawDeflection(t)
		circular := false
		if layers, circle := fabric.LinkLayers(s.Graph, tables(t, s.Graph, nil)); layers == nil {
			circular = len(circle) > 2
			if s.Deflect.Lanes == fabric.LanePerToken {
				s.Deflect.Lanes = fabric.TwoLanes
			}
		}
		m := newDeflectModel(s.Graph, tables(t, s.Graph, nil), s.Deflect, s.changes)
		m.together = len(s.Groups.Masks) > 0
		var got fabric.Deflections
		var stuck []fabric.PausedClass
		s.drained = func(n *network) { got, stuck = n.Deflections(unit.Second), n.Deadlock() }
		followed := *s
		followed.Follow, followed.built = m, func(n *network) { m.d = n.Domains()[0] }
		want, _ := followed.play(t)
		wanted := got
		for _, problem := range m.finish(unit.Second, wanted) {
			t.Error(problem)
		}
		if m.aged == 0 { // else the rest of a message may have lost its way
			s.checkOrder(t, want)
		}
		if t.Failed() {
			return
		}
		drops := want.Totals.Dropped
		if drops == 0 && want.Totals.Injected == uint64(len(s.Sends)) && stuck == nil && m.aged == 0 && wanted.Left+int(wanted.Aged) > 0 {
			t.Fatalf("nothing was lost, but %d rows are left", wanted.Left+int(wanted.Aged))
		}
		if len(stuck) > 0 && (s.Deflect.Lanes == fabric.LanePerToken || s.Pause.Classes == 0) {
			t.Fatalf("a deadlock of %v", stuck)
		}
		if s.Pause.Classes != 0 && len(s.changes) == 0 && drops > 0 {
			t.Fatalf("%d frames were dropped in a lossless fabric", drops)
		}
		variants := []setup{
			{Domains: 3, Threads: 2, Queue: sim.Swept},
			{Domains: 1, Threads: 1, Queue: sim.Swept},
			{Domains: 100, Threads: 3, Queue: sim.Heap},
			{Domains: 1, Threads: 1, Queue: sim.Calendar},
			{Observed: true},
		}
		for _, variant := range variants {
			v := *s
			v.Domains, v.Threads, v.Queue, v.Observed = variant.Domains, variant.Threads, variant.Queue, variant.Observed
			o, cuts := v.play(t)
			if diff := gocmp.Diff(want, o); diff != "" {
				t.Fatalf("%d domains, %d threads, queue %d, observed %v (-followed +these):\n%s", cuts, v.Threads, v.Queue, v.Observed, diff)
			}
			if got != wanted {
				t.Fatalf("%d domains, %d threads, queue %d: %+v, want %+v", cuts, v.Threads, v.Queue, got, wanted)
			}
		}
		more := 0
		for _, n := range m.hops {
			more = max(more, n)
		}
		cover.note("scenes", true)
		cover.note("deflections", wanted.Hops > 0)
		cover.note("rows", wanted.Rows > 0)
		cover.note("frames deflected twice", more > 1)
		cover.note("frames out of tokens", wanted.Refused[fabric.NoTokens] > 0)
		cover.note("full tables", wanted.Refused[fabric.TableFull] > 0)
		cover.note("no other port", wanted.Refused[fabric.NoPort] > 0)
		cover.note("rows left", wanted.Left > 0)
		cover.note("rows too old", wanted.Aged > 0)
		cover.note("losses", drops > 0)
		cover.note("lossless lanes", s.Pause.Classes > 0 && s.Deflect.Lanes == fabric.LanePerToken && wanted.Hops > 0)
		cover.note("faults", len(s.changes) > 0 && wanted.Hops > 0)
		cover.note("frames deflected twice on rings", more > 1 && circular)
	})
	cover.report(t, 1)
}

// Two hosts of a leaf send to different leaves by one spine: the later one is deflected to the other spine, from which its packets
// go on in order. The times are those of the closed form.
func TestDeflectionOfTwoMessages(t *testing.T) {
	const rate, delay = 8 * unit.Gbps, 1000
	g := graph(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 2, LinksPerSpine: 1, Rate: rate, Delay: delay})
	for _, short := range []bool{false, true} {
		var sends []send
		// A long message fills the queue of the first one's spine, whichever that is: all frames have one entropy and, but for
		// the hosts, hash alike. So try sources until both share a port without deflection.
		for k := range uint32(10) {
			sends = append(sends, send{Src: 0, Dst: 2, ID: k, Size: 1000, Of: 1, Seq: k, Last: k == 9})
		}
		at := 5*unit.Microsecond + 500*unit.Nanosecond
		for k := range uint32(3) {
			sends = append(sends, send{At: at, Src: 1, Dst: 4, ID: 10 + k, Size: 1000, Of: 2, Seq: k, Last: k == 2, Tokens: short})
		}
		s := setup{Graph: g, Sends: sends, Deflect: fabric.DeflectConfig{Tokens: 4, Threshold: 500, Table: 8, Ends: ends}}
		for s.Seed = 1; !sharesPort(t, s); s.Seed++ {
		}
		n := s.build(t)
		n.drain(t)
		c := n.Deflections(unit.Second)
		if !short {
			if c != (fabric.Deflections{}) {
				t.Errorf("messages without tokens: %+v", c)
			}
			continue
		}
		if c.Hops != 3 || c.Messages != 1 || c.Rows != 1 || c.Most != 1 || c.Left != 0 || c.Held != 2*unit.Microsecond {
			t.Errorf("%+v", c)
		}
		// The wire of the sender, leaf, spine and leaf: four times a frame, then one more for each packet.
		for k := range uint32(3) {
			want := at + 4*(unit.Microsecond+delay) + sim.Time(k)*unit.Microsecond
			if got := n.times(4)[10+k]; got != want {
				t.Errorf("packet %d came at %v, want %v", k, got, want)
			}
		}
	}
}

// TestDeflectedWalks runs random messages on networks that deflect them on detours, in layers and on explicit paths. Where the entropy says the whole route,
// which all but decisions by queues leave to it, messages arrive in order. The result depends on neither cuts, threads nor the queue of events.
func TestDeflectedWalks(t *testing.T) {
	var cover coverage
	rapid.Check(t, func(t *rapid.T) {
		var s *scene
		walks := rapid.SampledFrom([]string{"valiant", "valiant", "by queues", "layers", "paths"}).Draw(t, "walks")
		switch walks {
		case "valiant", "by queues":
			s = &scene{setup: setup{Seed: rapid.Uint64().Draw(t, "seed"), Graph: drawDirect(t)}}
			s.drawDeflecting(t)
			drawWalks(t, &s.setup)
			if s.Lanes = fabric.NoLanes; walks == "valiant" {
				s.Detours = &route.Detours{ByGroup: s.Detours.ByGroup}
			}
		case "layers":
			s = drawDeflection(t)
			s.Layers = rapid.IntRange(2, 5).Draw(t, "layers")
		case "paths":
			s = drawDeflection(t)
			s.Layers = onPaths
		}
		if layers, _ := fabric.LinkLayers(s.Graph, s.tables(t, nil)); s.Deflect.Lanes == fabric.LanePerToken && (walks != "layers" || layers == nil) {
			s.Deflect.Lanes = fabric.TwoLanes
		}
		var got fabric.Deflections
		var stuck []fabric.PausedClass
		links := int64(0) // of all routes
		s.drained = func(n *network) {
			got, stuck, links = n.Deflections(unit.Second), n.Deadlock(), 0
			for _, what := range s.Sends {
				if what.Tokens {
					path, _ := n.Path(what.Src, what.Dst, what.Entropy)
					links += int64(len(path))
				}
			}
		}
		want, _ := s.play(t)
		wanted := got
		if wanted.Aged == 0 && walks != "by queues" {
			s.checkOrder(t, want)
		}
		if want.Totals.Dropped == 0 && stuck == nil && wanted.Left > 0 && walks != "by queues" {
			t.Fatalf("nothing was lost, but %d rows are left", wanted.Left)
		}
		if len(stuck) > 0 && (s.Deflect.Lanes == fabric.LanePerToken || s.Pause.Classes == 0) {
			t.Fatalf("a deadlock of %v", stuck)
		}
		if len(s.changes) == 0 && want.Totals.Dropped == 0 && stuck == nil && s.Detours == nil && wanted.Links != links+wanted.Extra {
			t.Fatalf("frames took %d links, of which %d were added to %d", wanted.Links, wanted.Extra, links)
		}
		for _, variant := range []setup{{Domains: 3, Threads: 2, Queue: sim.Swept}, {Domains: 100, Threads: 3, Queue: sim.Heap}, {Queue: sim.Swept}, {Observed: true}} {
			v := *s
			v.Domains, v.Threads, v.Queue, v.Observed = variant.Domains, variant.Threads, variant.Queue, variant.Observed
			o, cuts := v.play(t)
			if diff := gocmp.Diff(want, o); diff != "" {
				t.Fatalf("%d domains, %d threads, queue %d, observed %v (-one domain +these):\n%s", cuts, v.Threads, v.Queue, v.Observed, diff)
			}
			if got != wanted {
				t.Fatalf("%d domains, %d threads, queue %d: %+v, want %+v", cuts, v.Threads, v.Queue, got, wanted)
			}
		}
		cover.note("scenes", true)
		cover.note("deflections of "+walks, wanted.Hops > 0)
		cover.note("rows of "+walks, wanted.Rows > 0)
		cover.note("detours deflected", walks == "valiant" && wanted.Hops > 0 && want.Detours.Detours > 0)
		cover.note("losses", want.Totals.Dropped > 0)
		cover.note("links added by "+walks, len(s.changes) == 0 && want.Totals.Dropped == 0 && wanted.Extra > 0)
	})
	cover.report(t, 1)
}

// sharesPort tells whether both messages of a setup leave the first leaf by one port when nothing is deflected.
func sharesPort(t *testing.T, s setup) bool {
	s.Deflect = fabric.DeflectConfig{}
	n := s.build(t)
	n.drain(t)
	return n.Counters(n.port(t, "tor0", "spine0"), unit.Second).Frames%13 == 0
}

func TestDeflectChecks(t *testing.T) {
	g := graph(t, topo.Star{Hosts: 2, Rate: unit.Gbps})
	good := fabric.DeflectConfig{Tokens: 4, Ends: ends, Class: 4, Lanes: fabric.LanePerToken}
	for name, change := range map[string]func(*fabric.Config){
		"tokens":         func(c *fabric.Config) { c.Deflect.Tokens = fabric.MostTokens + 1 },
		"ends":           func(c *fabric.Config) { c.Deflect.Ends = nil },
		"table":          func(c *fabric.Config) { c.Deflect.Table = -1 },
		"class":          func(c *fabric.Config) { c.Deflect.Class = 3 },
		"detours":        func(c *fabric.Config) { c.Detours = &route.Detours{} },
		"paths":          func(c *fabric.Config) { c.Tables = explicitTables(t, g, 1, nil) },
		"lanes of walks": func(c *fabric.Config) { c.Deflect.Lanes, c.Lanes = fabric.OneLane, fabric.LanePerHop },
	} {
		c := fabric.Config{Graph: g, Domain: make([]int32, len(g.Nodes)), Tables: tables(t, g, nil), Deflect: good}
		change(&c)
		if _, err := fabric.New(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A failed link keeps its rows: the rest of the message is dropped where it is blocked, and nothing overtakes.
func TestDeflectionToFailedLink(t *testing.T) {
	const rate, delay = 8 * unit.Gbps, 1000
	g := graph(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 2, LinksPerSpine: 1, Rate: rate, Delay: delay})
	var sends []send
	for k := range uint32(10) {
		sends = append(sends, send{Src: 0, Dst: 2, ID: k, Size: 1000, Of: 1, Seq: k, Last: k == 9})
	}
	for k := range uint32(3) {
		sends = append(sends, send{At: 5*unit.Microsecond + 500*unit.Nanosecond, Src: 1, Dst: 4, ID: 10 + k, Size: 1000, Of: 2, Seq: k, Last: k == 2, Tokens: true})
	}
	s := setup{Graph: g, Sends: sends, Deflect: fabric.DeflectConfig{Tokens: 4, Threshold: 500, Table: 8, Ends: ends}}
	for s.Seed = 1; !sharesPort(t, s); s.Seed++ {
	}
	n := s.build(t)
	spine := "spine0" // to which the message is deflected
	n.run(t, 4*unit.Microsecond)
	if n.Counters(n.port(t, "tor0", spine), 4*unit.Microsecond).Frames > 0 {
		spine = "spine1"
	}
	// The first packet is on the wire to the spine or past it, the others come later.
	n.change(t, fault.Change{At: 8 * unit.Microsecond, Port: n.port(t, "tor0", spine), What: fault.Down})
	n.drain(t)
	if got := n.ids(4); len(got) != 1 || got[0] != 10 {
		t.Errorf("packets %v of the deflected message arrived, want the first one", got)
	}
	if c := n.Deflections(unit.Second); c.Left != 0 || c.Hops != 3 {
		t.Errorf("%+v", c)
	}
}
