package scenario_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// fabricText is a network without oversubscription, so that messages don't overtake
// each other by losses.
const fabricText = `weft: 1
topology: {kind: leaf-spine, tors: 4, hosts_per_tor: 4, spines: 4, rate: 100Gbps, delay: 500ns, switch_latency: 300ns}
record: {flows: all}
`

// written is a scenario whose traffic is a connection matrix in a file.
func written(t *testing.T, matrix string, sets ...string) *scenario.Scenario {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.cm")
	if err := os.WriteFile(path, []byte(matrix), 0o644); err != nil {
		t.Fatal(err)
	}
	return parsed(t, fabricText+"traffic:\n  - {name: main, pattern: {kind: connections, file: '"+path+"'}}\n", sets...)
}

// executeListed runs a scenario by the connection matrix of its traffic, and returns how
// many connections that has.
func executeListed(t *testing.T, s *scenario.Scenario) (*record.Result, int) {
	t.Helper()
	m, err := s.Connections("main")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return execute(t, written(t, b.String()), scenario.RunOptions{}), len(m.Connections)
}

// TestMatrixRoundTrip writes workloads as connection matrices and finds the same
// result when these are read.
func TestMatrixRoundTrip(t *testing.T) {
	for _, group := range []string{
		"{name: main, pattern: permutation, size: 300000B}",
		"{name: main, pattern: {kind: incast, senders: 5}, size: 300000B, jitter: 3us, start: 1us}",
		"{name: main, pattern: uniform, size: {cdf: testdata/sizes.csv}, arrival: {kind: poisson, load: 60%}, stop: 100us}",
		"{name: main, pattern: {kind: ring-allreduce, repeat: 2}, size: 320000B}",
		"{name: main, pattern: {kind: alltoall, connections: 3, order: random}, size: 333333B}",
		"{name: main, pattern: {kind: alltoall, ranks_per_group: 4}, size: 333333B, jitter: 1us}",
	} {
		t.Run(group, func(t *testing.T) {
			s := parsed(t, fabricText+"traffic:\n  - "+group+"\n")
			want := execute(t, s, scenario.RunOptions{})
			got, connections := executeListed(t, s)
			if got.Summary.ResultHash != want.Summary.ResultHash || got.Summary.Messages < 5 {
				t.Errorf("as a matrix of %d connections %d messages take %v, and %v otherwise", connections, got.Summary.Messages, got.Summary.Runtime, want.Summary.Runtime)
			}
		})
	}
}

// TestMatrixOfBarriers writes repeated collectives with barriers. A rank begins when it did
// before, but that with which the trigger lives: it hears of the barrier at once.
func TestMatrixOfBarriers(t *testing.T) {
	for _, pattern := range []string{
		"{kind: ring-allreduce, repeat: 3, barrier: true, ranks_per_group: 8}",
		"{kind: alltoall, repeat: 3, barrier: true, connections: 1}",
		"{kind: alltoall, repeat: 2, barrier: true, connections: 100, ranks_per_group: 4}",
		"{kind: alltoall, lockstep: true, connections: 4}",
		"{kind: alltoall, repeat: 2, lockstep: true, connections: 2, ranks_per_group: 4}",
	} {
		t.Run(pattern, func(t *testing.T) {
			s := parsed(t, fabricText+"traffic:\n  - {name: main, pattern: "+pattern+", size: 320000B}\n")
			want := execute(t, s, scenario.RunOptions{})
			got, connections := executeListed(t, s)
			if len(got.Flows) != len(want.Flows) || len(got.Flows) != connections {
				t.Fatalf("%d messages, %d in the matrix, %d otherwise", len(got.Flows), connections, len(want.Flows))
			}
			if a, b := got.Summary.Runtime, want.Summary.Runtime; a > b || float64(a) < 0.98*float64(b) {
				t.Errorf("takes %v, and %v otherwise", a, b)
			}
		})
	}
}

// triggered has triggers of all kinds within hosts and between them.
const triggered = `Nodes 16
Connections 10
Triggers 4
0->5 id 1 start 0 size 100000 send_done_trigger 1 recv_done_trigger 2
5->9 id 2 trigger 1 size 50000 recv_done_trigger 3
0->9 id 3 trigger 1 size 50000 send_done_trigger 3
5->1 id 4 trigger 2 size 50000 recv_done_trigger 3
7->8 id 5 trigger 3 size 40000 send_done_trigger 4
9->8 id 6 trigger 3 size 40000 send_done_trigger 4
3->4 id 7 trigger 4 size 1000
8->4 id 8 trigger 4 size 1000
12->15 id 9 start 5000000 size 70000
15->12 id 10 start 0 size 70000
trigger id 1 oneshot
trigger id 2 oneshot
trigger id 3 barrier count 3
trigger id 4 multishot
`

