package transport

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fault"
	"weft/protocol"
	"weft/protocol/eqds"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// chaos is random traffic over a network that loses, reorders and cuts.
type chaos struct {
	labConfig
	loss    unit.Ratio
	changes []fault.Change
	sent    int // messages
}

func drawChaos(t *rapid.T) *chaos {
	const us = unit.Microsecond
	c := &chaos{}
	c.Seed = rapid.Uint64().Draw(t, "seed")
	b := builder(topo.LeafSpine{ToRs: 3, HostsPerToR: 2, Spines: 2, Rate: 100 * unit.Gbps, Delay: us / 2, SwitchLatency: us / 4})
	if rapid.Bool().Draw(t, "three tiers") {
		b = topo.FatTree{Tiers: 3, HostsPerToR: ptr(1), UplinksPerToR: ptr(2), ToRsPerPod: ptr(2), Pods: ptr(3), Rate: 100 * unit.Gbps, Delay: us / 2, SwitchLatency: 0}
	}
	c.Graph = graph(t, b)
	if rapid.Bool().Draw(t, "mixed rates") {
		for i := range c.Graph.Links {
			c.Graph.Links[i].Rate = rapid.SampledFrom([]unit.Rate{100 * unit.Gbps, 95 * unit.Gbps, 25 * unit.Gbps}).Draw(t, "rate")
		}
	}
	config := fabric.PortConfig{Limit: unit.Bytes(rapid.IntRange(3, 12).Draw(t, "queue")) * payload}
	config.ECN, config.KMin, config.KMax, config.PMax = true, config.Limit/5, config.Limit*4/5, 1
	trims := rapid.Bool().Draw(t, "trims")
	if trims {
		config.Classes, config.Trim = 2, &fabric.TrimConfig{Header: header, Limit: 20 * header, Coin: rapid.Bool().Draw(t, "coin")}
	}
	c.Port = func(topo.PortID) fabric.PortConfig { return config }

	c.Telemetry = rapid.Bool().Draw(t, "telemetry")
	c.SourceMarks = SourceMarks{On: true, KMin: 2 * payload, KMax: 6 * payload, PMax: 1 << 31}
	hosts := len(c.Graph.Hosts)
	for range rapid.IntRange(1, 3).Draw(t, "groups") {
		p := params(0)
		p.Env.Payload = payload
		p.RTO = unit.Time(rapid.SampledFrom([]int64{8, 30, 200}).Draw(t, "RTO")) * us
		p.AckEvery = rapid.SampledFrom([]int{1, 1, 2, 16, 300}).Draw(t, "packets an ACK")
		p.Unmarked = rapid.Bool().Draw(t, "unmarked")
		p.PerPair = rapid.Bool().Draw(t, "per pair")
		p.Nagle = rapid.Bool().Draw(t, "Nagle")
		p.Adaptive = rapid.Bool().Draw(t, "adaptive timeouts")
		p.ConnectionTimer = rapid.Bool().Draw(t, "a timer a connection")
		if rapid.Bool().Draw(t, "by order") { // also where switches spray, so that it is wrong
			p.Recovery = Recovery{Kind: Order, Silence: 1}
		}
		p.ReorderLimit = rapid.SampledFrom([]uint32{0, 0, 5, 64}).Draw(t, "reorder limit")
		if trims {
			p.Class = 1
		}
		p.AckBitmap = rapid.Bool().Draw(t, "bitmap on every ACK") || p.Recovery.Kind == Order
		p.Congestion.New = func(env protocol.Env) protocol.Congestion { return wandering(env) }
		if rapid.Bool().Draw(t, "credit") {
			p.Env.Packet, p.Env.BDP = payload+header, unit.Bytes(rapid.IntRange(1, 20).Draw(t, "BDP"))*payload
			p.Congestion = pulling(t)
		} else if rapid.Bool().Draw(t, "deadlines and rates") {
			p.Congestion.New = func(env protocol.Env) protocol.Congestion { return restlessly(env, t) }
		}
		if rapid.Bool().Draw(t, "answers") {
			p.Congestion.AnswerBytes = 10
			p.Congestion.NewAnswerer = func(protocol.HostEnv) protocol.Answerer { return &echoer{wrong: t.Errorf} }
		}
		if p.Congestion.NewReceiver == nil && rapid.Bool().Draw(t, "bundles and lists") {
			p.Congestion.NewBundle = func(env protocol.Env) protocol.Bundle { return &roving{line: env.LineRate} }
			p.Congestion.Receivers = "roving"
			p.Congestion.ListBytes, p.Congestion.SourceMarks = 2, true
		}
		if c.Telemetry {
			p.Congestion.Stamping = rapid.SampledFrom([]protocol.Stamping{protocol.NoStamps, protocol.OnData, protocol.OnAcks}).Draw(t, "stamps")
			p.Congestion.StampBytes = 8
		}
		p.Balancer = spraying()
		if rapid.Bool().Draw(t, "probes") {
			p.Balancer.New = func(env protocol.Env) protocol.Entropy { return &tester{drawing: drawing{rng: env.Rand}} }
		}
		p.Balancer.Subflows = rapid.SampledFrom([]int{0, 0, 1, 2, 5, 16}).Draw(t, "subflows")
		p.Balancer.DivideBDP = rapid.Bool().Draw(t, "divided BDP")
		p.Balancer.Spray = rapid.SampledFrom(sprays()).Draw(t, "spray")
		gr := Group{Params: p, Sources: make([]workload.Source, hosts)}
		for h := range hosts {
			l := &list{}
			at := unit.Time(0)
			for range rapid.IntRange(0, 4).Draw(t, "messages") {
				at += unit.Time(rapid.IntRange(0, 20_000).Draw(t, "gap")) * unit.Nanosecond
				*l = append(*l, workload.Message{
					At: at, Dst: int32((h + 1 + rapid.IntRange(0, hosts-2).Draw(t, "to")) % hosts),
					Size: unit.Bytes(rapid.SampledFrom([]int{0, 1, payload, payload + 1, 10 * payload, 40*payload + 3}).Draw(t, "size")),
				})
				if last := &(*l)[len(*l)-1]; p.Congestion.ListBytes > 0 && last.Size%2 == 0 {
					last.Round = &workload.Round{Number: uint32(c.sent), Senders: []int32{int32(h), last.Dst}}
				}
				c.sent++
			}
			gr.Sources[h] = l
		}
		c.Groups = append(c.Groups, gr)
	}
	c.loss = unit.Ratio(rapid.SampledFrom([]float64{0, 0, 0.01, 0.1}).Draw(t, "loss"))
	for range rapid.IntRange(0, 3).Draw(t, "outages") {
		down := fault.Change{
			At:   unit.Time(rapid.IntRange(0, 100).Draw(t, "down")) * us,
			Port: topo.PortID(rapid.IntRange(0, 2*len(c.Graph.Links)-1).Draw(t, "port")), What: fault.Down,
		}
		up := down
		up.At += unit.Time(rapid.IntRange(1, 50).Draw(t, "for")) * us
		up.What = fault.Up
		c.changes = append(c.changes, down, up)
	}
	return c
}

