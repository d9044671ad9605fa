package traffic_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// with returns the scenario of a star with more options of the pattern.
func with(options string) string { return strings.Replace(star, "app.goal", "app.goal, "+options, 1) }

// triggerDelay returns how long a signal of a run takes.
func triggerDelay(t *testing.T, res *record.Result) unit.Time {
	t.Helper()
	for _, d := range res.Manifest.Derived {
		if d.Name == "trigger_delay" {
			return unit.Time(math.Round(d.Value * float64(unit.Microsecond)))
		}
	}
	t.Fatal("the run has no trigger_delay")
	return 0
}

// byStart returns messages by start, sender and size.
func byStart(flows []record.Flow) []record.Flow {
	return slices.SortedFunc(slices.Values(flows), func(a, b record.Flow) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Src, b.Src), cmp.Compare(a.ID, b.ID))
	})
}

// twoNICs is two messages at once, each over a NIC of its own.
const twoNICs = `num_ranks 2
rank 0 {
a: send 4096000b to 1 tag 1 nic 0
b: send 4096000b to 1 tag 2 nic 1
}
rank 1 {
a: recv 4096000b from 0 tag 1
b: recv 4096000b from 0 tag 2
}
`

// TestTwoNICs: two messages over two NICs take as long as one, and over one link as long as one message of twice the
// size.
func TestTwoNICs(t *testing.T) {
	double := "num_ranks 2\nrank 0 {\na: send 8192000b to 1\n}\nrank 1 {\na: recv 8192000b from 0\n}\n"
	one, err := run(t, strings.ReplaceAll(double, "8192000", "4096000"), star)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := run(t, double, star)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		nics  string
		time  unit.Time
		hosts []string
	}{
		{"nics: 1", jobOf(t, twice).Time, []string{"host0", "host1", "host0", "host1"}},
		{"nics: 2", jobOf(t, one).Time, []string{"host0", "host2", "host1", "host3"}},
	} {
		res, err := run(t, twoNICs, with(c.nics))
		if err != nil {
			t.Fatal(c.nics, err)
		}
		if job := jobOf(t, res); job.Time != c.time || job.Left != 0 {
			t.Errorf("%s: %v, want %v; %d left", c.nics, job.Time, c.time, job.Left)
		}
		var hosts []string
		for _, f := range byStart(res.Flows) {
			hosts = append(hosts, f.Src, f.Dst)
		}
		if !slices.Equal(hosts, c.hosts) {
			t.Errorf("%s: from and to %v, want %v", c.nics, hosts, c.hosts)
		}
		if res.Jobs.Ranks[0].Host != c.hosts[0] || res.Jobs.Ranks[1].Host != c.hosts[1] {
			t.Errorf("%s: ranks are at %s and %s", c.nics, res.Jobs.Ranks[0].Host, res.Jobs.Ranks[1].Host)
		}
	}
}

// rings is ring all-reduces side by side, one per NIC, or one per set of ranks if split.
func rings(ranks, nics, size int, split bool) string {
	text := make([]strings.Builder, ranks*nics)
	for r := range ranks {
		for k := range nics {
			at, nic, number := r, k, func(r int) int { return r % ranks }
			if split {
				at, nic, number = r*nics+k, 0, func(r int) int { return r%ranks*nics + k }
			}
			b := &text[at]
			for step := range 2 * (ranks - 1) {
				fmt.Fprintf(b, "s%d_%d: send %db to %d tag %d nic %d\n", k, step, size+k, number(r+1), 100*k+step, nic)
				fmt.Fprintf(b, "r%d_%d: recv %db from %d tag %d nic %d\n", k, step, size+k, number(r+ranks-1), 100*k+step, nic)
				if step > 0 {
					fmt.Fprintf(b, "s%d_%d requires r%d_%d\n", k, step, k, step-1)
				}
			}
		}
	}
	var b strings.Builder
	if !split {
		text = text[:ranks]
	}
	fmt.Fprintf(&b, "num_ranks %d\n", len(text))
	for r := range text {
		fmt.Fprintf(&b, "rank %d {\n%s}\n", r, text[r].String())
	}
	return b.String()
}

