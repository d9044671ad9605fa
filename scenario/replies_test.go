package scenario_test

import (
	"strings"
	"testing"

	"weft/record"
	"weft/scenario"
	"weft/unit"
)

const calls = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2, rate: 100Gbps, delay: 1us}
fabric: {classes: 2}
transport: {payload: 1458B, header: 80B, ack: {size: 84B}, congestion: CONTROL, balancer: ops}
traffic:
- name: main
  pattern: uniform
  size: 20kB
  arrival: {kind: poisson, load: 30%, count: 25}
  reply: {size: {workload: wka}, after: 3us}
`

// TestReplies runs calls over connections and over a transport of hosts: each message has
// one reply, no earlier than it may be, and of the same size whatever carries it.
func TestReplies(t *testing.T) {
	type call struct{ client, server string }
	var sizes map[call]unit.Bytes
	for _, control := range []string{"dctcp", "sird"} {
		text := strings.Replace(calls, "CONTROL", control, 1)
		res := execute(t, parsed(t, text), scenario.RunOptions{Check: true})
		if s := res.Summary; s.Ended != record.Drained || s.Unfinished != 0 || s.Messages != 2*8*25 {
			t.Fatalf("%s: %d messages, %d unfinished, ended %s", control, s.Messages, s.Unfinished, s.Ended)
		}
		cut := execute(t, parsed(t, text), scenario.RunOptions{Domains: 2, Threads: 2})
		if cut.Summary.ResultHash != res.Summary.ResultHash {
			t.Errorf("%s: two domains give another result", control)
		}
		arrived, begun := map[call][]unit.Time{}, map[call][]unit.Time{}
		got := map[call]unit.Bytes{}
		for _, f := range res.Flows {
			switch f.Group {
			case "main":
				arrived[call{f.Src, f.Dst}] = append(arrived[call{f.Src, f.Dst}], f.End)
			case "main-replies":
				begun[call{f.Dst, f.Src}] = append(begun[call{f.Dst, f.Src}], f.Start)
				got[call{f.Dst, f.Src}] += f.Bytes
			}
		}
		for c, ends := range arrived {
			unanswered := map[unit.Time]int{}
			for _, at := range ends {
				unanswered[at+3*unit.Microsecond]++
			}
			for _, at := range begun[c] {
				unanswered[at]--
			}
			for at, n := range unanswered {
				if n != 0 {
					t.Errorf("%s: from %s to %s: at %v %d replies are missing", control, c.server, c.client, at, n)
				}
			}
		}
		if sizes == nil {
			sizes = got
		}
		for c, n := range sizes {
			if got[c] != n {
				t.Errorf("%s: %s answers %s with %v, and with %v over dctcp", control, c.server, c.client, got[c], n)
			}
		}
	}
}

func TestRepliesRefused(t *testing.T) {
	base := strings.Replace(calls, "CONTROL", "dctcp", 1)
	for _, tt := range []struct{ set, want string }{
		{"traffic.main.reply.after=-1us", "negative"},
		{"traffic.main.background={share: 50%, transport: {balancer: ecmp}}", "takes no replies"},
		{"traffic.main.pattern=ring-allreduce", "sets what follows"},
	} {
		err := verified("x.yaml", base, tt.set)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.set, err, tt.want)
		}
	}
	if _, err := parsed(t, base).Connections(""); err == nil || !strings.Contains(err.Error(), "connection matrix") {
		t.Errorf("replies in a connection matrix: %v", err)
	}
}
