package scenario_test

import (
	"fmt"
	"testing"

	"weft/record"
	"weft/unit"
)

// TestTrimmedIncast sends many messages at once into one port that trims: every
// loss is reported by a header and no packet waits for a timeout.
func TestTrimmedIncast(t *testing.T) {
	const senders, size = 32, 256 << 10
	for _, victim := range []string{"arriving", "coin"} {
		t.Run(victim, func(t *testing.T) {
			res := simulate(t, fmt.Sprintf(`weft: 1
topology: {kind: star, hosts: %d, rate: 100Gbps}
fabric: {overflow: trim, trim: {victim: %s}}
transport: {balancer: ops}
traffic: [{name: incast, pattern: incast, size: %dB}]
`, senders+1, victim, size))
			drained(t, res)
			s := &res.Summary
			if s.Trims == 0 || s.Timeouts != 0 || s.Drops.Total() != 0 {
				t.Errorf("%d trims, %d timeouts, drops %+v", s.Trims, s.Timeouts, s.Drops)
			}
			// A trimmed packet is sent once more, and so is a copy of it that was
			// trimmed again.
			if s.Retransmits != s.Trims {
				t.Errorf("%d packets were sent again for %d trims", s.Retransmits, s.Trims)
			}
			// The port cannot be faster than its link, nor need it be much slower:
			// beside the packets it carries the headers of the trimmed ones.
			const frames = senders * size / 4096
			least := (100 * unit.Gbps).Transmit(unit.Bytes(frames*4160) + unit.Bytes(64*s.Trims))
			if s.Runtime < least || s.Runtime > least+least/20 {
				t.Errorf("the incast took %v, and its frames take %v", s.Runtime, least)
			}
		})
	}
	t.Run("dropped instead", func(t *testing.T) {
		res := simulate(t, fmt.Sprintf(`weft: 1
topology: {kind: star, hosts: %d, rate: 100Gbps}
transport: {balancer: ops}
traffic: [{name: incast, pattern: incast, size: %dB}]
`, senders+1, size))
		drained(t, res)
		if s := &res.Summary; s.Timeouts == 0 || s.Drops.QueueFull == 0 {
			t.Errorf("%d timeouts, %d drops: the incast is too small to show anything", s.Timeouts, s.Drops.QueueFull)
		}
	})
}

// TestPriorities sends messages of class 0 through ports that class 1 saturates.
// Priority does not interrupt the frame in service, so at each switch port that
// the classes share a message is late by one frame of class 1 at most; the
// packets behind the first find the port busy with class 0.
func TestPriorities(t *testing.T) {
	const (
		size = 100_000
		// Eight flows of class 1 overload the uplinks of a ToR, and six of them the
		// link to the receiver too.
		text = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 9, spines: 2, rate: 100Gbps}
fabric: {classes: 2, queue: 200KB, ecn: "off"}
transport: {balancer: ops, rto: 2ms, congestion: {kind: constant, window: 400KB}}
traffic:
  - name: urgent
    pattern: {kind: pairs, pairs: [host0->host9]}
    size: %dB
    start: 100us
    arrival: {kind: closed, think: 5us, count: 40}
    transport: {class: 0}
  - name: bulk
    pattern: {kind: pairs, pairs: [host1->host9, host2->host9, host3->host9, host4->host9, host5->host9, host6->host9, host7->host16, host8->host17]}
    size: 1GiB
    transport: {class: %d, rto: 60us}
until: 1ms
measure: {from: 100us}
`
	)
	// Ports of tor0, of a spine and of tor1, each of which may be in the midst of
	// a frame of 4160 B at 100 Gb/s.
	const late = 3 * 4160 * 80 * unit.Picosecond
	run := func(class int) (res *record.Result, worst unit.Time) {
		res = simulate(t, fmt.Sprintf(text, size, class))
		for i := range res.Flows {
			f := &res.Flows[i]
			switch {
			case f.Group != "urgent":
			case !f.Finished():
				return res, unit.Forever
			default:
				worst = max(worst, f.FCT()-f.Ideal)
			}
		}
		return res, worst
	}
	res, worst := run(1)
	for _, name := range []string{"tor0->spine0", "tor0->spine1", "tor1->host9"} {
		p := port(t, res, name)
		if busy := float64(p.SentBytes) / float64(p.Rate.In(900*unit.Microsecond)); busy < 0.99 {
			t.Errorf("%s is only %.0f %% busy", name, 100*busy)
		}
	}
	// The messages of the bulk started before the measured window.
	if n := res.Summary.Messages; n != 40 {
		t.Errorf("%d urgent messages", n)
	}
	if worst > late || worst == 0 {
		t.Errorf("class 1 made messages of class 0 late by up to %v; no more than %v is allowed, and some is expected", worst, late)
	}
	// In one class the same traffic is far later, or never there.
	if _, worst := run(0); worst < 10*late {
		t.Errorf("in one class, messages were late by up to %v only", worst)
	}
}