// TestRingPerNIC: a ring over each NIC sends the same messages at the same times as a trace in which each NIC is a
// rank.
func TestRingPerNIC(t *testing.T) {
	joint, err := run(t, rings(4, 2, 40_000, false), with("nics: 2"))
	if err != nil {
		t.Fatal(err)
	}
	apart, err := run(t, rings(4, 2, 40_000, true), star)
	if err != nil {
		t.Fatal(err)
	}
	if len(joint.Flows) != 48 || !slices.Equal(joint.Flows, apart.Flows) || joint.Summary.ResultHash != apart.Summary.ResultHash {
		t.Errorf("%d messages take %v with hash %v; with a rank per NIC %d messages take %v with hash %v", len(joint.Flows), joint.Summary.Runtime,
			joint.Summary.ResultHash, len(apart.Flows), apart.Summary.Runtime, apart.Summary.ResultHash)
	}
}

// TestNICRendezvous: a message over another NIC than the first waits for its receive as well, and its send ends when
// it is acknowledged.
func TestNICRendezvous(t *testing.T) {
	const text = `num_ranks 2
rank 0 {
a: send 1000000b to 1 nic 2
b: calc 7000
b requires a
}
rank 1 {
a: calc 300000
b: recv 1000000b from 0
b requires a
}
`
	res, err := run(t, text, with("nics: 3, rendezvous: 1000B"))
	if err != nil {
		t.Fatal(err)
	}
	f, delay := res.Flows[0], triggerDelay(t, res)
	if want := 300*unit.Microsecond + delay; f.Src != "host2" || f.Dst != "host5" || f.Start != want {
		t.Errorf("%s to %s at %v, want %v", f.Src, f.Dst, f.Start, want)
	}
	if job, want := jobOf(t, res), f.SenderEnd+7*unit.Microsecond; job.Time != want || job.Left != 0 {
		t.Errorf("%+v, want %v", job, want)
	}
}

// TestNodesStayTogether: in each order, and by a file, a rank has hosts that follow each other.
func TestNodesStayTogether(t *testing.T) {
	const topology = "topology: {kind: leaf-spine, tors: 3, spines: 2, hosts_per_tor: 5, rate: 100Gbps}"
	plain := strings.Replace(star, "topology: {kind: star, hosts: 8, rate: 100Gbps}", topology, 1)
	for _, order := range []string{"hosts", "shuffled", "interleaved", "racks"} {
		res, err := run(t, rings(3, 4, 1000, false), strings.Replace(plain, "app.goal", "app.goal, nics: 4, ranks: "+order, 1))
		if err != nil {
			t.Fatal(order, err)
		}
		for _, f := range res.Flows {
			var src, dst int
			if _, err := fmt.Sscanf(f.Src+" "+f.Dst, "host%d host%d", &src, &dst); err != nil {
				t.Fatal(err)
			}
			if nic := int(f.Bytes - 1000); src%4 != nic || dst%4 != nic || src >= 12 || dst >= 12 {
				t.Errorf("%s: a message of NIC %d goes from %s to %s", order, nic, f.Src, f.Dst)
			}
		}
	}
}

// TestNICPlacement: a file names the hosts of each rank, one per NIC.
func TestNICPlacement(t *testing.T) {
	place := func(hosts string) (*scenario.File, error) {
		dir := t.TempDir()
		for name, text := range map[string]string{"app.goal": twoNICs, "place": strings.ReplaceAll(hosts, " ", "\n"), "scenario.yaml": with("nics: 2, placement: place")} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return weft.Load(filepath.Join(dir, "scenario.yaml"), weft.Builtin())
	}
	file, err := place("host7 host3 host0 host5")
	if err != nil {
		t.Fatal(err)
	}
	res, err := weft.Run(context.Background(), file.Variants[0])
	if err != nil {
		t.Fatal(err)
	}
	if a, b := byStart(res.Flows)[0], byStart(res.Flows)[1]; a.Src != "host3" || a.Dst != "host5" || b.Src != "host7" || b.Dst != "host0" {
		t.Errorf("%s to %s, %s to %s", a.Src, a.Dst, b.Src, b.Dst)
	}
	for hosts, want := range map[string]string{
		"host7 host3 host0":             "names 3 hosts, but the 2 NICs of each of the 2 ranks of",
		"host7 host3 host0 host5 host1": "there are more hosts than the 2 NICs of each of the 2 ranks of",
		"host7 host3 host7 host5":       "place:3: host7 is named twice",
	} {
		file, err := place(hosts)
		if err == nil {
			_, err = weft.Run(context.Background(), file.Variants[0])
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", hosts, err, want)
		}
	}
}

