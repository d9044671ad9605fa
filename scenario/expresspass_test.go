package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/record"
	"weft/record/section/credits"
	"weft/scenario"
	"weft/unit"
)

// xpassTop is hostedTop with the sizes and ports of ExpressPass.
const xpassTop = hostedTop + "fabric: {classes: 2, queue: infinite, ecn: \"off\", credits: {}}\n"

const xpassTransport = "transport: {payload: 1460B, header: 78B, ack: {size: 84B}, congestion: {kind: expresspass, preset: %s}, balancer: ecmp}\n"

// TestExpressPassRefusals checks that fabrics which lack what ExpressPass needs are refused
// with the line to write.
func TestExpressPassRefusals(t *testing.T) {
	const traffic = "traffic:\n- {name: main, pattern: tornado, size: 1MB}\n"
	const transport = "transport: {payload: 1460B, header: 78B, ack: {size: 84B}, congestion: expresspass, balancer: ecmp}\n"
	for _, tt := range []struct{ name, text, want string }{
		{"no credits", hostedTop + "fabric: {classes: 2, credits: null}\n" + transport + traffic,
			"expresspass needs ports that limit credits, in a class of their own, but fabric.credits is absent; write fabric: {classes: 2, credits: {}}"},
		{"no credits for frames of 4160 B", hostedTop + "fabric: {credits: null}\n" + strings.Replace(transport, "payload: 1460B, header: 78B, ", "", 1) + traffic, "write fabric: {classes: 2, credits: {data: 4160B}}"},
		{"credits for smaller frames", xpassTop + strings.Replace(transport, "payload: 1460B, header: 78B, ", "", 1) + traffic, "write fabric: {classes: 2, credits: {data: 4160B}}"},
		{"one class", hostedTop + "fabric: {classes: 1, credits: {}}\n" + transport + traffic, "but with fabric.classes: 1 data has no other class; write classes: 2"},
		{"trimming", hostedTop + "fabric: {classes: 2, overflow: trim, credits: {}}\n" + transport + traffic, "with overflow: trim headers join it"},
		{"queue at hosts", hostedTop + "fabric: {classes: 2, nic: fifo, ecn: \"off\", credits: {}}\n" + transport + traffic, "write nic: pull"},
		{"spraying", xpassTop + strings.Replace(transport, "ecmp", "ops", 1) + traffic, "expresspass needs data to retrace the path of the packet that it answers, but ops does not keep each flow to one path; write balancer: ecmp, which does"},
		{"data too large", xpassTop + strings.Replace(transport, "1460B", "4096B", 1) + traffic, "write fabric: {classes: 2, credits: {data: 4174B}}"},
		{"queue too small", strings.Replace(xpassTop, "credits: {}", "credits: {queue: 84B}", 1) + transport + traffic, "credits of up to 92B do not fit"},
		{"others in the class", xpassTop + transport + traffic + "- {name: b, pattern: tornado, size: 1MB, transport: {congestion: dctcp}}\n", "class 0 is for credits alone"},
		{"w", xpassTop + strings.Replace(transport, "congestion: expresspass", "congestion: {kind: expresspass, w_min: 20%}", 1) + traffic, "write w_min, w_init and w_max that rise"},
		{"retry_max", xpassTop + strings.Replace(transport, "congestion: expresspass", "congestion: {kind: expresspass, retry: 200us, retry_max: 100us}", 1) + traffic, "write a retry_max that is not below retry"},
		{"reply_size", xpassTop + strings.Replace(transport, "congestion: expresspass", "congestion: {kind: expresspass, reply: true, reply_size: 2kB}", 1) + traffic, "does not fit a packet, which takes 1460B; make reply_size smaller"},
		{"a ring of routers", "weft: 1\ntopology: {kind: graph, rate: 100Gbps, delay: 1us, nodes: [{name: \"host0..host5\"}, {name: \"tor0..tor5\"}], links: [" +
			"{a: host0, b: tor0}, {a: host1, b: tor1}, {a: host2, b: tor2}, {a: host3, b: tor3}, {a: host4, b: tor4}, {a: host5, b: tor5}, " +
			"{a: tor0, b: tor1}, {a: tor1, b: tor2}, {a: tor2, b: tor3}, {a: tor3, b: tor4}, {a: tor4, b: tor5}, {a: tor5, b: tor0}]}\n" +
			strings.TrimPrefix(xpassTop, hostedTop) + transport + traffic, "do not come back over the same links"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := verified("x.yaml", tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %q", err, tt.want)
			}
		})
	}
}

