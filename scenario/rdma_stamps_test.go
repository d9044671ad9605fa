package scenario_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"weft/record"
	"weft/record/section/pauses"
	"weft/unit"
)

// TestCountOfFlows has n hosts send to one, from one instant on, over FNCC. Once all first packets are there, each
// acknowledgement says N = n. As messages end, N falls to 1. Another receiver's flow does not count.
func TestCountOfFlows(t *testing.T) {
	for _, n := range []int{1, 2, 5, 16} {
		_, notes := watching(t, fmt.Sprintf(`weft: 1
topology: {kind: star, hosts: 19, rate: 100Gbps, delay: 1us, switch_latency: 0s}
fabric: {pfc: 500KB, ecn: "off"}
transport: {payload: 1000B, header: 48B, balancer: ecmp, congestion: fncc-0}
traffic:
- {name: incast, pattern: {kind: incast, receiver: host0, senders: %d}, size: 500kB, transport: {congestion: fncc-0}}
- {name: other, pattern: {kind: pairs, pairs: [host18->host17]}, size: 500kB, transport: {congestion: fncc-1}}
`, n))
		frame := rdmaLine.Transmit(1048)
		last := uint64(0)
		for i, r := range notes[0] {
			switch {
			case r.answer > uint64(n) || r.answer < 1:
				t.Fatalf("%d flows: an acknowledgement says %d", n, r.answer)
			case i < n && r.answer != uint64(i+1): // the packets come one by one
				t.Errorf("%d flows: acknowledgement %d says %d", n, i, r.answer)
			case r.at > 8*unit.Microsecond+unit.Time(n)*frame && r.at < 30*unit.Microsecond && r.answer != uint64(n):
				t.Errorf("%d flows: at %v an acknowledgement says %d", n, r.at, r.answer)
			}
			last = r.answer
		}
		if last != 1 { // the last packet of the last message ends it before it is answered
			t.Errorf("%d flows: the last acknowledgement says %d", n, last)
		}
		for _, r := range notes[1] {
			if r.answer != 1 {
				t.Errorf("the other receiver's acknowledgement says %d", r.answer)
			}
		}
	}
}

// TestLastHopSetsRate has two hosts send to one over one switch, from one instant on, over FNCC. Their first packets
// are queued at line rate, so that u grows: by the time it is above alpha = 1.05 the queue has a twentieth of C·T. The
// acknowledgement that finds it sets Wc = 0.9·C·T/2, and then W = Wc/(U/eta) + WAI, with U at least 1: at most 0.4275 of
// C, at once. With lhcs_apply: direct W is 0.45 of C. Without LHCS, U grows by a frame's share of a round trip with each
// acknowledgement, and W falls as slowly.
func TestLastHopSetsRate(t *testing.T) {
	const additive = 80. / 162_500
	for _, apply := range []string{"scaled", "direct", ""} {
		lhcs := apply != ""
		_, notes := watching(t, fmt.Sprintf(`weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1.5us, switch_latency: 0s}
fabric: {pfc: 500KB, ecn: "off"}
transport: {payload: 1456B, header: 62B, ack: {size: 66B}, balancer: ecmp, congestion: {kind: fncc-0, lhcs: %v, lhcs_apply: %s}}
traffic: [{name: main, pattern: {kind: pairs, pairs: [host0->host2, host1->host2]}, size: 3MB}]
`, lhcs, cmp.Or(apply, "scaled")))
		least := 1.0
		for i, r := range notes[0] {
			share := float64(r.rate) / float64(rdmaLine)
			least = min(least, share)
			if apply == "direct" && i == 6 && share != 0.45 {
				t.Errorf("acknowledgement %d leaves %.4f of the line rate, want 0.45", i, share)
			}
			if apply == "scaled" && i == 6 && (share > 0.45*0.95+additive || share < 0.45*0.95/1.3) {
				t.Errorf("acknowledgement %d leaves %.4f of the line rate, %d flows", i, share, r.answer)
			}
			if i == 6 {
				break
			}
		}
		if !lhcs && least < 0.85 {
			t.Errorf("without LHCS the rate falls to %.4f of the line rate with the first acknowledgements", least)
		}
	}
}

// TestStampsOfTimedAnswers has four hosts send to one over HPCC without windows, with one acknowledgement for 16 or 64 packets.
// At its share a flow sends fewer in a round trip, so that timers prompt the answers. They have the stamps of the packet
// that came last: flows use the link as with one for each packet, but for what HPCC leaves of it, and pause nobody.
func TestStampsOfTimedAnswers(t *testing.T) {
	const text = `weft: 1
topology: {kind: star, hosts: 5, rate: 100Gbps, delay: 1us, switch_latency: 0s}
fabric: {pfc: 500KB, ecn: "off"}
transport: {payload: 1456B, header: 62B, ack: {size: 66B, every: %d}, rto: 10ms, balancer: ecmp, congestion: {kind: hpcc, window: false}}
traffic: [{name: main, pattern: {kind: incast, receiver: host4}, size: 4MB}]
`
	line := rdmaLine.Transmit(16_000_000 * 1560 / 1456)
	for _, every := range []int{1, 16, 64} {
		res := simulate(t, fmt.Sprintf(text, every))
		drained(t, res)
		if took := res.Summary.Runtime; float64(took) > 1.2*float64(line) {
			t.Errorf("with an acknowledgement for %d packets it takes %v; the link alone takes %v", every, took, line)
		}
		if n := pauses.Of(res.Summary.Sections).Frames; n > 0 {
			t.Errorf("with an acknowledgement for %d packets there are %d pauses", every, n)
		}
	}
}

