package scenario_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// patient is a random scenario in which nothing can be lost, and packets wait long: for pauses, slow hosts and links, and queues of NICs.
func patient(r *rand.Rand) string {
	one := func(words ...string) string { return words[r.IntN(len(words))] }
	var b strings.Builder
	b.WriteString("weft: 1\n")
	fmt.Fprintf(&b, "seed: %d\n", 1+r.IntN(1000))
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "topology: {kind: star, hosts: %d, rate: 100Gbps, delay: %s}\n", 4+r.IntN(13), one("100ns", "1us", "5us"))
	} else {
		fmt.Fprintf(&b, "topology: {kind: leaf-spine, tors: 2, hosts_per_tor: %d, spines: 2, rate: 100Gbps, uplink_rate: %s, delay: %s}\n", 2+r.IntN(7), one("25Gbps", "100Gbps", "400Gbps"), one("100ns", "1us"))
	}
	fabric := []string{"host_jitter: none"}
	lossless := r.IntN(3) > 0
	if lossless {
		pfc := "xoff: " + one("20KB", "100KB", "500KB")
		if r.IntN(2) == 0 {
			pfc += fmt.Sprintf(", slow_hosts: [{hosts: [host%d], rate: %s, xoff: 50KB, xon: 40KB}]", r.IntN(4), one("1Gbps", "10Gbps", "50Gbps"))
		}
		fabric = append(fabric, "pfc: {"+pfc+"}")
		if r.IntN(2) == 0 {
			fabric = append(fabric, "buffer: 16MB")
		}
	} else {
		fabric = append(fabric, "queue: "+one("5MB", "20MB"))
	}
	if r.IntN(3) == 0 {
		fabric = append(fabric, "nic: fifo")
	}
	if r.IntN(5) == 0 {
		fabric = append(fabric, "nic_interrupts: 10us")
	}
	fmt.Fprintf(&b, "fabric: {%s}\n", strings.Join(fabric, ", "))
	fmt.Fprintf(&b, "transport: {congestion: %s, balancer: %s, recovery: selective%s}\n", one("dctcp", "swift", "{kind: constant, window: 1MB}", "{kind: constant, window: 100KB}", "dcqcn", "mprdma", "reno", "nscc"),
		one("ecmp", "ops"), one("", ", ack: {every: 4}", ", connection: pool"))
	fmt.Fprintf(&b, "traffic:\n- {name: a, pattern: %s, size: %s, jitter: %s}\n", one("{kind: incast, receiver: host0}", "{kind: alltoall, connections: 3}", "permutation", "permutation"), one("20KB", "200KB", "1MB"), one("0s", "20us"))
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "- {name: b, pattern: %s, size: %s, start: %s}\n", one("{kind: incast, receiver: host1}", "permutation"), one("20KB", "200KB"), one("0s", "30us"))
	}
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, "faults: [{kind: degrade, links: \"tor0->host%d\", rate: %s%s}]\n", r.IntN(2), one("1Gbps", "10Gbps"), one("", ", at: 20us"))
	}
	b.WriteString("stuck_after: 1s\n")
	return b.String()
}

// TestPatience runs random scenarios that lose nothing: nothing is sent again, or a notice says what to write, which helps. That may be
// so only where no bound is known beforehand: links that slow down, and NICs with a queue.
func TestPatience(t *testing.T) {
	t.Parallel()
	oneThread(t)
	ran, told := 0, 0
	for i := range uint64(200) {
		text := patient(rand.New(rand.NewPCG(i, 1)))
		res := simulate(t, text)
		if s := &res.Summary; s.Drops.Total() > 0 || s.Trims > 0 {
			continue
		}
		if ran++; res.Summary.Retransmits == 0 {
			continue
		}
		told++
		if !strings.Contains(text, "nic: fifo") && !strings.Contains(text, "degrade") {
			t.Errorf("%d packets are sent again\n%s", res.Summary.Retransmits, text)
		}
		about := noticesOf(res, "spurious")
		if len(about) != 1 {
			t.Errorf("%d packets are sent again, notices %q\n%s", res.Summary.Retransmits, about, text)
			continue
		}
		for _, remedy := range remedies(about[0]) {
			set, _ := remedy[0].set(ofTransport("rto"))
			if again := simulate(t, text, set).Summary; again.Retransmits > 0 {
				t.Errorf("with %s %d packets are sent again, and %d without\n%s", set, again.Retransmits, res.Summary.Retransmits, text)
			}
		}
	}
	if ran < 120 || told > ran/20 {
		t.Errorf("of %d scenarios without a loss %d send packets again", ran, told)
	}
}