// TestExpressPassRuns runs ExpressPass, alone and beside another transport, over good and
// bad links, with every frame and credit accounted for, and demands the same result for any
// cut and number of threads.
func TestExpressPassRuns(t *testing.T) {
	t.Parallel()
	presets := []string{"paper", "sird"}
	if testing.Short() {
		presets = presets[:1]
	}
	for _, preset := range presets {
		for _, fault := range []string{"", "faults: [{kind: loss, links: tor0->spine0, probability: 2%, at: 0s}]\n"} {
			text := xpassTop + fmt.Sprintf(xpassTransport, preset) + `traffic:
- {name: main, pattern: alltoall, size: 700kB}
- {name: small, pattern: tornado, size: 3kB, arrival: {kind: poisson, load: 5%, count: 20}}
- {name: incast, pattern: {kind: pairs, pairs: [host1->host0, host2->host0, host5->host0, host6->host0]}, size: 300kB}
- {name: other, pattern: tornado, size: 200kB, transport: {congestion: swift, class: 1}}
` + fault
			want := ""
			for _, cut := range [][2]int{{1, 1}, {2, 2}} {
				res := execute(t, parsed(t, text), scenario.RunOptions{Check: cut[0] == 1, Domains: cut[0], Threads: cut[1]})
				s := &res.Summary
				if s.Ended != record.Drained || s.Unfinished != 0 || s.Messages == 0 {
					t.Fatalf("%s, %q: %d of %d messages unfinished, ended %s: %s", preset, fault, s.Unfinished, s.Messages, s.Ended, s.Cause)
				}
				c := credits.PacketsOf(s.Sections)
				if c == nil || c.Used == 0 || c.Refused+s.Drops.CreditQueueFull == 0 {
					t.Fatalf("%s, %q: credits %+v, and ports dropped %d; the incast was to have some dropped", preset, fault, c, s.Drops.CreditQueueFull)
				}
				if c.Issued != c.Refused+c.Sent || c.Received != c.Used+c.Wasted {
					t.Errorf("%s, %q: credits %+v do not add up", preset, fault, c)
				}
				for _, m := range s.Metrics() {
					switch {
					case m.Name == "drops" && m.Value != float64(s.Drops.QueueFull+s.Drops.Loss),
						m.Name == "credits_dropped" && m.Value != float64(s.Drops.CreditQueueFull):
						t.Errorf("%s, %q: the metric %s is %v of %+v", preset, fault, m.Name, m.Value, s.Drops)
					}
				}
				switch lost := c.Sent - c.Received - s.Drops.CreditQueueFull; {
				case fault == "" && lost != 0 || lost < 0 || lost > s.Drops.Loss:
					t.Errorf("%s, %q: %d credits sent, %d received and %d dropped", preset, fault, c.Sent, c.Received, s.Drops.CreditQueueFull)
				case fault != "" && s.Retransmits == 0:
					t.Errorf("%s: nothing was sent again over a link that loses frames", preset)
				}
				if want == "" {
					want = s.ResultHash
				} else if s.ResultHash != want {
					t.Errorf("%s, %q: %d domains give another result", preset, fault, cut[0])
				}
			}
		}
	}
}

// TestExpressPassQueue lets many hosts send to one at once. Data comes at the pace at which
// the receiver's NIC let its credits go, but for the credits that met others on their way
// and for paths that differ: so its queue is as short as that, whatever the number of
// senders (ExpressPass, §3.1), and the link is full all the same.
func TestExpressPassQueue(t *testing.T) {
	oneThread(t)
	const text = `weft: 1
topology: %s
fabric: {classes: 2, queue: infinite, ecn: "off", credits: {}}
transport: {payload: 1460B, header: 78B, ack: {size: 84B}, congestion: {kind: expresspass, preset: sird}, balancer: ecmp}
traffic:
- {name: main, pattern: incast, size: 1MB}
`
	const rate = 100 * unit.Gbps
	for _, tt := range []struct {
		name, topology string
		most           unit.Bytes
	}{
		// A burst of two credits, and one packet that is served.
		{"equal paths", "{kind: star, hosts: 32, rate: 100Gbps, delay: 1us, switch_latency: 0ns}", 4 * 1538},
		// Two links and two switches more each way, and a full queue of credits at each of three ports.
		{"unequal paths", "{kind: leaf-spine, tors: 4, hosts_per_tor: 8, spines: 4, rate: 100Gbps, delay: 1us, switch_latency: 0ns}",
			rate.In(4*unit.Microsecond+2*rate.Transmit(1538+92)) + 3*8*1538 + 4*1538},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := execute(t, parsed(t, fmt.Sprintf(text, tt.topology)), scenario.RunOptions{Check: true})
			deepest := unit.Bytes(0)
			for i := range res.Ports {
				if p := &res.Ports[i]; !strings.HasPrefix(p.From, "host") {
					deepest = max(deepest, p.QueueMax)
				}
			}
			if deepest > tt.most || deepest < 1538 {
				t.Errorf("a port held %v; at most it is %v", deepest, tt.most)
			}
			// What credits leave of the link to data.
			full := rate.Transmit(31 * 1_000_000 * 1622 / 1460)
			if s := &res.Summary; s.Unfinished > 0 || s.Drops.QueueFull > 0 || s.Runtime < full || s.Runtime > full*110/100 {
				t.Errorf("%d unfinished, %d drops, %v, where %v is the least", s.Unfinished, s.Drops.QueueFull, s.Runtime, full)
			}
			t.Logf("deepest queue %v of %v", deepest, tt.most)
		})
	}
}
