package emulate_test

import (
	"strings"
	"testing"

	"weft/emulate"
)

// alike is a scenario whose connections are simulated as those of real endpoints are. The round trip is 4.5 ms.
const alike = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Mbps, delay: 500us, switch_latency: 0s}
fabric: {queue: 300KB, host_jitter: none, ecn: {kind: threshold, k: 30KB}}
transport:
  payload: 1396B
  header: 142B
  ack: {size: 142B, every: 4, delay: DELAY, bitmap: true, entropies: unmarked}
  connection: pair
  recovery: {kind: order, silence: 200%}
  congestion: dctcp
  balancer: {kind: arcane, entropies: 256}
traffic:
  - {name: long, pattern: {kind: pairs, pairs: [host0->host2, host1->host3]}, size: 300kB}
`

// halfTrip is half of the round trip of alike: eight links of 500 us, four frames of 1538 B, and four of 142 B.
const halfTrip = "2267us"

// change returns a text with some parts replaced.
func change(t *testing.T, text string, parts ...string) string {
	t.Helper()
	text = strings.Replace(text, "DELAY", halfTrip, 1)
	for i := 0; i < len(parts); i += 2 {
		if !strings.Contains(text, parts[i]) {
			t.Fatalf("no %q in\n%s", parts[i], text)
		}
		text = strings.Replace(text, parts[i], parts[i+1], 1)
	}
	return text
}

// TestUnlike: what real endpoints cannot do is refused with its place and what to do, and never left out without a word.
func TestUnlike(t *testing.T) {
	ecmp := []string{"{kind: arcane, entropies: 256}", "ecmp", "{kind: order, silence: 200%}", "sack"}
	for _, c := range []struct {
		name, text string
		parts      []string
		want       string
	}{
		{"tenant", alike, []string{"size: 300kB", "size: 300kB, tenant: a"}, "traffic[0].tenant: real endpoints know no tenants, and have all messages share alike; remove tenant"},
		{"weights of dart", alike, append(ecmp, "congestion: dctcp", "congestion: {kind: dart, weights: [2, 1]}"), "transport.congestion.weights: real endpoints know no tenants and no groups of traffic, and so no weights of these; remove weights"},
		{"weights of sird", exchange, []string{"silence: 50ms", "silence: 50ms, policy: classes, weights: [1, 2, 1, 1]"}, "transport.congestion.weights: real endpoints know no tenants"},
		{"look_ahead", alike, append(ecmp, "{kind: pairs, pairs: [host0->host2, host1->host3]}", "{kind: incast, receiver: host0}", "size: 300kB", "size: 300kB, look_ahead: senders", "congestion: dctcp", "congestion: dart"), "traffic[0].look_ahead: real endpoints tell nobody of an incast beforehand; remove look_ahead"},
		{"nic", alike, []string{"queue: 300KB", "queue: 300KB, nic: fifo"}, "fabric.nic: real endpoints send a packet when the link is free, and have no queue at their NIC; write nic: pull"},
		{"nic_jitter", alike, []string{"queue: 300KB", "queue: 300KB, nic_jitter: 5ns"}, "fabric.nic_jitter: hosts send by the NICs and the clock of this machine; remove nic_jitter"},
		{"nic_interrupts", alike, []string{"queue: 300KB", "queue: 300KB, nic_interrupts: 10us"}, "fabric.nic_interrupts: hosts get packets when this machine has them; remove nic_interrupts"},
		{"layers", alike, []string{"traffic:", "routing: {policy: {kind: layers, layers: 3}}\ntraffic:"}, "routing.policy: a packet's entropy names its layer, and switches hash the source ports of real endpoints into others; choose another policy, such as ecmp"},
		{"reply of acknowledgements", alike, []string{"every: 4", "every: 4, reply: 84B"}, "transport.ack.reply: real endpoints add nothing to acknowledgements"},
		{"nagle", alike, []string{"connection: pair", "connection: pair\n  nagle: true"}, "transport.nagle: real endpoints send the last packet of a message like any other; remove nagle"},
		{"reorder_limit", alike, []string{"connection: pair", "connection: pair\n  reorder_limit: 64"}, "transport.reorder_limit: real endpoints have no such limit; remove reorder_limit"},
		{"timer", alike, append(ecmp, "connection: pair", "connection: pair\n  timer: connection"), "transport.timer: real endpoints time each packet; write timer: packet"},
		{"recovery without order", alike, []string{"{kind: order, silence: 200%}", "selective"}, "transport.recovery: real endpoints find losses by the order of packets from each source port; write transport.recovery: order"},
		{"recovery on one path", alike, []string{"{kind: arcane, entropies: 256}", "ecmp"}, "transport.recovery: real endpoints find losses by later packets where all take one path; write transport.recovery: sack"},
		{"go-back-n on one path", alike, []string{"{kind: arcane, entropies: 256}", "ecmp", "{kind: order, silence: 200%}", "go-back-n"}, "write transport.recovery: sack"},
	} {
		_, err := emulate.CheckMessages(load(t, change(t, c.text, c.parts...)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
}

// TestOtherwise: what real endpoints have otherwise is told with both values, and nothing is told where both are alike.
func TestOtherwise(t *testing.T) {
	for _, c := range []struct {
		name  string
		parts []string
		want  []string
	}{
		{"alike", nil, nil},
		{"host_jitter", []string{"host_jitter: none", "host_jitter: 5us"}, []string{"fabric.host_jitter: simulated hosts are late by up to 5us, and real ones by what this machine is"}},
		{"entropies", []string{"entropies: 256", "entropies: 1024"}, []string{"transport.balancer.entropies: 1024 in the simulation, and 256 on wire"}},
		{"ack.size", []string{"size: 142B, every", "size: 64B, every"}, []string{"transport.ack.size: 64B in the simulation; on wire acknowledgements are as long as what they say, and endpoints reckon with 142B"}},
		{"ack.every", []string{"every: 4", "every: 8"}, []string{"transport.ack.every: 8 in the simulation, and 4 on wire; write 4 to have both alike"}},
		{"ack.delay", []string{"delay: " + halfTrip, "delay: 1ms"}, []string{"transport.ack.delay: 1ms in the simulation, and 2268800ns on wire; write 2268800ns to have both alike"}},
		{"ack.entropies", []string{", entropies: unmarked", ""}, []string{"transport.ack.entropies: trigger in the simulation, and unmarked on wire"}},
		{"silence", []string{", silence: 200%", ""}, []string{"transport.recovery.silence: 125% in the simulation, and 200% on wire"}},
		{"rto", []string{"connection: pair", "connection: pair\n  rto: 30ms"}, []string{"transport.rto: 30ms in the simulation; on wire timeouts adapt, and are 36301us at least; remove rto to have both adapt"}},
		{"duplicates and bitmap", []string{"{kind: order, silence: 200%}", "{kind: sack, duplicates: 5}", "bitmap: true", "bitmap: false", "{kind: arcane, entropies: 256}", "ecmp"}, []string{
			"transport.ack.bitmap: false in the simulation, and true on wire", "transport.recovery.duplicates: 5 in the simulation, and 3 on wire",
		}},
		{"source_marks", []string{"congestion: dctcp", "congestion: dart"}, []string{"transport.congestion.source_marks: NICs mark in the simulation"}},
		{"rates", []string{
			"{kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Mbps, delay: 500us, switch_latency: 0s}",
			"{kind: graph, nodes: [{name: host0..host3}, {name: tor0..tor1, kind: switch}, {name: spine0..spine1, kind: switch}], links: [{a: host0, b: tor0, rate: 95Mbps}, {a: host1, b: tor0}, {a: host2..host3, b: tor1}, {a: tor0..tor1, b: spine0}, {a: tor0..tor1, b: spine1}], rate: 100Mbps, delay: 500us, switch_latency: 0s}",
			"congestion: dctcp", "congestion: {kind: dart, source_marks: false}",
		}, []string{"hosts' links have several rates: real endpoints share the rate of their own link"}},
		{"windows", []string{"traffic:", "record: {windows: [host0->*]}\ntraffic:"}, []string{"record.windows: real endpoints do not tell of their windows"}},
		{"groups", []string{"size: 300kB", "size: 300kB, reply: {size: 8B}"}, []string{"each of 2 groups of traffic, replies included, has connections of its own in the simulation"}},
		{"a group's own", []string{"size: 300kB", "size: 300kB, transport: {ack: {every: 2}}"}, []string{"traffic[0].transport.ack.every: 2 in the simulation"}},
	} {
		m, err := emulate.CheckMessages(load(t, change(t, alike, c.parts...)))
		if err != nil || len(m.Notices) != len(c.want) {
			t.Errorf("%s: %v, %+v", c.name, err, m)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(m.Notices[i], want) {
				t.Errorf("%s: %q, want %q", c.name, m.Notices[i], want)
			}
		}
	}
}