// TestTriggers finds every connection started when the file says: at once at the
// trigger's own host, and a delay later at others.
func TestTriggers(t *testing.T) {
	res := execute(t, written(t, triggered), scenario.RunOptions{})
	delay := unit.Time(0)
	for _, d := range res.Manifest.Derived {
		if d.Name == "trigger_delay" {
			delay = unit.Time(d.Value * float64(unit.Microsecond))
		}
	}
	if want := 800 * unit.Nanosecond; delay != want {
		t.Fatalf("trigger_delay is %v, want %v", delay, want)
	}
	flow := map[string]record.Flow{}
	for _, f := range res.Flows {
		flow[f.Src+">"+f.Dst] = f
	}
	if len(flow) != 10 {
		t.Fatalf("%d messages of 10", len(flow))
	}
	at := func(name string) record.Flow { return flow[name] }
	first := at("host0>host5")
	// Trigger 3 lives at host9, where connection 2 is received.
	fires := max(at("host5>host9").End, at("host0>host9").SenderEnd+delay, at("host5>host1").End+delay)
	// Trigger 4 lives at host7, which starts 3->4 first.
	shots := []unit.Time{at("host7>host8").SenderEnd, at("host9>host8").SenderEnd + delay}
	slices.Sort(shots)
	for _, c := range []struct {
		name string
		want unit.Time
	}{
		{"host0>host9", first.SenderEnd}, {"host5>host9", first.SenderEnd + delay}, {"host5>host1", first.End},
		{"host9>host8", fires}, {"host7>host8", fires + delay},
		{"host3>host4", shots[0] + delay}, {"host8>host4", shots[1] + delay},
		{"host12>host15", 5 * unit.Microsecond}, {"host15>host12", 0},
	} {
		if got := at(c.name).Start; got != c.want {
			t.Errorf("%s starts at %v, want %v", c.name, got, c.want)
		}
	}
	want := res.Summary.ResultHash
	for _, o := range []scenario.RunOptions{{Domains: 1}, {Domains: 3, Threads: 2}, {Domains: 100, Threads: 2}} {
		if got := execute(t, written(t, triggered), o).Summary.ResultHash; got != want {
			t.Errorf("%d domains give another result", o.Domains)
		}
	}
}

// TestManyTriggers compares a matrix with hundreds of triggers, drawn at random,
// over domains and threads.
func TestManyTriggers(t *testing.T) {
	var lines []string
	const rounds, hosts = 20, 16
	id := 0
	for r := range rounds {
		for h := range hosts {
			id++
			dst := (h + 1 + (r*7+h*3)%(hosts-1)) % hosts
			line := fmt.Sprintf("%d->%d id %d", h, dst, id)
			if r == 0 {
				line += " start 0"
			} else {
				line += fmt.Sprintf(" trigger %d", (r-1)*4+h%4+1)
			}
			line += fmt.Sprintf(" size %d", 1000+(r*h*977)%30000)
			if r+1 < rounds {
				line += fmt.Sprintf(" %s %d", []string{"send_done_trigger", "recv_done_trigger"}[(r+h)%2], r*4+(h/4+r)%4+1)
			}
			lines = append(lines, line)
		}
	}
	for r := range rounds - 1 {
		for k := range 4 {
			lines = append(lines, fmt.Sprintf("trigger id %d barrier count 4", r*4+k+1))
		}
	}
	text := fmt.Sprintf("Nodes 16\nConnections %d\nTriggers %d\n%s\n", rounds*hosts, (rounds-1)*4, strings.Join(lines, "\n"))
	want := execute(t, written(t, text), scenario.RunOptions{Domains: 1}).Summary
	if want.Messages != rounds*hosts || want.Unfinished != 0 {
		t.Fatalf("%d messages, %d unfinished", want.Messages, want.Unfinished)
	}
	for _, o := range []scenario.RunOptions{{Domains: 2, Threads: 2}, {Domains: 100}, {Domains: 100, Threads: 2}} {
		if got := execute(t, written(t, text), o).Summary; got.ResultHash != want.ResultHash {
			t.Errorf("%d domains, %d threads: runtime %v, and %v with one domain", o.Domains, o.Threads, got.Runtime, want.Runtime)
		}
	}
	parts := execute(t, written(t, text, "traffic.main.background={share: 40%, transport: {balancer: ecmp}}"), scenario.RunOptions{}).Summary
	if parts.Messages != rounds*hosts || parts.Unfinished != 0 || len(parts.Groups) != 2 {
		t.Errorf("with a background: %d messages, %d unfinished", parts.Messages, parts.Unfinished)
	}
}

