package scenario_test

import (
	"context"
	"fmt"
	"testing"

	"weft"
	"weft/scenario"
)

// hostsIncast sends 200 MB to one host of a fabric of 1024, for BenchmarkHosts.
const hostsIncast = `
weft: 1
topology: {kind: leaf-spine, tors: 16, hosts_per_tor: 64, spines: 16, rate: 100Gbps, delay: 500ns}
fabric: {%s}
transport: {payload: 1460B, header: 78B, ack: {size: 84B}, congestion: %s, balancer: %s}
traffic:
- {name: main, pattern: {kind: incast, receiver: host0, senders: %d}, size: %dB, arrival: {kind: once, count: %d}}
record: {snapshots: 0}
`

// BenchmarkHosts runs what transports of hosts and those of credit have to choose from: messages
// that all wait for the same receiver, one from each of so many senders, or ten. It reports
// the processor time of the event loop over the packets with payload that arrived. The
// fabric's part of it is about the same for all, so that what grows with the messages is what the
// transport looks through for each packet:
//
//	go test ./scenario -run '^$' -bench 'Hosts/sird' -benchtime 1x
func BenchmarkHosts(b *testing.B) {
	const classes, trims, credits = "queue: infinite, classes: 8, ecn: {kind: threshold, k: 125kB}", "overflow: trim", `queue: infinite, classes: 2, ecn: "off", credits: {}`
	for _, k := range []struct{ name, fabric, congestion, balancer string }{
		{"sird", classes, "sird", "ops"},
		{"sird-nsdi25", classes, "{kind: sird, preset: nsdi25}", "ops"},
		{"homa", classes, "homa", "ops"},
		{"dcpim", classes, "dcpim", "ops"},
		{"phost", classes, "phost", "ops"},
		{"expresspass", credits, "expresspass", "ecmp"},
		{"eqds", trims, "eqds", "ops"},
		{"ndp", trims, "ndp", "ops"},
	} {
		for _, w := range []struct{ senders, each int }{{1, 1}, {100, 1}, {1000, 1}, {100, 10}} {
			name := fmt.Sprint(k.name, "/waiting=", w.senders)
			if w.each > 1 {
				name += fmt.Sprint("x", w.each)
			}
			text := fmt.Sprintf(hostsIncast, k.fabric, k.congestion, k.balancer, w.senders, 200_000_000/w.senders/w.each, w.each)
			b.Run(name, func(b *testing.B) {
				var packets, ns float64
				for b.Loop() {
					f, err := scenario.Parse(name, []byte(text), weft.Builtin(), nil)
					if err != nil {
						b.Fatal(err)
					}
					r, err := scenario.Run(context.Background(), f.Variants[0], scenario.RunOptions{})
					if err != nil {
						b.Fatal(err)
					}
					packets += float64(r.Summary.PacketsDelivered)
					ns += float64(r.Summary.EngineCPU.Nanoseconds())
				}
				b.ReportMetric(ns/packets, "ns/packet")
			})
		}
	}
}