// roving is a bundle whose rate changes with every acknowledgement.
type roving struct{ line, rate unit.Rate }

func (b *roving) Start(unit.Time) { b.rate = b.line }

func (b *roving) Answered(now unit.Time, a protocol.Answer) {
	b.rate = b.line/20 + unit.Rate((a[0]/1000)%16)*b.line/10
}

func (b *roving) Pace() protocol.Pace { return protocol.Pace{Rate: b.rate} }

// pulling is EQDS with its defaults.
func pulling(t rapid.TB) protocol.CongestionControl {
	entry := eqds.Entries()[0]
	o, err := entry.Defaults()
	if err != nil {
		t.Fatal(err)
	}
	c, err := entry.Build(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// tester is an entropy chooser that sends a probe for every loss, and one more after
// 5 µs unless the first came back.
type tester struct {
	drawing
	until   unit.Time
	pending bool
	echoes  []uint16
}

// Start forgets all: the chooser may have been that of another connection of the same domain.
func (e *tester) Start(unit.Time) { e.pending, e.until = false, 0 }

func (e *tester) Lost(*protocol.Loss) { e.pending = true }

func (e *tester) Probe(now unit.Time) (uint16, bool, unit.Time) {
	if !e.pending {
		return 0, false, unit.Forever
	}
	if now < e.until {
		return 0, false, e.until
	}
	e.until = now + 5*unit.Microsecond
	return uint16(e.rng.Uint64()), true, e.until
}

func (e *tester) Probed(_ unit.Time, entropy uint16, _ bool) {
	e.pending = false
	e.echoes = append(e.echoes, entropy)
}

// play runs the traffic to its end on a network cut and run as given.
func (c *chaos) play(t *rapid.T, domains, threads int, kind sim.QueueKind) ([]Message, Counts) {
	run := c.labConfig
	run.Domains, run.Threads, run.Queue = domains, threads, kind
	run.Groups = nil
	for _, g := range c.Groups {
		sources := make([]workload.Source, len(g.Sources))
		for h, s := range g.Sources {
			l := append(list(nil), *s.(*list)...)
			sources[h] = &l
		}
		g.Sources = sources
		run.Groups = append(run.Groups, g)
	}
	l := run.build(t)
	for port := range topo.PortID(2 * len(c.Graph.Links)) {
		l.Apply(0, fault.Change{Port: port, What: fault.SetLoss, Loss: c.loss})
	}
	for at := sim.Time(0); at <= 150*unit.Microsecond; at += unit.Microsecond {
		for _, change := range c.changes {
			if change.At == at {
				l.run(t, at)
				l.Apply(at, change)
			}
		}
	}
	messages := l.finish(t)
	return messages, l.transport.Counts()
}

// TestChaos checks that every message is delivered, each packet counted once,
// whatever is lost, cut, repeated for nothing or late; and that the result
// depends on neither domains nor threads nor the event queue.
func TestChaos(t *testing.T) {
	var cases, lossy, outages, trims, spurious, pulls, requests, probes int
	rapid.Check(t, func(t *rapid.T) {
		c := drawChaos(t)
		want, counts := c.play(t, 1, 1, sim.Calendar)
		if len(want) != c.sent {
			t.Fatalf("%d messages recorded, %d sent", len(want), c.sent)
		}
		type variant struct {
			domains, threads int
			kind             sim.QueueKind
		}
		variants := []variant{{3, 2, sim.Heap}, {100, 1, sim.Heap}, {1, 1, sim.Swept}, {3, 1, sim.Swept}}
		if !testing.Short() {
			variants = append(variants, variant{100, 3, sim.Heap}, variant{100, 8, sim.Calendar})
		}
		for _, variant := range variants {
			got, gotCounts := c.play(t, variant.domains, variant.threads, variant.kind)
			if diff := cmp.Diff(want, got); diff != "" || counts != gotCounts {
				t.Fatalf("%+v: counts %+v and %+v, messages (-one domain +these):\n%s", variant, counts, gotCounts, diff)
			}
		}
		count := func(n *int, is bool) {
			if is {
				*n++
			}
		}
		count(&cases, true)
		count(&lossy, c.loss > 0 && counts.Timeouts > 0)
		count(&outages, len(c.changes) > 0)
		count(&trims, counts.Trims > 0)
		count(&spurious, counts.Retransmits > 0 && c.loss == 0)
		count(&pulls, counts.Pulls > 0)
		count(&requests, counts.Requests > 0 && counts.CreditGrantedAgain > 0)
		count(&probes, counts.Probes > 0)
	})
	t.Logf("%d cases: %d with losses, %d with outages, %d with trims, %d with retransmissions though no link is lossy, %d with pulls, %d with lost ones, %d with probes",
		cases, lossy, outages, trims, spurious, pulls, requests, probes)
}
