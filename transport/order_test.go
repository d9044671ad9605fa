package transport

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// ordered is recovery by the order of packets.
func ordered(p *Params) {
	p.Recovery, p.AckBitmap = Recovery{Kind: Order, Silence: 1.25}, true
}

// turning is an entropy chooser that takes so many values in turn.
type turning struct {
	constant
	values uint16
}

func (e *turning) Next(unit.Time) uint16 {
	e.v = (e.v + 1) % e.values
	return e.v
}

func turn(p *Params, values uint16) {
	p.Balancer.New = func(protocol.Env) protocol.Entropy { return &turning{values: values} }
}

// TestTimeOfALossByOrder compares with closed forms. On a star, whatever the entropy, a packet takes a time one to be
// sent and L to arrive, and its acknowledgement A to come back. Packet k of n is lost, and the next on its path is packet
// k+v of v entropies.
func TestTimeOfALossByOrder(t *testing.T) {
	for _, values := range []uint16{1, 4, 16} {
		for _, test := range []struct {
			name          string
			packets, lost uint32
		}{
			{"all is sent when the loss is known", 30, 5},
			{"more is to be sent", 400, 100},
			{"the last packet", 30, 29},
			{"the last packet of an entropy", 64, 64 - uint32(values)},
			{"the only packet", 1, 0},
		} {
			p := params(unit.GiB)
			ordered(&p)
			turn(&p, values)
			control := watch(&p, unit.GiB)
			l := labConfig{Graph: star(t, 2)}
			size := unit.Bytes(test.packets) * payload
			one := (100 * unit.Gbps).Transmit(payload + header)
			hops, back := []Hop(nil), []Hop(nil)
			{
				built := l.build(t)
				hops, back = built.hops(0, 1), built.hops(1, 0)
			}
			there, short := Ideal(hops, payload, payload, header), Ideal(back, 0, payload, ackSize)
			rtt := there + short
			p.Env.BaseRTT = rtt
			l.Groups = []Group{{Params: p, Sources: from(0, 2, message1(size))}}
			l.received = losing(end.Data, map[uint32]int{test.lost: 1})
			built := l.build(t)
			m := built.finish(t)[0]

			lossless := unit.Time(test.packets-1)*one + there
			known := unit.Time(test.lost+uint32(values))*one + rtt // the next packet of the entropy is acknowledged
			if test.lost+uint32(values) >= test.packets {          // there is none: a probe follows after a silence
				known = unit.Time(test.lost)*one + rtt*5/4 + 2*short
			}
			want := max(known+there, lossless)
			if known < unit.Time(test.packets)*one {
				want = lossless + one // it takes the place of another packet
			}
			if m.End != want || m.Retransmits != 1 || m.Timeouts != 0 || built.transport.Counts().Spurious != 0 {
				t.Errorf("%s, %d entropies: delivered at %v after %d retransmissions, %d timeouts, %d of them spurious; want %v, lossless %v",
					test.name, values, m.End, m.Retransmits, m.Timeouts, built.transport.Counts().Spurious, want, lossless)
			}
			if len(control.losses) != 1 || control.losses[0].Cause != protocol.Missing || control.losses[0].Now != known {
				t.Errorf("%s, %d entropies: the control is told of %+v, want one at %v", test.name, values, control.losses, known)
			}
		}
	}
}

// unequal is a leaf-spine whose spines are at other distances from the ToRs, so that packets overtake those on longer paths.
func unequal(t rapid.TB, spines int) *topo.Graph {
	g := graph(t, topo.LeafSpine{ToRs: 2, HostsPerToR: 2, Spines: spines, Rate: 100 * unit.Gbps, Delay: unit.Microsecond})
	for i := range g.Links {
		l := &g.Links[i]
		for _, n := range []topo.NodeID{l.A, l.B} {
			if name := g.Nodes[n].Name; name[0] == 's' {
				l.Delay = unit.Time(1+3*(name[len(name)-1]-'0')) * unit.Microsecond
			}
		}
	}
	return g
}

// drawOrder draws a transport that finds losses by order, over paths of unequal length, and what it sends.
func drawOrder(t *rapid.T) (labConfig, *Group) {
	p := params(unit.Bytes(rapid.IntRange(1, 64).Draw(t, "window")) * payload)
	ordered(&p)
	p.Env.BaseRTT = 10 * unit.Microsecond
	p.RTO = 20 * unit.Second // hundreds of probes go before it, so not all are lost even at odds of 1 in 3 each way
	if values := rapid.SampledFrom([]uint16{0, 1, 3, 8, 40}).Draw(t, "entropies"); values > 0 {
		turn(&p, values)
	} else {
		p.Balancer = spraying()
	}
	p.PerPair = rapid.Bool().Draw(t, "pair")
	if rapid.Bool().Draw(t, "reports of several") {
		p.AckEvery, p.AckDelay = 3, 5*unit.Microsecond
	}
	c := labConfig{Graph: unequal(t, 3), Seed: rapid.Uint64().Draw(t, "seed")}
	if rapid.Bool().Draw(t, "fifo") {
		c.NIC = &NICQueue{Thresholds: slices.Repeat([]unit.Bytes{unit.MiB}, 4)}
	}
	sources := make([]workload.Source, 4)
	for h := range 2 {
		l := &list{}
		for i := range rapid.IntRange(1, 4).Draw(t, "messages") {
			*l = append(*l, workload.Message{At: unit.Time(7*i) * unit.Microsecond, Dst: 2 + int32(h), Size: 1 + unit.Bytes(rapid.IntRange(0, 120*payload).Draw(t, "size"))})
		}
		sources[h] = l
	}
	c.Groups = []Group{{Params: p, Sources: sources}}
	return c, &c.Groups[0]
}

