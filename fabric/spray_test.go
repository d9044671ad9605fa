package fabric_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/protocol"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// fork is a switch, tor0, with uplinks of the given rates, one host that sends to
// it over an instant link, and hosts behind the uplinks.
func fork(t rapid.TB, rates ...unit.Rate) (*topo.Graph, []topo.PortID) {
	g := graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 1, Spines: len(rates), Rate: 100 * unit.Gbps, Delay: 1000, SwitchLatency: 0})
	uplinks := uplinksOf(g, "tor0")
	for i, p := range uplinks {
		g.Links[p.Link()].Rate = rates[i]
	}
	for i := range g.Links {
		if l := &g.Links[i]; g.Nodes[l.A].Kind == topo.Host || g.Nodes[l.B].Kind == topo.Host {
			l.Rate = instant
		}
	}
	return g, uplinks
}

// arrives returns when the frame is at the fork.
func (s *send) arrives() sim.Time { return s.At + sim.Time(s.Size) + 1000 }

// choices runs frame by frame and shows which uplink each was offered to.
func (n *network) choices(t rapid.TB, sends []send, uplinks []topo.PortID, show func(i, uplink int)) {
	t.Helper()
	offered := func(u int, now sim.Time) uint64 {
		c := n.Counters(uplinks[u], now)
		return c.Frames + c.RefusedFrames
	}
	seen := make([]uint64, len(uplinks))
	for u := range uplinks {
		seen[u] = offered(u, 0)
	}
	for i := range sends {
		now := sends[i].arrives() + 1
		n.run(t, now)
		chosen := -1
		for u := range uplinks {
			if f := offered(u, now); f != seen[u] {
				seen[u], chosen = f, u
			}
		}
		if chosen < 0 {
			t.Fatalf("frame %d reached no uplink", i)
		}
		show(i, chosen)
	}
}

// queueModel is what an uplink has accepted.
type queueModel struct {
	rate   unit.Rate
	frames []struct {
		departs sim.Time
		bytes   uint16
	}
	free sim.Time
	down bool
}

func (q *queueModel) accept(now sim.Time, size uint16) {
	q.free = max(q.free, now) + transmit(q.rate, size)
	q.frames = append(q.frames, struct {
		departs sim.Time
		bytes   uint16
	}{q.free, size})
}

// load is what a policy compares.
func (q *queueModel) load(p protocol.Spray, now sim.Time) sim.Time {
	if q.down && p.AvoidDown {
		return sim.Forever
	}
	v, step := sim.Time(0), sim.Time(p.Bin)
	if p.Load == protocol.QueuedTime {
		v, step = max(0, q.free-now), p.Step
	} else {
		for _, f := range q.frames {
			if f.departs > now {
				v += sim.Time(f.bytes)
			}
		}
	}
	if step > 1 {
		v = v / step * step
	}
	return v
}

// TestLeastLoaded compares choices by load with a search through all frames that
// a port ever accepted.
func TestLeastLoaded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SliceOfN(rapid.SampledFrom([]unit.Rate{100 * unit.Gbps, 50 * unit.Gbps, 25 * unit.Gbps}), 2, 5).Draw(t, "rates")
		g, uplinks := fork(t, rates...)
		kind := rapid.SampledFrom([]uint8{loaded, loadedAvoiding, loadedByTime, loadedRanked}).Draw(t, "kind")
		dead := rapid.IntRange(-1, len(rates)-1).Draw(t, "dead uplink")
		if kind != loadedAvoiding {
			dead = -1 // what a switch sees that does not know is another test
		}
		s := setup{Graph: g, Seed: rapid.Uint64().Draw(t, "seed"), Domains: rapid.IntRange(1, 3).Draw(t, "domains")}
		if rapid.Bool().Draw(t, "classes") {
			s.Port = func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: unit.GiB, Classes: 2} }
		}
		now, size := sim.Time(0), uint16(0)
		for i := range rapid.IntRange(2, 40).Draw(t, "frames") {
			if i > 0 && rapid.Bool().Draw(t, "meets the end of the last one") {
				now += transmit(100*unit.Gbps, size) - sim.Time(size) - 1
			} else {
				now += sim.Time(rapid.IntRange(0, 300_000).Draw(t, "gap"))
				size = rapid.SampledFrom([]uint16{64, 1000, 4160}).Draw(t, "size")
			}
			s.Sends = append(s.Sends, send{At: now, Src: 0, Dst: 1, ID: uint32(i), Spray: kind, Size: size})
			now += sim.Time(size) + 1
		}
		n := s.build(t)
		model := make([]queueModel, len(rates))
		for u := range model {
			model[u].rate = rates[u]
		}
		if dead >= 0 {
			n.Apply(0, fault.Change{Port: uplinks[dead], What: fault.Down})
			model[dead].down = true
		}
		p := sprays[kind]
		before := make([][]bool, len(rates)) // by uplink, which others it was preferred to
		for u := range before {
			before[u] = make([]bool, len(rates))
		}
		n.choices(t, s.Sends, uplinks, func(i, chosen int) {
			at := s.Sends[i].arrives()
			least := sim.Forever
			for u := range model {
				least = min(least, model[u].load(p, at))
			}
			first := slices.IndexFunc(model, func(q queueModel) bool { return q.load(p, at) == least })
			if got := model[chosen].load(p, at); got != least || p.Tie == protocol.FirstTie && chosen != first {
				t.Fatalf("frame %d took uplink %d with a load of %d; the least is %d, at uplink %d first", i, chosen, got, least, first)
			}
			for u := range model {
				before[chosen][u] = before[chosen][u] || u != chosen && model[u].load(p, at) == least
				if p.Tie == protocol.RankedTie && before[chosen][u] && before[u][chosen] {
					t.Fatalf("frame %d took uplink %d rather than %d, and one before the other way round", i, chosen, u)
				}
			}
			model[chosen].accept(at, s.Sends[i].Size)
		})
	})
}

