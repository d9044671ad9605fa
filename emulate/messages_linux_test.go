package emulate_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"weft"
	"weft/config"
	"weft/emulate"
	"weft/internal/connection/hosted"
	"weft/protocol"
	"weft/record"
	"weft/record/section/convergence"
	"weft/scenario"
	"weft/unit"
)

// exchange is two requests of different sizes and their replies, over the sizes of packets that endpoints have.
const exchange = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Mbps, delay: 500us, switch_latency: 0s}
fabric: {queue: 300KB, host_jitter: none}
transport: {payload: 1382B, header: 156B, ack: {size: 156B}, balancer: ops, congestion: {kind: sird, priority: none, silence: 50ms}}
traffic:
  - {name: short, pattern: {kind: pairs, pairs: [host0->host3]}, size: 1B, arrival: {kind: poisson, rate: 50, count: 10}, reply: {size: 8B}}
  - {name: long, pattern: {kind: pairs, pairs: [host1->host2, host2->host1]}, size: 200kB, reply: {size: 8B}}
record: {credit: true, interval: 5ms}
`

// TestMessages: all messages come, none sooner than an empty fabric takes, and sources hear of them: replies start when requests came.
func TestMessages(t *testing.T) {
	if space == nil {
		t.Skip(emulate.Available())
	}
	s := load(t, exchange)
	simulated, err := scenario.Run(t.Context(), s, scenario.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := emulate.RunMessages(t.Context(), s, space, emulate.MessageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary.Ended != record.Drained || len(r.Flows) != len(simulated.Flows) || len(r.Flows) != 24 {
		t.Fatalf("%s with %d messages, and %d in the simulator", r.Summary.Ended, len(r.Flows), len(simulated.Flows))
	}
	for i := range r.Flows {
		f, was := &r.Flows[i], &simulated.Flows[i]
		if f.ID != was.ID || f.Bytes != was.Bytes || f.Src != was.Src {
			t.Errorf("%+v is not %+v", f, was)
		}
		if f.End-f.Start < f.IdealBare || f.SenderEnd < f.End-unit.Millisecond {
			t.Errorf("message %d of %s took %v to %v, and %v is the least", f.ID, f.Group, f.End-f.Start, f.SenderEnd-f.Start, f.IdealBare)
		}
		if reply := strings.HasSuffix(f.Group, "-replies"); !reply && f.Start != was.Start || reply && f.Start <= 0 {
			t.Errorf("message %d of %s started at %v, and at %v in the simulator", f.ID, f.Group, f.Start, was.Start)
		}
	}
	if r.Late == nil || r.Late.Packets == 0 || r.Late.Blocked || r.Packets.Large > 0 || r.Packets.Strange > 0 {
		t.Errorf("%+v, %+v", r.Late, r.Packets)
	}
	told(t, r.Summary, 24)
	if r.Summary.RTT.Packets != 0 {
		t.Errorf("SIRD measured round trips: %+v", r.Summary.RTT)
	}
	for i := range r.Summary.Groups {
		if g := &r.Summary.Groups[i]; g.Retransmits != record.Unknown || g.Timeouts != record.Unknown || g.Packets.Marked != record.Unknown {
			t.Errorf("endpoints know nothing of groups, but %+v", g)
		}
	}
	if !slices.ContainsFunc(r.Series, func(s record.Series) bool { return s.Kind == "credit_at_receivers" && s.Value > 0 }) {
		t.Error("no credit was recorded")
	}
}

// told checks what endpoints counted, with so many messages at least.
func told(t *testing.T, s record.Summary, messages int64) {
	t.Helper()
	p := s.Packets
	if p.Arrived < messages || p.Marked < 0 || p.Marked > p.Arrived || p.Kept != record.Unknown || s.Retransmits < 0 || s.Timeouts < 0 || s.SpuriousRetransmits < 0 {
		t.Errorf("%+v, %d sent again, %d timeouts, %d copies", p, s.Retransmits, s.Timeouts, s.SpuriousRetransmits)
	}
}

// TestCheckMessages: what real endpoints cannot do is refused with its place and a remedy.
func TestCheckMessages(t *testing.T) {
	if m, err := emulate.CheckMessages(load(t, exchange)); err != nil || len(m.Notices) != 1 || !strings.Contains(m.Notices[0], "65536 in the simulation, and 256 on wire, as many as an endpoint has source ports") {
		t.Fatal(err, m)
	}
	connections := strings.NewReplacer("congestion: {kind: sird, priority: none, silence: 50ms}", "congestion: dctcp, balancer: ecmp", "payload: 1382B, header: 156B", "payload: 1396B, header: 142B", "balancer: ops, ", "", "record: {credit: true, interval: 5ms}\n", "").Replace(exchange)
	for _, c := range []struct {
		name, text, old, new string
		want                 []string
	}{
		{"payload", exchange, "header: 156B", "header: 150B", []string{"transport.payload", "write transport.payload: 1376B and transport.header: 156B"}},
		{"two transports", exchange, "size: 200kB", "size: 200kB, transport: {balancer: ecmp}", []string{"traffic[1].transport.balancer", "give all traffic the same transport"}},
		{"control", exchange, "kind: sird, priority: none, silence: 50ms", "kind: homa, resend: 0s", []string{"transport.congestion: homa cannot go on wire: it uses 8 priority classes, and endpoints send all packets in one; choose one of "}},
		{"option", exchange, "priority: none", "priority: control", []string{"transport.congestion.priority: sird uses 2 priority classes", "write priority: none"}},
		{"classes", connections, "queue: 300KB", "queue: 300KB, classes: 2", []string{"fabric.classes: endpoints send all packets in one priority class, and ports have 2; write fabric: {classes: 1}\n"}},
		{"lanes", strings.NewReplacer("{kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, ", "{kind: dragonfly, hosts_per_switch: 2, switches_per_group: 1, global_links: 1, ", "host_jitter: none}\ntransport: {", "host_jitter: none, pfc: 100KB, classes: 6}\nrouting: {policy: valiant, lanes: hop}\ntransport: {class: 5, ").Replace(connections), "", "",
			[]string{"routing.lanes: endpoints send all packets in one priority class, and each lane takes one; write lanes: none, or choose another policy, such as ecmp\n"}},
		{"used classes", connections, "host_jitter: none}\ntransport: {", "host_jitter: none, classes: 2}\ntransport: {class: 1, ", []string{"write fabric: {classes: 1}, with class: 0 and ack: {class: 0} for transports"}},
		{"trimming", connections, "queue: 300KB", "queue: 300KB, overflow: trim", []string{"fabric.overflow", "transport.connection: pair"}},
		{"connections", connections, "", "", []string{"transport.connection: pair"}},
	} {
		_, err := emulate.CheckMessages(load(t, strings.Replace(c.text, c.old, c.new, 1)))
		list := new(config.Error)
		if !errors.As(err, &list) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(list.All(), want) {
				t.Errorf("%s: %v; want %q", c.name, list.All(), want)
			}
		}
	}
}

// TestBeyondEndpoints: what endpoints cannot have is said of the key that makes it so, in its words, and not in those of the library.
func TestBeyondEndpoints(t *testing.T) {
	const text = `weft: 1