// TestConnectionsRefuses shows what is said of matrices that don't fit.
func TestConnectionsRefuses(t *testing.T) {
	const one = "Nodes 16\nConnections 1\n0->5 id 1 start 0 size 10\n"
	for _, test := range []struct {
		matrix string
		set    string
		want   string
	}{
		{"Nodes 17\nConnections 0\n", "seed=1", "is for 17 hosts (Nodes), but 16 take part"},
		{one, "traffic.main.hosts=[host0..host3]", "is for 16 hosts (Nodes), but 4 take part"},
		{one, "traffic.main.size=1MiB", "size: connections sets the sizes of its messages itself; remove this"},
		{one, "traffic.main.jitter=1us", "jitter: the list of connections sets when its messages start"},
		{one, "traffic.main.arrival=closed", "arrival: connections sets the start of its messages itself"},
		{"Nodes 16\nConnections 2\n0->5 start 0 size 10\n", "seed=1", "x.cm:2: the header has Connections 2, but the file has 1"},
		{"Nodes 16\nConnections 1\n0->5 start 0\n", "seed=1", "x.cm:3: the connection has no size"},
		{"Nodes 16\nConnections 0\nFailures 1\nfailure switch_type TOR switch_id 0 link_id 1\n", "seed=1", "write as in faults: [{kind: link-down, links: tor0->spine1}]"},
		{"Nodes 16\nConnections 2\n0->5 id 1 start 0 size 10\n0->5 id 1 msg start 0 size 10\n", "seed=1", "set transport.connection: pair"},
		{one, "traffic.main.pattern.file=nowhere.cm", "the connection matrix cannot be read"},
	} {
		path := filepath.Join(t.TempDir(), "x.cm")
		if err := os.WriteFile(path, []byte(test.matrix), 0o644); err != nil {
			t.Fatal(err)
		}
		err := verified("test.yaml", fabricText+"traffic:\n  - {name: main, pattern: {kind: connections, file: '"+path+"'}}\n", test.set)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q with %s:\n%v\nwant %q", test.matrix, test.set, err, test.want)
		}
	}
}

// TestMessagesOnConnections accepts messages on existing connections where hosts
// keep one for each pair, and says what it leaves out.
func TestMessagesOnConnections(t *testing.T) {
	text := "Nodes 16\nConnections 3\n0->5 id 1 start 0 size 10000\n0->5 id 1 msg start 0 size 20000\n2->5 start 0 size 10 prio 4\n"
	res := execute(t, written(t, text, "transport.connection=pair"), scenario.RunOptions{})
	if res.Summary.Messages != 3 || res.Summary.Unfinished != 0 {
		t.Errorf("summary: %+v", res.Summary.Stats)
	}
	if !strings.Contains(strings.Join(res.Manifest.Notices, "\n"), "prio and addon of 1 connections have no effect here") {
		t.Errorf("notices: %q", res.Manifest.Notices)
	}
}

// TestUnwritable shows what cannot be written as a connection matrix.
func TestUnwritable(t *testing.T) {
	for _, test := range []struct{ group, want string }{
		{"{name: main, pattern: butterfly-allreduce, size: 1MiB}", "traffic[0].pattern: in a butterfly a message waits for several"},
		{"{name: main, pattern: {kind: ring-allreduce, compute: 1us}, size: 1MiB}", "compute: a connection matrix has no time to compute"},
		{"{name: main, pattern: {kind: alltoall, repeat: 2}, size: 1MiB}", "repeat: a connection matrix cannot express"},
		{"{name: main, pattern: uniform, size: 1MiB, arrival: closed, stop: 1ms}", "arrival: a connection matrix cannot list messages that start when others end"},
		{"{name: other, pattern: permutation, size: 1MiB}", `no group of traffic is named "main"; the groups are other`},
	} {
		_, err := parsed(t, fabricText+"traffic:\n  - "+test.group+"\n").Connections("main")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v; want %q", test.group, err, test.want)
		}
	}
}
