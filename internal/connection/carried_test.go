package connection_test

import (
	"testing"

	"weft/catalog"
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/protocol/congestion"
	"weft/protocol/dart"
	"weft/protocol/entropy"
	"weft/protocol/eqds"
	"weft/protocol/sird"
	"weft/sim"
	"weft/unit"
)

// build returns an entry with its defaults.
func build[T any](t testing.TB, entries []catalog.Entry[T], name string) T {
	built, err := catalog.BuildDefault(entries, name)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// network is what hosts know of one of so many, whose group of traffic has a control.
func network(t testing.TB, hosts int, control protocol.CongestionControl) *end.Network {
	p := end.Params{
		Payload: payload, Header: header, AckSize: short, AckEvery: 1, PerPair: true,
		RTO: 20 * baseRTT, Adaptive: true, Congestion: control,
		Balancer: build(t, entropy.Entries(), "ops"),
		Env: protocol.Env{
			Payload: payload, Packet: payload + header, BaseRTT: baseRTT, RTO: 20 * baseRTT, LineRate: rate,
			BDP: rate.In(baseRTT), BDPPackets: int(rate.In(baseRTT)/(payload+header)) + 1,
		},
	}
	net := &end.Network{Seed: 1, Groups: []end.Group{{Params: p}}, LineRate: func(int32) unit.Rate { return rate }}
	for i := range hosts {
		net.Names = append(net.Names, sim.Hash(string(rune('a'+i))))
	}
	end.ShareBundles(net.Groups)
	return net
}

// carried lists what the network is to carry: how it opens a host.
func carried(t testing.TB) map[string]func(m *memory, h int32) {
	ends := func(entries []catalog.Entry[protocol.CongestionControl], name string) func(*memory, int32) {
		return func(m *memory, h int32) { m.connect(h, network(t, len(m.hosts), build(t, entries, name))) }
	}
	return map[string]func(*memory, int32){
		"dctcp": ends(congestion.Entries(), "dctcp"),
		"nscc":  ends(congestion.Entries(), "nscc"),
		"dart":  ends(dart.Entries(), "dart"),
		"sird": func(m *memory, h int32) {
			w := &whole{m: m}
			w.HostTransport = build(t, sird.Entries(), "sird").NewHost(protocol.HostEnv{
				Out: &w.out, Host: h, Hosts: int32(len(m.hosts)), LineRate: rate, Classes: 8, BaseRTT: baseRTT, BDP: rate.In(baseRTT),
				Packet: payload + header, Payload: payload, Header: header, Control: short,
			})
			m.hosts[h] = w
		},
	}
}

// TestCarried has hosts with connections, and with a transport of their own, send over a network that is not the
// simulator: a lone message takes the time of its packets and little more, an incast fills the receiver's link, and
// messages come whole through losses.
func TestCarried(t *testing.T) {
	for name, open := range carried(t) {
		t.Run(name, func(t *testing.T) {
			begin := func(hosts int) *memory {
				m := newMemory(t, hosts)
				for h := range m.hosts {
					open(m, int32(h))
				}
				return m
			}
			packets := func(n int) unit.Time { return unit.Time(n) * rate.Transmit(payload+header) }

			const lone = 2000
			m := begin(2)
			m.send(0, 1, lone*payload)
			m.finish(lone * payload)
			if least := packets(lone+1) + 2*delay; m.last < least || m.last > least*108/100+4*baseRTT {
				t.Errorf("a lone message takes %v, and its packets %v", m.last, least)
			}

			const senders, each = 6, 500
			m = begin(senders + 1)
			for h := range senders {
				m.send(int32(h+1), 0, each*payload)
			}
			m.finish(senders * each * payload)
			if least := packets(senders*each+1) + 2*delay; m.last < least || m.last > least*115/100+20*baseRTT {
				t.Errorf("an incast takes %v, and its packets %v", m.last, least)
			}

			m = begin(4)
			m.loss = 0.02
			total := unit.Bytes(0)
			for i := range 60 {
				bytes := unit.Bytes(1 + m.rng.IntN(40_000))
				src := int32(i % 4)
				m.send(src, (src+1+int32(m.rng.IntN(3)))%4, bytes)
				total += bytes
				m.run(m.now + unit.Time(m.rng.IntN(20))*unit.Microsecond)
			}
			m.finish(total)
		})
	}
}

// TestCancel takes a long message back while another one of the same connection, and a third one that waits for a
// connection of a pool, go on: these are delivered, nothing of the first is told, and its receiver keeps nothing of it.
func TestCancel(t *testing.T) {
	for name, change := range map[string]func(p *end.Params){
		"a connection a message": func(p *end.Params) { p.PerPair = false },
		"a connection a pair":    func(*end.Params) {},
		"a pool":                 func(p *end.Params) { p.PerPair, p.Pool = false, 2 },
		"subflows":               func(p *end.Params) { p.Balancer.Subflows = 3 },
		"order": func(p *end.Params) {
			p.Recovery, p.AckBitmap = end.Recovery{Kind: end.Order, Silence: 1.25}, true
		},
		"reports": func(p *end.Params) { p.AckEvery, p.AckDelay = 8, 10*unit.Microsecond },
		"credit": func(p *end.Params) {
			p.Congestion = build(t, eqds.Entries(), "eqds")
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemory(t, 3)
			net := network(t, 3, build(t, congestion.Entries(), "dctcp"))
			change(&net.Groups[0].Params)
			var hosts []*ends
			for h := range m.hosts {
				hosts = append(hosts, m.connect(int32(h), net))
			}
			first := m.send(0, 1, 5000*payload)
			m.send(0, 1, 300*payload)
			waiting := m.send(0, 1, 200*payload)
			m.run(200 * unit.Microsecond)
			for _, ordinal := range []uint64{first, waiting} {
				if !hosts[0].Cancel(m.now, 0, 0, ordinal) {
					t.Fatalf("message %d is not there", ordinal)
				}
				m.submitted--
			}
			if hosts[0].Cancel(m.now, 0, 0, first) {
				t.Error("it is cancelled twice")
			}
			m.stir(0)
			m.run(unit.Second)
			before := m.bytes
			m.send(0, 1, 100*payload)
			m.finish(before + 100*payload)
			if n := hosts[1].Receiving.Open(); n != 0 {
				t.Errorf("the receiver keeps %d messages", n)
			}
			if c := hosts[0].Counts; c.Cancelled != 2 || c.Timeouts != 0 || m.delivered != 2 {
				t.Errorf("%d messages came, counted %+v", m.delivered, c)
			}
		})
	}
}

