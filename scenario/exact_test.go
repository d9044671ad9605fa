package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/scenario"
	"weft/transport"
	"weft/unit"
)

// load reads the only scenario of a file with everything that weft offers. Hosts are exact unless the
// file says how inexact they are, so that closed forms hold.
func load(t testing.TB, text string, sets ...string) *scenario.Scenario {
	t.Helper()
	sets = exactly(text, sets)
	f, err := scenario.Parse("testdata/scenario.yaml", []byte(text), weft.Builtin(), sets)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(sets) == 0 {
		schemaAgrees(t, schemas.builtin(t), text, f, nil)
	}
	return f.Variants[0]
}

// exactly makes hosts exact where neither a file nor what is set says how inexact they are.
func exactly(text string, sets []string) []string {
	if strings.Contains(text, hostJitter) || strings.Contains(strings.Join(sets, " "), hostJitter) {
		return sets
	}
	return append([]string{"fabric." + hostJitter + "=none"}, sets...)
}

const hostJitter = "host_jitter"

// simulate runs the only scenario of a file.
func simulate(t testing.TB, text string, sets ...string) *record.Result {
	t.Helper()
	res, err := scenario.Run(t.Context(), load(t, text, sets...), scenario.RunOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return res
}

// drained fails the test unless all messages of a run were acknowledged.
func drained(t testing.TB, res *record.Result) {
	t.Helper()
	s := &res.Summary
	if s.Ended != record.Drained || s.Unfinished != 0 || s.Messages == 0 {
		t.Fatalf("the run ended as %s (%s) with %d of %d messages unfinished", s.Ended, s.Cause, s.Unfinished, s.Messages)
	}
}

// port returns the row of a port.
func port(t testing.TB, res *record.Result, name string) *record.Port {
	t.Helper()
	for i := range res.Ports {
		if res.Ports[i].Name == name {
			return &res.Ports[i]
		}
	}
	t.Fatalf("there is no port %s", name)
	return nil
}

// lone is a message alone in a network: a window and queues so large that
// nothing but the wires holds it up, and a timeout that never comes.
const lone = `weft: 1
topology: %s
fabric: {queue: 64MiB, ecn: "off"}
transport: {rto: 1s, payload: %dB, header: %dB, congestion: {kind: constant, window: 64MiB}, balancer: %s}
traffic: [{name: lone, pattern: {kind: pairs, pairs: [%s]}, size: %dB, start: 7ns}]
`

// mixed is a graph whose links differ in rate and delay, with one shortest path
// from host0 to host1 and another one to host2.
const mixed = `{kind: graph, switch_latency: 130ns,
  nodes: [{name: host0..host3}, {name: a}, {name: b, latency: 40ns}, {name: c, latency: 0s}],
  links: [{a: host0, b: a, rate: 40Gbps, delay: 10ns}, {a: host1, b: c, rate: 25Gbps, delay: 333ns},
    {a: host2, b: c, rate: 300Gbps, delay: 0s}, {a: host3, b: a, rate: 100Gbps, delay: 7777ps},
    {a: a, b: b, rate: 30Gbps, delay: 2us}, {a: b, b: c, rate: 7Gbps, delay: 123456ps}]}`

// TestLoneMessage compares the completion of a message alone in the network with
// the closed form of its path, to the picosecond.
func TestLoneMessage(t *testing.T) {
	t.Parallel()
	oneThread(t)
	for _, topology := range []struct {
		name, text, pair string
		// paths tells that there are several paths between the hosts.
		paths bool
	}{
		{"star", "{kind: star, hosts: 3, rate: 100Gbps}", "host2->host0", false},
		{"dumbbell", "{kind: dumbbell, left: 2, right: 2, rate: 100Gbps, bottleneck_rate: 33Gbps, bottleneck_delay: 9us}", "host1->host2", false},
		{"leaf-spine", "{kind: leaf-spine, tors: 3, hosts_per_tor: 2, spines: 4, rate: 200Gbps, delay: 1us}", "host0->host5", true},
		{"leaf-spine with slow uplinks", "{kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 1, rate: 200Gbps, uplink_rate: 90Gbps}", "host3->host0", false},
		{"within a ToR", "{kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, switch_latency: 0s}", "host0->host1", false},
		{"two tiers", "{kind: fat-tree, radix: 4, rate: 400Gbps}", "host0->host7", true},
		{"three tiers", "{kind: fat-tree, tiers: 3, radix: 4, rate: 100Gbps, switch_latency: 300ns}", "host0->host15", true},
		{"three tiers with fast uplinks", "{kind: fat-tree, tiers: 3, hosts_per_tor: 2, tors_per_pod: 2, uplinks_per_tor: 2, pods: 2, rate: 50Gbps, uplink_rate: 400Gbps}", "host7->host0", true},
		{"mixed", mixed, "host0->host1", false},
		{"mixed from slow to fast", mixed, "host1->host3", false},
		{"mixed in one switch", mixed, "host2->host1", false},
		{"back to back", "{kind: graph, nodes: [{name: host0..host1}], links: [{a: host0, b: host1, rate: 10Gbps, delay: 0s}]}", "host1->host0", false},
	} {
		t.Run(topology.name, func(t *testing.T) {
			for _, packet := range []struct{ payload, header int }{{4096, 64}, {1000, 0}, {61, 78}} {
				whole := packet.payload
				for _, size := range []int{1, whole - 1, whole, whole + 1, 7*whole + 3, 16 * whole, 257 * whole, 3<<20 + 5} {
					if size > 1000*whole {
						continue // enough of it
					}
					for _, balancer := range []string{"ecmp", "ops", "arcane"} {
						text := fmt.Sprintf(lone, topology.text, packet.payload, packet.header, balancer, topology.pair, size)
						res := simulate(t, text)
						drained(t, res)
						f := &res.Flows[0]
						if f.Start != 7*unit.Nanosecond {
							t.Errorf("the message started at %v", f.Start)
						}
						// A short last packet that takes another path than the one
						// before it overtakes it, and the closed form is for one path.
						overtakes := topology.paths && balancer != "ecmp" && size > whole && size%whole != 0
						if got := f.FCT(); got > f.Ideal || got < f.Ideal && !overtakes {
							t.Errorf("%d B in packets of %d + %d B by %s took %d ps, alone it takes %d ps", size, packet.payload, packet.header, balancer, got, f.Ideal)
						}
					}
				}
			}
		})
	}
}

// TestLoneMessageByHand follows three packets through two switches by hand.
//
// Host links of 100 Gb/s take 80 ps a byte, the link between the switches of
// 50 Gb/s takes 160; every link is 1 µs long and a switch takes 300 ns. 10 000 B
// make packets of 4160, 4160 and 1872 B with headers, whose last bytes leave
//
//	the host      at 332.80, 665.60 and 815.36 ns,
//	the first switch, where they are ready 1300 ns later,
//	              at 1632.80 + 665.60 = 2298.40, then back to back at
//	              2298.40 + 665.60 = 2964.00 and 2964.00 + 299.52 = 3263.52 ns,
//	the second    at 2298.40 + 1300 + 332.80 = 3931.20,
//	              2964.00 + 1300 + 332.80 = 4596.80,
//	              and, as the last is ready at 4563.52, before that,
//	              at 4596.80 + 149.76 = 4746.56 ns,
//
// and the last byte arrives 1 µs after that. Its acknowledgement of 64 B goes
// back at 5.12, 10.24 and 5.12 ns a link: it is ready at the first host
// 3·1000 + 2·300 + 20.48 ns later, if no other is in its way: those of the first
// two packets left long before.
func TestLoneMessageByHand(t *testing.T) {
	res := simulate(t, `weft: 1
topology: {kind: dumbbell, rate: 100Gbps, bottleneck_rate: 50Gbps, delay: 1us, switch_latency: 300ns}
transport: {payload: 4096B, header: 64B, ack: {size: 64B}, congestion: {kind: constant, window: 1MiB}, balancer: ecmp}
fabric: {queue: 1MiB, ecn: "off"}
traffic: [{name: lone, pattern: {kind: pairs, pairs: [host0->host1]}, size: 10000B}]
`)
	drained(t, res)
	f := &res.Flows[0]
	if want := 5_746_560 * unit.Picosecond; f.FCT() != want {
		t.Errorf("the message took %d ps, by hand %d ps", f.FCT(), want)
	}
	if want := (5_746_560 + 3_620_480) * unit.Picosecond; f.SenderEnd != want {
		t.Errorf("its sender knew at %d ps, by hand at %d ps", f.SenderEnd, want)
	}
	if f.Packets != 3 || f.Retransmits != 0 {
		t.Errorf("%d packets, %d retransmissions", f.Packets, f.Retransmits)
	}
	// What waits between the switches: 4160 B from 1632.8 to 2298.4 ns, 4160 B
	// from 1965.6 to 2964 ns, and 1872 B from 2115.36 to 3263.52 ns.
	p := port(t, res, "left->right")
	if p.Frames != 3 || p.Bytes != 10_192 || p.SentBytes != 10_192 || p.QueueMax != 10_192 {
		t.Errorf("the bottleneck accepted %d frames of %d B, sent %d B and queued up to %v", p.Frames, p.Bytes, p.SentBytes, p.QueueMax)
	}
}

// TestLoneMessageByItsHops ties the ideal in results to the links that the
// message crosses, listed by hand.
func TestLoneMessageByItsHops(t *testing.T) {
	res := simulate(t, fmt.Sprintf(lone, mixed, 4096, 64, "ecmp", "host0->host1", 50_000))
	drained(t, res)
	want := transport.Ideal([]transport.Hop{
		{Rate: 40 * unit.Gbps, Delay: 140 * unit.Nanosecond},
		{Rate: 30 * unit.Gbps, Delay: 2040 * unit.Nanosecond},
		{Rate: 7 * unit.Gbps, Delay: 123456 * unit.Picosecond},
		{Rate: 25 * unit.Gbps, Delay: 333 * unit.Nanosecond},
	}, 50_000, 4096, 64)
	if f := &res.Flows[0]; f.Ideal != want || f.FCT() != want {
		t.Errorf("ideal %d, FCT %d, by its hops %d", f.Ideal, f.FCT(), want)
	}
}

// TestBareIdealOfSprayedMessage has a host at 400 Gb/s behind four uplinks at 100 Gb/s:
// 4 MiB take 83.88608 µs over all of them, after 4·500 + 3·500 ns of links and switches.
func TestBareIdealOfSprayedMessage(t *testing.T) {
	res := simulate(t, `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 1, spines: 4, rate: 400Gbps, uplink_rate: 100Gbps}
transport: {balancer: {kind: ops, at: switch}}
traffic: [{name: a, pattern: {kind: pairs, pairs: [host0->host1]}, size: 4MiB}]
`)
	drained(t, res)
	f := &res.Flows[0]
	if want := 87_386_080 * unit.Picosecond; f.IdealBare != want {
		t.Errorf("the bare ideal is %d ps, by hand %d ps", f.IdealBare, want)
	}
	if f.Slowdown() > 0.5 || f.SlowdownBare() < 1 {
		t.Errorf("slowdowns are %.3f on one path and %.3f bare; spraying beats one path and not the bound", f.Slowdown(), f.SlowdownBare())
	}
}

// TestSprayedMessageBelowItsIdeal has links of one rate and a message alone that is sprayed: a short last packet
// overtakes the full ones before it on another path, and then does not take its time on the receiver's link after them.
// That is all that spraying can save, as docs/results.md has it.
func TestSprayedMessageBelowItsIdeal(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 1, spines: 4, rate: 100Gbps, delay: 100ns, switch_latency: 0s}
transport: {balancer: %s, congestion: {kind: constant, window: 10BDP}, payload: 4096B, header: 64B}
fabric: {queue: infinite, ecn: "off"}
traffic: [{name: main, pattern: {kind: pairs, pairs: [host0->host1]}, size: %dB}]
`
	for _, balancer := range []string{"adaptive-roce", "ops", "{kind: ops, at: switch}", "round-robin", "ecmp"} {
		for _, size := range []int{1, 904, 4096, 5000, 9000, 40_000, 41_861} {
			res := simulate(t, fmt.Sprintf(text, balancer, size))
			drained(t, res)
			f := &res.Flows[0]
			last := unit.Bytes(size%4096) + 64
			if size%4096 == 0 {
				last = 4096 + 64
			}
			saved := (100 * unit.Gbps).Transmit(last)
			if f.FCT() < f.Ideal-saved || balancer == "ecmp" && f.FCT() < f.Ideal {
				t.Errorf("%s, %d B: the message took %v, its ideal is %v and its last packet %v", balancer, size, f.FCT(), f.Ideal, saved)
			}
			if f.SlowdownBare() < 1 {
				t.Errorf("%s, %d B: the bare slowdown is %v", balancer, size, f.SlowdownBare())
			}
			if balancer == "adaptive-roce" && size == 5000 && f.FCT() != f.Ideal-saved {
				t.Errorf("5000 B took %v, want all of %v below the ideal of %v", f.FCT(), saved, f.Ideal)
			}
		}
	}
}