// TestNICsRefused: NICs without a host, and options that contradict hosts per NIC, are refused before the run.
func TestNICsRefused(t *testing.T) {
	for _, c := range []struct{ options, want string }{
		{"nics: 2", "rank 1, b: recv 10b from 0 tag 2 names NIC 2"},
		{"nics: 2", "use nics: 3"},
		{"nics: 4, ranks_per_node: 2", "remove ranks_per_node"},
		{"nics: 4, ranks_per_host: 2", "remove ranks_per_host"},
		{"nics: 5", "2 ranks with 5 NICs each, which need 10 hosts, but 8 take part"},
		{"nics: 0", "nics"},
		{"nics: 20000", "nics"},
	} {
		text := strings.Replace(strings.ReplaceAll(twoNICs, "4096000", "10"), "from 0 tag 2", "from 0 tag 2 nic 2", 1)
		if _, err := run(t, text, with(c.options)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.options, err, c.want)
		}
	}
}

// TestNICNotices: a trace that names several NICs without hosts for them gets a notice with the remedy, unless the
// scenario says that one link is right. Hosts without messages get one, too.
func TestNICNotices(t *testing.T) {
	for options, want := range map[string]string{
		"ranks: hosts": "use nics: 2 for such a trace, and nics: 1 if one link is right",
		"nics: 1":      "",
		"nics: 2":      "",
		"nics: 3":      "each rank has 3 hosts by nics, but sends name no NIC above 1",
	} {
		res, err := run(t, twoNICs, with(options))
		if err != nil {
			t.Fatal(options, err)
		}
		if all := strings.Join(res.Manifest.Notices, "\n"); !strings.Contains(all, want) || want == "" && strings.Contains(all, "NIC") {
			t.Errorf("%s: %q, want %q", options, all, want)
		}
	}
}

// TestNICStuck: what is left of a trace whose messages came to other hosts is reported by rank.
func TestNICStuck(t *testing.T) {
	const text = `num_ranks 3
rank 0 {
a: recv 10b from -1 tag 1
b: recv 10b from 1 tag 1
b requires a
}
rank 1 {
a: send 10b to 0 tag 1 nic 1
}
rank 2 {
c: calc 100000
a: send 10b to 0 tag 1 nic 1
a requires c
}
`
	res, err := run(t, text, with("nics: 2"))
	if err != nil {
		t.Fatal(err)
	}
	if job := jobOf(t, res); job.Left != 1 || res.Summary.Ended != record.Stuck || !res.Summary.Partial {
		t.Errorf("%+v, ended: %v", job, res.Summary.Ended)
	}
	all := strings.Join(res.Manifest.Notices, "\n")
	for _, want := range []string{"rank 0, b: recv 10b from 1 tag 1", "rank 2, a: send 10b to 0 tag 1"} {
		if !strings.Contains(all, want) {
			t.Errorf("notices lack %q: %s", want, all)
		}
	}
}

// TestNICPath: the critical path names the hosts of the NIC, and the message.
func TestNICPath(t *testing.T) {
	res, x := explained(t, strings.Replace(twoNICs, "4096000b to 1 tag 2", "9096000b to 1 tag 2", 1), with("nics: 2"))
	longest := x.Longest(1)
	if len(longest) != 1 || longest[0].From != "host1" || longest[0].At != "host3" {
		t.Fatalf("%+v", longest)
	}
	for _, f := range res.Flows {
		if f.ID == longest[0].Message {
			if f.Src != "host1" || longest[0].End-longest[0].Begin != f.FCT() || x.Time != longest[0].End {
				t.Errorf("%+v of %v; the message goes from %s and takes %v", longest[0], x.Time, f.Src, f.FCT())
			}
			return
		}
	}
	t.Errorf("there is no message %d", longest[0].Message)
}