// TestOrderTakesReorderingForNoLoss: nothing is lost, and nothing is sent again.
func TestOrderTakesReorderingForNoLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, _ := drawOrder(t)
		l := c.build(t)
		l.finish(t)
		if n := l.transport.Counts(); n.Retransmits != 0 || n.Timeouts != 0 {
			t.Fatalf("%d retransmissions, %d timeouts", n.Retransmits, n.Timeouts)
		}
	})
}

// heedful is a control with a constant window that tells of losses.
type heedful struct {
	fixed
	lost func(*protocol.Loss)
}

func (c *heedful) Lost(l *protocol.Loss) { c.lost(l) }

// flight is one transmission of a packet.
type flight struct {
	name    packetName
	entropy uint16
	at      sim.Time
	again   bool
	lost    bool
}

type packetName struct {
	host                 int32
	message, serial, seq uint32
}

// foundWithin returns after how long it is known at the latest that the first flight was lost: after a limit, and a silence
// more for each flight after it on its path that was lost as well.
func foundWithin(flights []flight, silence, limit unit.Time) unit.Time {
	first := flights[0]
	for _, next := range flights[1:] {
		same := next.entropy == first.entropy && next.name.host == first.name.host && next.name.message == first.name.message && next.name.serial == first.name.serial
		if same && !next.again && next.at <= first.at+limit {
			if !next.lost {
				break
			}
			limit += silence
		}
	}
	return limit
}

// TestOrderFindsLosses loses packets at random: data, or acknowledgements and probes, too. No timeout is needed, and
// nothing is sent again that arrived. If data alone is lost, each loss is known a silence and a round trip after it was
// sent, and a silence later for each packet after it on its path that is lost as well.
func TestOrderFindsLosses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, g := drawOrder(t)
		odds := uint64(rapid.IntRange(3, 40).Draw(t, "odds"))
		dataOnly := rapid.Bool().Draw(t, "data only")
		var flights []flight
		last := map[packetName]int{}
		n, round := c.Seed, 34*unit.Microsecond // both ways over the farthest spine
		c.sent = func(now sim.Time, h int32, f *fabric.Frame) {
			if f.Kind == end.Data {
				name := packetName{h, f.Message, f.Serial, f.Seq}
				last[name] = len(flights)
				flights = append(flights, flight{name, f.Entropy, now, f.Bits&end.Again != 0, false})
			}
		}
		c.received = func(now sim.Time, h int32, f *fabric.Frame) bool {
			n++
			lost := sim.Mix(n)%odds == 0
			if f.Kind != end.Data {
				return dataOnly || !lost
			}
			sent := &flights[last[packetName{f.Src(), f.Message, f.Serial, f.Seq}]]
			sent.lost = lost
			round = max(round, 2*(now-sent.at))
			return !lost
		}
		window := g.Congestion.New(protocol.Env{}).Window()
		var losses []protocol.Loss
		g.Congestion.New = func(protocol.Env) protocol.Congestion {
			return &heedful{fixed{window: window}, func(l *protocol.Loss) { losses = append(losses, *l) }}
		}
		l := c.build(t)
		l.finish(t)
		if k := l.transport.Counts(); k.Spurious != 0 || k.Timeouts != 0 {
			t.Fatalf("%d retransmissions, of which %d are spurious, %d timeouts", k.Retransmits, k.Spurious, k.Timeouts)
		}
		if !dataOnly || c.NIC != nil { // a queue at the NIC tells when packets enter it
			return
		}
		silence := (round+g.AckDelay)*5/4 + g.AckDelay // round trips are heard with what acknowledgements wait
		for _, loss := range losses {
			limit := unit.Time(0)
			for i, f := range flights { // both hosts may have lost a packet of this time and entropy
				if f.at == loss.SentAt && f.entropy == loss.Entropy && f.lost {
					// Probes wait for a frame on the wire.
					limit = max(limit, foundWithin(flights[i:], silence, silence+round+g.AckDelay+unit.Microsecond))
				}
			}
			if limit == 0 {
				t.Fatalf("a packet that was not lost is given up: %+v", loss)
			}
			if took := loss.Now - loss.SentAt; took > limit {
				t.Fatalf("a loss was found after %v, want %v at most; a round trip takes %v", took, limit, round)
			}
		}
	})
}