topology: {kind: star, hosts: 3, rate: 100Mbps, delay: 1ms}
transport: {payload: 1396B, header: 142B, congestion: dctcp, balancer: ecmp, connection: pair, recovery: sack}
traffic: [{name: main, pattern: permutation, size: 1MB}]
`
	for _, c := range []struct{ old, new, want string }{
		{"hosts: 3", "hosts: 65", "fabric.yaml:2:11: topology: the fabric has 65 hosts, and 64 can have real endpoints; choose a smaller one\n"},
		{"100Mbps", "500Kbps", "fabric.yaml:2:40: topology.rate: the link of host0 has 500kbps; give it from 1Mbps to 1Tbps\n"},
		{"delay: 1ms", "delay: 3s", "fabric.yaml:2:56: topology.delay: the round trip of a full packet and its acknowledgement takes 12.0"},
		{"delay: 1ms", "delay: 3s", "s; give it from 1µs to 10s\n"},
		{"1396B", "400B", "fabric.yaml:3:22: transport.payload: a full packet, which takes 542B on the wire, is a datagram of 456B; give it from 512B to 65KB\n"},
	} {
		_, err := emulate.CheckMessages(load(t, strings.Replace(text, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.new, err, c.want)
		}
	}
	m, err := emulate.CheckMessages(load(t, text))
	if err != nil || m.Frame() != 1538 {
		t.Fatal(m, err)
	}
	for _, c := range []struct {
		perSecond float64
		note, err string
	}{
		{2 * 8127 * 3.01, "", ""},
		{2 * 8127 * 2.9, "the hosts together send up to 24382: not all can fill their links at once", ""},
		{2 * 8127 * 0.9, "", "fabric.yaml:2:40: topology.rate: this machine carries some 7314 packets of 1500B per second"},
	} {
		note, err := m.KeepUp(c.perSecond)
		if !strings.Contains(note, c.note) || note != "" && c.note == "" || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%.0f packets per second: %q, %v", c.perSecond, note, err)
		}
	}
}

// writes finds what errors say to write, as keys and values.
var writes = regexp.MustCompile(`write (?:transport\.)?(payload|connection|recovery|ack): ([^;,\n ]+(?: 1\})?)(?: and transport\.(header): (\S+))?`)

// TestRemediesLeadOnWire: what the errors say to write, once or twice, brings each balancer and control on wire that can go there.
func TestRemediesLeadOnWire(t *testing.T) {
	const text = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Mbps}\ntransport: {congestion: dctcp, balancer: ops}\ntraffic: [{name: main, pattern: tornado, size: 1MB}]\n"
	reg := weft.Builtin()
	sets := [][]string{{"transport.congestion={kind: sird, priority: none, silence: 50ms}"}}
	for _, e := range reg.Balancers.Entries() {
		if b, err := e.BuildDefault(); err == nil && hosted.CheckBalancer(&b, protocol.AllNeeds) == nil {
			sets = append(sets, []string{"transport.balancer=" + e.Name})
		}
	}
	for _, e := range reg.Congestion.Entries() {
		if c, err := e.BuildDefault(); err == nil && hosted.CheckControl(&c) == nil && c.Needs.Classes < 2 {
			sets = append(sets, []string{"transport.congestion=" + e.Name})
		}
	}
	if len(sets) < 15 {
		t.Errorf("%q", sets)
	}
	for _, one := range sets {
		for round := range 4 {
			f, err := scenario.Parse("fabric.yaml", []byte(text), reg, one)
			if err == nil {
				if _, err = f.Variants[0].Verify(); err == nil {
					_, err = emulate.CheckMessages(f.Variants[0])
				}
			}
			if err == nil {
				break
			}
			found := writes.FindAllStringSubmatch(err.Error(), -1)
			if round == 3 || len(found) == 0 {
				t.Errorf("%q, round %d: %v", one, round, err)
				break
			}
			for _, w := range found {
				if one = append(one, "transport."+w[1]+"="+w[2]); w[3] != "" {
					one = append(one, "transport."+w[3]+"="+w[4])
				}
			}
		}
	}
}

// windows is four hosts whose connections cross two spines, one of which fails.
const windows = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Mbps, delay: 500us, switch_latency: 0s}
fabric: {queue: 300KB, host_jitter: none, ecn: {kind: threshold, k: 30KB}}
transport:
  payload: 1396B
  header: 142B
  ack: {size: 142B, every: 4, bitmap: true, entropies: unmarked}
  connection: pair
  recovery: order
  congestion: dctcp
  balancer: arcane
traffic:
  - {name: long, pattern: {kind: pairs, pairs: [host0->host2, host1->host3]}, size: 300kB}
faults: [{kind: link-down, links: tor0->spine0, at: 10ms}]
routing: {reconverge: 10s}
`

