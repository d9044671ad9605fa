package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// TestTimeoutOnSlowPaths sends over paths on which round trips are far longer than a fabric
// at full rate has: only what was dropped is sent again.
func TestTimeoutOnSlowPaths(t *testing.T) {
	t.Parallel()
	oneThread(t)
	const (
		pair     = "traffic: [{name: a, pattern: {kind: pairs, pairs: [\"host0->host1\"]}, size: 2MB}]\n"
		slowLink = `weft: 1
topology:
  kind: graph
  nodes: [{name: host0..host1}, {name: s0}]
  links:
    - {a: host0, b: s0, rate: 100Gbps, delay: 500ns}
    - {a: host1, b: s0, rate: 1Gbps, delay: 500ns}
fabric: {queue: 450KB}
` + pair
		degraded = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 1, spines: 2, rate: 100Gbps}\n" + pair +
			"faults: [{kind: degrade, links: \"tor1->host1\", rate: 1Gbps}]\n"
		queued = `weft: 1
topology: {kind: star, hosts: 17, rate: 100Gbps, delay: 515ns, switch_latency: 0s}
fabric: {queue: 4BDP, nic: fifo, ecn: {kind: threshold, k: 1.25BDP}}
transport: {congestion: dctcp}
traffic: [{name: a, pattern: {kind: alltoall, connections: 16}, size: 16MiB}]
`
		paused = `weft: 1
topology: {kind: star, hosts: 17, rate: 100Gbps, delay: 1us, switch_latency: 0s}
fabric: {pfc: {xoff: 200KB}, ecn: "off"}
transport: {balancer: ecmp, congestion: {kind: constant, window: 10MB}}
traffic: [{name: a, pattern: {kind: incast, receiver: host16}, size: 1MB, jitter: 10us}]
`
	)
	for name, c := range map[string]struct {
		text    string
		least   unit.Time // runtime
		copies  int64     // that arrive though their packet had, at most
		without string
	}{
		"a slow host link":     {slowLink, unit.Gbps.Transmit(2_000_000), 0, "transport.rto=path"},
		"a link slowed down":   {degraded, unit.Gbps.Transmit(2_000_000), 0, "transport.rto=path"},
		"every ack delayed":    {degraded + "transport: {ack: {every: 16}}\n", unit.Gbps.Transmit(2_000_000), 0, "transport.rto=path"},
		"pauses":               {paused, (100 * unit.Gbps).Transmit(16_000_000), 0, "transport.rto=100us"},
		"a queue at every NIC": {queued, (100 * unit.Gbps).Transmit(16 << 20), 0, "transport.rto=20us"},
	} {
		t.Run(name, func(t *testing.T) {
			res := simulate(t, c.text)
			drained(t, res)
			s := &res.Summary
			if s.SpuriousRetransmits > c.copies {
				t.Errorf("%d packets arrived twice, of %d", s.SpuriousRetransmits, s.PacketsDelivered)
			}
			if s.Retransmits > s.Drops.Total()+s.SpuriousRetransmits {
				t.Errorf("%d retransmissions for %d drops", s.Retransmits, s.Drops.Total())
			}
			if float64(s.Runtime) > 1.2*float64(c.least) {
				t.Errorf("it took %v, and the slow link alone takes %v", s.Runtime, c.least)
			}
			if n := noticesOf(res, "spurious"); len(n) > 0 {
				t.Errorf("a notice without need: %s", n)
			}
			fixed := simulate(t, c.text, c.without)
			if fixed.Summary.SpuriousRetransmits < 2*c.copies+100 || len(noticesOf(fixed, "spurious")) != 1 {
				t.Errorf("with %s %d packets arrive twice, notices %q", c.without, fixed.Summary.SpuriousRetransmits, fixed.Manifest.Notices)
			}
		})
	}
}

// noticesOf returns the notices of a run with a word.
func noticesOf(res *record.Result, word string) (list []string) {
	for _, n := range res.Manifest.Notices {
		if strings.Contains(n, word) {
			list = append(list, n)
		}
	}
	return list
}

// TestTimeoutBound computes the bound and ARCANE's rule by hand: a full frame and its
// acknowledgement over four links of 500 ns each way, and full queues of 100 kB.
func TestTimeoutBound(t *testing.T) {
	const text = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Gbps, uplink_rate: 400Gbps, delay: 500ns, switch_latency: 0s}
