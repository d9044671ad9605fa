package scenario_test

import (
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// TestRefusesPairs checks that what cannot go together is refused where it stands, with
// what is missing and what to write instead.
func TestRefusesPairs(t *testing.T) {
	const top = "weft: 1\ntopology: {kind: fat-tree, tiers: 2, hosts_per_tor: 2, tors: 2}\n"
	const traffic = "traffic:\n- {name: main, pattern: tornado, size: 1MB}\n"
	for _, tt := range []struct{ name, text, want string }{
		{"eqds without trimming", top + "fabric: {overflow: drop}\ntransport: {congestion: eqds}\n" + traffic,
			"x.yaml:4:25: transport.congestion: eqds learns of lost packets from their trimmed headers, but with fabric.overflow: drop switches drop packets whole; write fabric: {overflow: trim}"},
		{"mprdma under eqds", top + "fabric: {overflow: trim}\ntransport: {congestion: eqds, balancer: mprdma}\n" + traffic,
			"x.yaml:4:41: transport.balancer: mprdma needs packets that are clocked out by acknowledgements, but with eqds receivers decide when packets go; choose another balancer"},
		{"mprdma with few acknowledgements", top + "transport: {balancer: mprdma, ack: {every: 4}}\n" + traffic,
			"x.yaml:3:23: transport.balancer: mprdma needs an acknowledgement for every packet, but ack.every is 4; write ack: {every: 1}"},
		{"receivers that differ", top + "fabric: {overflow: trim}\n" + traffic +
			"  transport: {congestion: eqds}\n- {name: b, pattern: tornado, size: 1MB, transport: {congestion: {kind: eqds, rate: 50%}}}\n", "x.yaml:"},
		{"packets that differ under ndp", top + "fabric: {overflow: trim}\ntransport: {congestion: ndp, payload: 1460B}\n" + traffic +
			"- {name: b, pattern: tornado, size: 1MB, transport: {payload: 4096B}}\n",
			"x.yaml:7:63: traffic[1].transport.payload: payload plus header differs from that of traffic[0].transport, but a host has one receiver of kind ndp"},
		{"background receivers that differ", top + "fabric: {overflow: trim}\ntransport: {congestion: eqds}\ntraffic:\n- name: main\n  pattern: tornado\n  size: 1MB\n" +
			"  background: {share: 50%, transport: {congestion: {kind: eqds, pull: 4}}}\n", "receivers grant credit with options other than those of traffic[0].transport"},
		{"mprdma without marks", top + "fabric: {ecn: \"off\"}\ntransport: {congestion: {kind: mprdma, least: 1BDP}}\n" + traffic,
			"x.yaml:4:25: transport.congestion: mprdma learns of congestion from marks, and without them from losses only, but with fabric.ecn: off no port marks congestion; write fabric: {ecn: red}"},
		{"dctcp without marks, and queues at hosts", top + "fabric: {ecn: \"off\", nic: fifo}\ntransport: {congestion: dctcp}\n" + traffic,
			"transport.congestion: dctcp learns of congestion from marks, and without them from losses only, but with fabric.ecn: off no port marks congestion; write fabric: {ecn: {kind: threshold, k: 1.25BDP}}"},
		{"queues at hosts that mark by chance", top + "fabric: {nic: fifo, ecn: red}\ntransport: {congestion: dctcp}\n" + traffic,
			"fabric.nic: a queue at hosts marks at a threshold, when a frame arrives; write fabric: {ecn: threshold}, leave ecn out, or write nic: pull"},
		{"the default without marks", top + "fabric: {ecn: \"off\"}\n" + traffic, "traffic[0].transport.congestion: dctcp learns of congestion from marks"},
		{"dctcp of a group without marks", top + "fabric: {ecn: \"off\", queue: infinite}\ntransport: {congestion: swift}\n" + traffic +
			"- {name: b, pattern: tornado, size: 1MB, transport: {congestion: dctcp}}\n",
			"x.yaml:7:66: traffic[1].transport.congestion: dctcp learns of congestion from marks, and without them from losses only, but with fabric.ecn: off no port marks congestion; write fabric: {ecn: {kind: threshold, k: 1.25BDP}}"},
		{"shares of queues without a limit", top + "fabric: {queue: infinite, ecn: red}\ntransport: {congestion: swift, balancer: ops}\n" + traffic,
			"fabric.ecn: marking begins at a share of the queue's limit, but with queue: infinite there is none"},
		{"eqds over connections in turn", top + "fabric: {overflow: trim}\ntransport: {congestion: eqds, connection: pool, pick: turn}\n" + traffic,
			"x.yaml:4:55: transport.pick: receivers of eqds give credit to each message, but messages that take connections in turn share them; write pick: idle, or connection: pair"},
		{"too many subflows", top + "transport: {balancer: {kind: mptcp, subflows: 17}}\n" + traffic, "x.yaml:3:47: transport.balancer.subflows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(tt.text, "size: 1MB}\n  transport: {congestion: eqds}", "size: 1MB, transport: {congestion: eqds}}", 1)
			_, err := scenario.Parse("x.yaml", []byte(text), weft.Builtin(), nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %q", err, tt.want)
			}
		})
	}
	// The same options in two groups are shared, and other transports beside them.
	text := top + "fabric: {overflow: trim}\ntransport: {congestion: eqds}\n" + traffic +
		"- {name: b, pattern: tornado, size: 1MB}\n- {name: c, pattern: tornado, size: 1MB, transport: {congestion: nscc}}\n"
	res := execute(t, parsed(t, text), scenario.RunOptions{})
	if res.Summary.Unfinished != 0 {
		t.Errorf("%d messages are unfinished", res.Summary.Unfinished)
	}
}