// TestRankedTies sends through idle ports: a switch takes the same one for all frames, and
// switches, of which another seed makes others, do not prefer the same.
func TestRankedTies(t *testing.T) {
	const uplinks, seeds, frames = 4, 400, 3
	chosen := make([]float64, uplinks)
	for seed := range uint64(seeds) {
		counts := spread(t, seed, loadedRanked, uplinks, frames)
		u := slices.Index(counts, frames)
		if u < 0 {
			t.Fatalf("seed %d: counts are %v, want all frames at one uplink", seed, counts)
		}
		chosen[u]++
	}
	if x := chiSquare(chosen); x > unlikely {
		t.Errorf("of %d switches so many prefer each uplink: %v, %.1f standard deviations from an even spread", seeds, chosen, x)
	}
}

func equalRates(n int) []unit.Rate {
	return slices.Repeat([]unit.Rate{100 * unit.Gbps}, n)
}

// spread sends frames that never meet and counts them by uplink.
func spread(t *testing.T, seed uint64, kind uint8, uplinks, frames int) []float64 {
	t.Helper()
	g, ports := fork(t, equalRates(uplinks)...)
	s := setup{Graph: g, Seed: seed}
	for i := range frames {
		s.Sends = append(s.Sends, send{At: sim.Time(i) * unit.Microsecond, Src: 0, Dst: 1, Size: 64, Spray: kind, Entropy: 9})
	}
	counts := make([]float64, uplinks)
	s.build(t).choices(t, s.Sends, ports, func(_, u int) { counts[u]++ })
	return counts
}

// TestTiesAreDrawnEvenly sends through idle ports: all are least loaded.
func TestTiesAreDrawnEvenly(t *testing.T) {
	for _, kind := range []uint8{loaded, loadedByTime, loadedTwo} {
		counts := spread(t, 3, kind, 5, 4000)
		if x := chiSquare(counts); x > unlikely {
			t.Errorf("way %d: %v, %.1f standard deviations from an even spread", kind, counts, x)
		}
	}
	if counts := spread(t, 3, loadedAvoiding, 5, 100); counts[0] != 100 {
		t.Errorf("ties go to the first, but counts are %v", counts)
	}
}

// TestTwoChoices keeps all uplinks but one loaded: it is taken whenever it is one
// of the two drawn, with replacement, which is 1-(1-1/n)² of the time.
func TestTwoChoices(t *testing.T) {
	const n, frames = 4, 4000
	rates := append(slices.Repeat([]unit.Rate{100 * unit.Mbps}, n-1), 100*unit.Gbps)
	g, uplinks := fork(t, rates...)
	s := setup{Graph: g, Seed: 5}
	for i := range frames {
		kind := loadedTwo
		if i < 100 {
			kind = random
		}
		s.Sends = append(s.Sends, send{At: sim.Time(i) * unit.Microsecond, Src: 0, Dst: 1, Size: 1000, Spray: kind})
	}
	fast := 0.0
	s.build(t).choices(t, s.Sends, uplinks, func(i, u int) {
		if i >= 100 && u == n-1 {
			fast++
		}
	})
	// A standard deviation is 0.8 % of the frames.
	if share := fast / (frames - 100); share < 7./16-0.04 || share > 7./16+0.04 {
		t.Errorf("the idle uplink got %.3f of the frames, want %.3f", share, 7./16)
	}
}