// TestForget has a host die in the middle of messages to and from it. The others forget it, and a new one with its
// number, which begins to count its messages anew, exchanges messages with them. Without that, they would take its first
// messages for copies of old ones.
func TestForget(t *testing.T) {
	for _, forgets := range []bool{true, false} {
		for name, control := range map[string]protocol.CongestionControl{
			"dctcp": build(t, congestion.Entries(), "dctcp"), "dart": build(t, dart.Entries(), "dart"), "eqds": build(t, eqds.Entries(), "eqds"),
		} {
			m := newMemory(t, 3)
			net := network(t, 3, control)
			var hosts []*ends
			for h := range m.hosts {
				hosts = append(hosts, m.connect(int32(h), net))
			}
			for range 3 {
				m.send(2, 0, 100)
			}
			m.run(unit.Millisecond)
			for range 3 {
				m.send(2, 0, 5000*payload)
				m.send(0, 2, 5000*payload)
			}
			m.run(m.now + 100*unit.Microsecond)

			hosts[2] = m.connect(2, net) // what the old one sent is under way still
			m.run(m.now + unit.Millisecond)
			hosts[2] = m.connect(2, net)
			m.timers[2] = 0
			if forgets {
				hosts[0].Forget(m.now, 0, 2)
				m.stir(0)
			}
			if n := hosts[0].Receiving.Open(); forgets && n != 0 {
				t.Errorf("%s: %d messages of the dead host are kept", name, n)
			}
			m.submitted, m.delivered, m.completed, m.bytes = 0, 0, 0, 0
			m.ordinal = 0
			for range 3 {
				m.send(2, 0, 50*payload)
				m.send(0, 2, 50*payload)
			}
			m.run(m.now + 50*unit.Millisecond)
			if came := m.delivered == 6 && m.completed == 6; came != forgets {
				t.Errorf("%s, forgets %v: %d messages came, %d were completed", name, forgets, m.delivered, m.completed)
			}
		}
	}
}