// TestStampedQueue has two hosts send at line rate into one port. HPCC's stamps show what the port does, exactly:
// a flow's frame is every other of the port, so that two leave from one to the next, in the time of two. Four came
// in that time, and the queue grew by two.
func TestStampedQueue(t *testing.T) {
	_, notes := watching(t, `weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1.5us, switch_latency: 0s}
fabric: {pfc: 500KB, ecn: "off"}
transport: {payload: 1456B, header: 62B, ack: {size: 66B}, balancer: ecmp}
traffic:
- {name: a, pattern: {kind: pairs, pairs: [host0->host2]}, size: 3MB, transport: {congestion: hpcc-0}}
- {name: b, pattern: {kind: pairs, pairs: [host1->host2]}, size: 3MB, transport: {congestion: hpcc-1}}
`)
	frame := rdmaFrame + 42
	took := rdmaLine.Transmit(frame)
	for i := 1; i < 20; i++ {
		if len(notes[0][i].stamps) != 1 {
			t.Fatalf("%d switches stamped", len(notes[0][i].stamps))
		}
		now, was := notes[0][i].stamps[0], notes[0][i-1].stamps[0]
		if now.At-was.At != 2*took || now.Sent-was.Sent != 2*frame || now.Rate != rdmaLine || now.Queue-was.Queue != 2*frame {
			t.Errorf("frame %d: in %v the port sends %v, and its queue grows by %v", i, now.At-was.At, now.Sent-was.Sent, now.Queue-was.Queue)
		}
	}
}

// TestAcksGrow has FNCC's acknowledgements cross one to four switches: of 66 B and 4 B for N at the receiver, they
// are 8 B longer behind each. With HPCC they have 42 B from the receiver on.
func TestAcksGrow(t *testing.T) {
	for switches := 1; switches <= 4; switches++ {
		for _, control := range []string{"fncc-0", "hpcc-0"} {
			const packets = 300
			res, notes := rdmaAlone(t, control, switches, packets)
			drained(t, res)
			names := []string{fmt.Sprintf("host1->switch%d", switches-1)}
			for k := switches - 1; k > 0; k-- {
				names = append(names, fmt.Sprintf("switch%d->switch%d", k, k-1))
			}
			for k, name := range append(names, "switch0->host0") {
				want := int64(66 + 4 + 8*k)
				if control == "hpcc-0" {
					want = 66 + 42
				}
				if p := port(t, res, name); p.SentFrames != packets || p.SentBytes != packets*want {
					t.Errorf("%s: %s sends %d acknowledgements with %d B, want %d B each", control, name, p.SentFrames, p.SentBytes, want)
				}
			}
			for _, r := range notes[0] {
				if len(r.stamps) != switches {
					t.Fatalf("%s: %d stamps over %d switches", control, len(r.stamps), switches)
				}
				for i := 1; i < switches; i++ { // in the order of the data's path
					if first, next := r.stamps[i-1].At, r.stamps[i].At; (first < next) != (control == "hpcc-0") {
						t.Fatalf("%s: switch %d stamps at %v, and switch %d at %v", control, i, first, i+1, next)
					}
				}
			}
		}
	}
}

// TestAcksRetrace has hosts send to each other over FNCC. Every acknowledgement crosses the links of its
// packet, the other way, by canonical hashes or in spanning trees. So each link carries as many frames one way as the other.
func TestAcksRetrace(t *testing.T) {
	t.Parallel()
	oneThread(t)
	const trees = "routing: {policy: {kind: layers, scheme: past, layers: 12}, lanes: none}\n"
	for _, c := range []struct{ topology, routing string }{
		{"{kind: fat-tree, tiers: 3, radix: 4, rate: 100Gbps}", ""},
		{"{kind: leaf-spine, tors: 4, hosts_per_tor: 3, spines: 4, rate: 100Gbps}", ""},
		{"{kind: leaf-spine, tors: 4, hosts_per_tor: 3, spines: 2, links_per_spine: 2, rate: 100Gbps}", trees},
		{"{kind: slim-fly, order: 5, hosts_per_switch: 1, rate: 100Gbps}", trees},
	} {
		text := fmt.Sprintf(`weft: 1
topology: %s
%sfabric: {pfc: 500KB}
transport: {congestion: fncc, balancer: ecmp}
traffic: [{name: main, pattern: uniform, size: 300kB, arrival: {kind: once, count: 8}, jitter: 100us}]
`, c.topology, c.routing)
		res := simulate(t, text)
		drained(t, res)
		frames, used := map[string]record.Port{}, 0
		for _, p := range res.Ports {
			frames[p.Name] = p
		}
		for _, p := range res.Ports {
			from, to, _ := strings.Cut(p.Name, "->")
			to, cable, _ := strings.Cut(to, "#")
			name := to + "->" + from
			if cable != "" {
				name += "#" + cable
			}
			if back, ok := frames[name]; !ok || back.SentFrames != p.SentFrames {
				t.Errorf("%s carries %d frames, and %s %d", p.Name, p.SentFrames, name, back.SentFrames)
			}
			if p.SentFrames > 0 {
				used++
			}
		}
		if used < len(res.Ports)/2 {
			t.Errorf("%s: only %d of %d ports are used", c.topology, used, len(res.Ports))
		}
		if c.routing == "" {
			continue
		}
		if _, err := load(t, text, "routing.policy={kind: layers, scheme: sample}").Build(); err == nil || !strings.Contains(err.Error(), "do not come back over the same links") {
			t.Errorf("%s with layers whose next hops switches draw: %v", c.topology, err)
		}
	}
}