fabric: {queue: 100KB, classes: 2}
transport: {congestion: mprdma, payload: 4096B, header: 64B, class: 1, ack: {size: 64B, class: 0}%s}
traffic: [{name: a, pattern: permutation, size: 8KiB}]
`
	host, core := 100*unit.Gbps, 400*unit.Gbps
	rtt := 8*500*unit.Nanosecond + 2*host.Transmit(4160) + 2*core.Transmit(4160) + 2*host.Transmit(64) + 2*core.Transmit(64)
	forth := host.Transmit(200_000) + 2*core.Transmit(200_000)
	back := host.Transmit(100_000) + 2*core.Transmit(100_000)
	for _, c := range []struct {
		options string
		want    unit.Time
	}{
		{"", rtt + forth + back},
		{", rto: path", rtt + forth},
		{", rto: 33us", 33 * unit.Microsecond},
		{", rto: null", rtt + forth + back},
		{", timer: connection", rtt + forth + back},
	} {
		res := simulate(t, fmt.Sprintf(text, c.options))
		if got := derivedTime(t, res, "rto.a"); got != c.want {
			t.Errorf("with %q the timeout is %v, want %v", c.options, got, c.want)
		}
	}
	// Pauses take the place of limits: of what came over a link a switch holds 150 kB and headroom, over all four links.
	lossless := strings.Replace(text, "queue: 100KB,", "pfc: {xoff: 150KB, headroom: 50KB},", 1)
	held := host.Transmit(800_000) + 2*core.Transmit(800_000)
	if got := derivedTime(t, simulate(t, fmt.Sprintf(lossless, "")), "rto.a"); got != rtt+2*held {
		t.Errorf("on a lossless fabric it is %v, want %v", got, rtt+2*held)
	}
	if got := derivedTime(t, simulate(t, fmt.Sprintf(lossless, ""), "fabric.buffer=2MB"), "rto.a"); got != rtt+2*(host.Transmit(2_000_000)+2*core.Transmit(2_000_000)) {
		t.Errorf("with a shared buffer it is %v", got)
	}
	delayed := strings.Replace(text, "ack: {", "ack: {every: 4, delay: 7us, ", 1)
	if got := derivedTime(t, simulate(t, fmt.Sprintf(delayed, "")), "rto.a"); got != rtt+forth+back+7*unit.Microsecond {
		t.Errorf("with acknowledgements that wait for 7 us it is %v", got)
	}
}

// TestRoutesFollowFailures lets 2 % of the cables of a fabric fail, which strands some of
// ECMP's messages for as long as routes do not know.
func TestRoutesFollowFailures(t *testing.T) {
	const text = `weft: 1
topology: {kind: fat-tree, tiers: 2, radix: 16, rate: 100Gbps}
transport: {congestion: mprdma, balancer: ecmp}
traffic: [{name: main, pattern: permutation, size: 64KiB}]
faults: [{kind: link-down, links: "tor*->spine*", share: 2%, at: 1us}]
`
	res := simulate(t, text)
	drained(t, res)
	if s := &res.Summary; s.Runtime < 10*unit.Millisecond || s.Runtime > 12*unit.Millisecond {
		t.Errorf("it took %v; the messages that met a dead link wait until routing reacts, 10 ms after it went down", s.Runtime)
	}
	if s := simulate(t, text, "routing.reconverge=never").Summary; s.Ended != record.Stuck || s.Unfinished == 0 {
		t.Errorf("without new routes it ended as %s with %d unfinished messages", s.Ended, s.Unfinished)
	}
}

// TestTimeoutFromQueue lets a NIC's queue take longer than the timeout: with a clock from the queue packets are sent again
// that only waited there, with one from the wire none.
func TestTimeoutFromQueue(t *testing.T) {
	t.Parallel()
	oneThread(t)
	const text = `weft: 1