// dumbbell is n senders and as many receivers, with one link between them.
const dumbbell = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 1, rate: 100Gbps, delay: 1us}
transport: {congestion: nscc, balancer: ecmp}
traffic:
- {name: main, pattern: {kind: pairs, pairs: [host0->host4, host1->host5, host2->host6, host3->host7]}, size: 100MB}
until: 8ms
measure: {from: 4ms}
`

// TestNSCCConverges runs four flows through one link: they fill it, with a queue near the
// target delay, without losses, and with equal shares.
func TestNSCCConverges(t *testing.T) {
	oneThread(t)
	for _, queue := range []string{"queue: 1BDP", "queue: 5BDP", "overflow: trim"} {
		t.Run(queue, func(t *testing.T) {
			res := execute(t, parsed(t, "fabric: {"+queue+"}\n"+dumbbell), scenario.RunOptions{})
			ports := map[string]record.Port{}
			for _, p := range res.Ports {
				ports[p.Name] = p
			}
			line := float64((100 * unit.Gbps).In(4 * unit.Millisecond))
			link := ports["tor0->spine0"]
			if float64(link.Bytes) < 0.99*line {
				t.Errorf("the link carried %d B in 4 ms, of %.0f", link.Bytes, line)
			}
			limit := derived(t, res, "queue_limit")
			if share := link.QueueMean / limit; share < 0.02 || share > 0.85 {
				t.Errorf("the queue is %.2f full in the mean", share)
			}
			for _, p := range []string{"tor1->host4", "tor1->host5", "tor1->host6", "tor1->host7"} {
				if share := float64(ports[p].Bytes) / line; share < 0.2 || share > 0.33 {
					t.Errorf("%s carried %.3f of the link's rate, want about a quarter", p, share)
				}
			}
			if n := res.Summary.Drops.Total() + res.Summary.Trims; n > 10 {
				t.Errorf("%d frames were dropped or trimmed in the last 4 ms", n)
			}
		})
	}
}

// derived returns a derived value of the manifest as a number.
func derived(t *testing.T, res *record.Result, name string) float64 {
	t.Helper()
	for _, d := range res.Manifest.Derived {
		if d.Name == name {
			return d.Value
		}
	}
	t.Fatalf("no derived value %q", name)
	panic("unreachable")
}

// TestSendersAreCapped checks that a degraded uplink of a host caps what it sends, evenly,
// and loses nothing (the transmit cap of ARCANE's testbed, 95 Gb/s of 100).
func TestSendersAreCapped(t *testing.T) {
	res := execute(t, parsed(t, `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 1, spines: 1, rate: 100Gbps, delay: 500ns}
transport: {payload: 8192B, congestion: {kind: constant, window: 4BDP}, balancer: ops, ack: {bitmap: true}}
traffic: [{name: main, pattern: tornado, size: 100MB}]
faults: [{kind: degrade, links: "host*->tor*", rate: 95Gbps}]
until: 2ms
measure: {from: 1ms}
record: {ports: ["host0->tor0"], interval: 10us}
`), scenario.RunOptions{})
	line := float64((95 * unit.Gbps).In(unit.Millisecond))
	for _, p := range res.Ports {
		if strings.HasPrefix(p.Name, "host") && (float64(p.SentBytes) < 0.999*line || float64(p.SentBytes) > 1.001*line) {
			t.Errorf("%s sent %d B in 1 ms, want %.0f", p.Name, p.SentBytes, line)
		}
	}
	bucket := (95 * unit.Gbps).In(10 * unit.Microsecond)
	for _, v := range res.Series {
		if v.Kind == record.Transmitted && v.Time >= unit.Millisecond && v.Time < 1900*unit.Microsecond &&
			(v.Value < int64(bucket)-8320 || v.Value > int64(bucket)+8320) {
			t.Errorf("at %v it sent %d B in 10 us, want %d", v.Time, v.Value, bucket)
		}
	}
	if res.Summary.Drops.Total() != 0 || res.Summary.Timeouts != 0 {
		t.Errorf("drops %+v, %d timeouts", res.Summary.Drops, res.Summary.Timeouts)
	}
}