// TestDeadPortsLookAlive overloads uplinks of which one is dead: a switch that
// does not know gives each the same share.
func TestDeadPortsLookAlive(t *testing.T) {
	for _, kind := range []uint8{loaded, loadedByTime} {
		g, uplinks := fork(t, equalRates(4)...)
		s := setup{Graph: g, Seed: 8}
		for i := range 2000 {
			s.Sends = append(s.Sends, send{At: sim.Time(i) * 20 * unit.Nanosecond, Src: 0, Dst: 1, Size: 1250, Spray: kind})
		}
		n := s.build(t)
		n.Apply(0, fault.Change{Port: uplinks[2], What: fault.Down})
		counts := make([]int, 4)
		n.choices(t, s.Sends, uplinks, func(_, u int) { counts[u]++ })
		for u, c := range counts {
			if c < 495 || c > 505 {
				t.Errorf("way %d: uplink %d was offered %d of 2000 frames, want 500", kind, u, c)
			}
		}
	}
}

// TestEachInTurn sends to destinations behind the same uplinks, and others by hash
// between.
func TestEachInTurn(t *testing.T) {
	for _, n := range []int{2, 3, 8} {
		g, uplinks := fork(t, equalRates(n)...)
		s := setup{Graph: g, Seed: 2}
		for i := range 200 {
			kind := inTurn
			if i%3 == 0 {
				kind = hashed
			}
			s.Sends = append(s.Sends, send{At: sim.Time(i) * unit.Microsecond, Src: 0, Dst: 1, Size: 64, Spray: kind, Entropy: uint16(i)})
		}
		last := -1
		s.build(t).choices(t, s.Sends, uplinks, func(i, u int) {
			if s.Sends[i].Spray != inTurn {
				return
			}
			if last >= 0 && u != (last+1)%n {
				t.Fatalf("frame %d took uplink %d after %d of %d", i, u, last, n)
			}
			last = u
		})
	}
}

// TestShuffledTurns looks for each uplink once in every round of large frames, in orders that are evenly distributed, and
// for small frames where their hash leads.
func TestShuffledTurns(t *testing.T) {
	for _, n := range []int{2, 3, 8} {
		g, uplinks := fork(t, equalRates(n)...)
		s := setup{Graph: g, Seed: 2}
		const rounds = 400
		for i := range rounds * n {
			at := sim.Time(i) * unit.Microsecond
			s.Sends = append(s.Sends, send{At: at, Src: 0, Dst: 1, Size: 100, Spray: shuffled},
				send{At: at + 500*unit.Nanosecond, Src: 0, Dst: 1, Size: 99, Spray: shuffled, Entropy: 5})
		}
		var round []int
		first := make([]float64, n)
		small := -1
		s.build(t).choices(t, s.Sends, uplinks, func(i, u int) {
			if s.Sends[i].Size < 100 {
				if small >= 0 && u != small {
					t.Fatalf("%d uplinks: a small frame took uplink %d after %d", n, u, small)
				}
				small = u
				return
			}
			if slices.Contains(round, u) {
				t.Fatalf("%d uplinks: uplink %d again after %v", n, u, round)
			}
			if len(round) == 0 {
				first[u]++
			}
			if round = append(round, u); len(round) == n {
				round = round[:0]
			}
		})
		if x := chiSquare(first); x > unlikely {
			t.Errorf("%d uplinks: rounds begin with them %v times", n, first)
		}
	}
}

// TestSwitchesDoNotMarchInStep looks where the turns of many switches begin.
func TestSwitchesDoNotMarchInStep(t *testing.T) {
	const tors, spines = 64, 4
	g := graph(t, topo.LeafSpine{ToRs: tors, HostsPerToR: 1, Spines: spines, Rate: 100 * unit.Gbps, Delay: 1000, SwitchLatency: 0})
	s := setup{Graph: g, Seed: 2}
	for i := range int32(tors) {
		s.Sends = append(s.Sends, send{Src: i, Dst: (i + 1) % tors, Size: 64, Spray: inTurn})
	}
	n := s.build(t)
	n.drain(t)
	counts := make([]float64, spines)
	for p := range topo.PortID(2 * len(g.Links)) {
		if _, to := g.Ends(p); g.Nodes[to].Tier == 2 {
			name := g.Nodes[to].Name
			counts[name[len(name)-1]-'0'] += float64(n.Counters(p, unit.Second).Frames)
		}
	}
	if x := chiSquare(counts); x > unlikely {
		t.Errorf("first frames went %v to the spines", counts)
	}
}