// TestConnections: connections that spray over two spines have all their messages come, though one spine fails meanwhile and no
// route changes.
func TestConnections(t *testing.T) {
	if space == nil {
		t.Skip(emulate.Available())
	}
	r, err := emulate.RunMessages(t.Context(), load(t, windows), space, emulate.MessageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary.Ended != record.Drained || len(r.Flows) != 2 || r.Summary.Unfinished != 0 {
		t.Errorf("%s, %d messages, %d unfinished", r.Summary.Ended, len(r.Flows), r.Summary.Unfinished)
	}
	told(t, r.Summary, 2*300_000/1396)
	if rtt := r.Summary.RTT; rtt.Packets < 50 || rtt.P50 < 6*unit.Millisecond/2 || rtt.Max < rtt.P99 || rtt.P99 < rtt.P50 {
		t.Errorf("%+v", rtt)
	}
	if r.Flows[0].Retransmits != record.Unknown {
		t.Errorf("endpoints know nothing of single messages, but %+v", r.Flows[0])
	}
	if r.Summary.LostToFaults.Frames > 0 && r.Summary.Retransmits == 0 {
		t.Errorf("%d frames were lost, and nothing was sent again", r.Summary.LostToFaults.Frames)
	}
}

// TestEndOfMessages: a run ends at the scenario's end with what is unfinished, and at once when it is interrupted.
func TestEndOfMessages(t *testing.T) {
	if space == nil {
		t.Skip(emulate.Available())
	}
	s := load(t, windows+"until: 20ms\n")
	r, err := emulate.RunMessages(t.Context(), s, space, emulate.MessageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary.Ended != record.Until || r.Summary.Unfinished != 2 {
		t.Errorf("%s with %d unfinished messages", r.Summary.Ended, r.Summary.Unfinished)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err = emulate.RunMessages(ctx, load(t, windows+"until: 900s\n"), space, emulate.MessageOptions{Built: func() { time.AfterFunc(50*time.Millisecond, cancel) }})
	if err == nil && r.Summary.Ended != record.Interrupted && r.Summary.Ended != record.Drained {
		t.Errorf("%s", r.Summary.Ended)
	}
}

// TestConvergence: receivers on wire measure how long senders take to take notice of others, and what they measure is in the results.
func TestConvergence(t *testing.T) {
	if space == nil {
		t.Skip(emulate.Available())
	}
	s := load(t, `weft: 1
topology: {kind: star, hosts: 3, rate: 100Mbps, delay: 1ms, switch_latency: 0s}
fabric: {queue: 20MB, host_jitter: none, ecn: {kind: threshold, k: 1.25BDP}}
transport: {payload: 8896B, header: 142B, ack: {size: 142B}, connection: pair, balancer: ecmp, recovery: sack, congestion: {kind: dart, fallback: none, drain: 90%}}
traffic:
  - {name: long, pattern: {kind: pairs, pairs: [host0->host2]}, size: 10MB}
  - {name: burst, pattern: {kind: pairs, pairs: [host1->host2]}, size: 200KB, start: 300ms, arrival: {kind: closed, think: 50ms, count: 3}}
record: {convergence: true}
until: 3s
`)
	r, err := emulate.RunMessages(t.Context(), s, space, emulate.MessageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// A round trip has at least four links of 1 ms. The machine may be slow.
	if c := convergence.Of(r.Summary.Sections); c == nil || c.Count != 3 || c.P50 < 4*unit.Millisecond || c.Worst > 300*unit.Millisecond {
		t.Errorf("%+v", c)
	}
}