topology: {kind: star, hosts: 9, rate: 100Gbps, delay: 500ns, switch_latency: 0s}
fabric: {queue: 1MB, nic: fifo, ecn: "off"}
transport: {congestion: {kind: constant, window: 1MB}, balancer: ecmp, rto: 30us}
traffic: [{name: a, pattern: {kind: pairs, pairs: [host0->host1, host0->host2, host0->host3, host0->host4, host0->host5, host0->host6, host0->host7, host0->host8]}, size: 100KB}]
`
	// 800 kB take 64 us at 100 Gb/s, so that what is behind the first 375 kB times out in the queue.
	wire := simulate(t, text)
	queue := simulate(t, text, "transport.rto_from=queue")
	drained(t, wire)
	drained(t, queue)
	if s := &wire.Summary; s.Retransmits != 0 {
		t.Errorf("from the wire: %d packets are sent again", s.Retransmits)
	}
	if s := &queue.Summary; s.SpuriousRetransmits < 50 || s.Drops.Total() != 0 {
		t.Errorf("from the queue: %d packets arrive twice, %d are dropped", s.SpuriousRetransmits, s.Drops.Total())
	}
}

// TestTimeoutsOfSlowNetworks draws networks up to the slowest that can be written: each has timeouts that lie above its round trip and
// can be told, or is refused with what to write.
func TestTimeoutsOfSlowNetworks(t *testing.T) {
	t.Parallel()
	refused, accepted := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		rate := rapid.SampledFrom([]string{"1bps", "7bps", "99bps", "1kbps", "1Mbps", "100Gbps"}).Draw(rt, "rate")
		delay := rapid.SampledFrom([]string{"0s", "1us", "1s", "1000s", "100000s", "1000000s", "9000000s"}).Draw(rt, "delay")
		fabric := rapid.SampledFrom([]string{"queue: 1BDP", "queue: 100MB", "queue: infinite", "pfc: {xoff: 100KB}", "pfc: {xoff: 100KB, slow_hosts: [{hosts: [host0], rate: 1bps, xoff: 50KB, xon: 40KB}]}", "queue: 1MB, nic: fifo"}).Draw(rt, "fabric")
		rto := rapid.SampledFrom([]string{"", ", rto: path", ", rto: 9000000s", ", timer: connection", ", ack: {every: 16, delay: 9000000s}", ", recovery: {kind: irn, rto_low: 1s, rto_high: 9000000s}"}).Draw(rt, "rto")
		fault := rapid.SampledFrom([]string{"", "faults: [{kind: degrade, links: tor0->host0, rate: 1bps}]\n"}).Draw(rt, "fault")
		text := fmt.Sprintf("weft: 1\ntopology: {kind: star, hosts: 4, rate: %s, delay: %s}\nfabric: {ecn: off, %s}\ntransport: {congestion: {kind: constant, window: 10KB}, balancer: ecmp%s}\ntraffic: [{name: a, pattern: permutation, size: 1KB}]\n%s", rate, delay, fabric, rto, fault)
		f, err := scenario.Parse("x.yaml", []byte(text), weft.Builtin(), nil)
		if err == nil {
			var built scenario.Built
			if built, err = f.Variants[0].Build(); err == nil {
				accepted++
				times := map[string]float64{}
				for _, d := range built.Derived {
					times[d.Name] = d.Value
				}
				const most = float64(unit.Forever) / float64(unit.Microsecond)
				if rtt, first, stuck := times["base_rtt"], times["rto.a"], times["stuck_after"]; !(rtt > 0 && rtt < most/4 && first > 0 && first <= most/4 && stuck > 0 && stuck <= most) || rto == "" && (first < rtt || stuck < first) {
					rt.Fatalf("round trip %g us, timeout %g, stuck after %g\n%s", rtt, first, stuck, text)
				}
				return
			}
		}
		if refused++; !strings.Contains(err.Error(), "; ") {
			rt.Fatalf("it is refused without a remedy: %v\n%s", err, text)
		}
	})
	if refused < 2 || accepted < 2 {
		t.Errorf("%d are refused, %d accepted", refused, accepted)
	}
}

// TestSlowNetworks delivers where a round trip takes hours.
func TestSlowNetworks(t *testing.T) {
	for _, links := range []string{"rate: 2bps", "delay: 1000s", "rate: 99bps, delay: 10000s"} {
		res := simulate(t, "weft: 1\ntopology: {kind: star, hosts: 4, "+links+"}\ntransport: {congestion: dctcp}\ntraffic: [{name: a, pattern: permutation, size: 1KB}]\n")
		drained(t, res)
		if n := res.Summary.Retransmits; n > 0 {
			t.Errorf("%s: %d packets are sent again", links, n)
		}
	}
}