// TestWeightedTurns gives a port of twice the rate two turns of three.
func TestWeightedTurns(t *testing.T) {
	g, uplinks := fork(t, 100*unit.Gbps, 200*unit.Gbps)
	weighted, err := route.Minimal(g, route.Options{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []uint8{inTurn, random, flowlets} {
		s := setup{Graph: g, Seed: 2}
		for i := range 3000 {
			s.Sends = append(s.Sends, send{At: sim.Time(i) * 3 * unit.Microsecond, Src: 0, Dst: 1, Size: 64, Spray: kind})
		}
		n := s.build(t)
		n.SetTables(weighted)
		counts := make([]int, 2)
		n.choices(t, s.Sends, uplinks, func(_, u int) { counts[u]++ })
		slack := 130 // five standard deviations
		if kind == inTurn {
			slack = 0
		}
		if c := counts[1]; c < 2000-slack || c > 2000+slack {
			t.Errorf("way %d: counts %v, want 1000 and 2000", kind, counts)
		}
	}
}

// TestFlowletsStayAndMove compares with a map of all flows: a flow stays at its
// port within the gap, and after a pause takes a random one. There are fewer flows
// than would meet in the table.
func TestFlowletsStayAndMove(t *testing.T) {
	const n, frames = 8, 6000
	gap := sprays[flowlets].Gap
	g, uplinks := fork(t, equalRates(n)...)
	s := setup{Graph: g, Seed: 4}
	now := sim.Time(0)
	for i := range frames {
		// Two flows that do not share an entry of 16 with this seed.
		s.Sends = append(s.Sends, send{At: now, Src: 0, Dst: 1, Size: 64, Spray: flowlets, Entropy: uint16(i * 7 / 5 % 2)})
		now += gap * sim.Time(i%4) / 4
		if i%10 == 0 {
			now += 5 * gap
		}
		now += 100
	}
	type flow struct {
		last sim.Time
		port int
	}
	flows := map[uint16]flow{}
	moves := make([]float64, n) // by the distance of the new port
	stays := 0
	s.build(t).choices(t, s.Sends, uplinks, func(i, u int) {
		f, known := flows[s.Sends[i].Entropy]
		at := s.Sends[i].arrives()
		switch {
		case !known:
		case at-f.last <= gap:
			stays++
			if u != f.port {
				t.Fatalf("frame %d moved from uplink %d to %d %v after the one before", i, f.port, u, unit.Time(at-f.last))
			}
		default:
			moves[(u-f.port+n)%n]++
		}
		flows[s.Sends[i].Entropy] = flow{at, u}
	})
	if x := chiSquare(moves); x > unlikely || stays < frames/4 || moves[0] < 50 {
		t.Errorf("%d stays; moves by distance %v: %.1f standard deviations from even", stays, moves, x)
	}
}

// TestFlowletsOfDifferentSets sends through a switch whose next-hop sets differ in
// size: flows that meet in its table must not take each other's port.
func TestFlowletsOfDifferentSets(t *testing.T) {
	g := graph(t, topo.LeafSpine{ToRs: 3, HostsPerToR: 1, Spines: 1, LinksPerSpine: 3, Rate: 100 * unit.Gbps, Delay: 1000, SwitchLatency: 0})
	dead := portOf(t, g, "spine0", "tor2").Link()
	s := setup{Graph: g, Seed: 4}
	for i := range 2000 {
		s.Sends = append(s.Sends, send{At: sim.Time(i+1000) * 20 * unit.Nanosecond, Src: 0, Dst: int32(1 + i%2), ID: uint32(i), Size: 64, Spray: flowlets, Entropy: uint16(i % 64)})
	}
	n := s.build(t)
	n.SetTables(tables(t, g, func(l topo.LinkID) bool { return l == dead }))
	n.drain(t)
	if a, b := len(n.ids(1)), len(n.ids(2)); a != 1000 || b != 1000 {
		t.Errorf("%d and %d frames arrived, want 1000 each", a, b)
	}
}

func TestNewRefusesSprays(t *testing.T) {
	g, _ := fork(t, equalRates(2)...)
	for _, table := range [][]protocol.Spray{
		{{Way: protocol.ByRandom}},
		{{}, {Way: 99}},
		{{}, {Way: protocol.ByFlowlet, Flowlets: 3}},
		{{}, {Way: protocol.ByLoad, Choices: -1}},
		make([]protocol.Spray, fabric.MaxSprays+1),
	} {
		_, err := fabric.New(fabric.Config{
			Graph: g, Tables: tables(t, g, nil), Domain: make([]int32, len(g.Nodes)), Port: unlimited, Sprays: table,
			Endpoint: func(*fabric.Domain) fabric.Endpoint { return nil },
		})
		if err == nil {
			t.Errorf("%+v: no error", table)
		}
	}
}
