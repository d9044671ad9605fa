package sird

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/protocol"
	"weft/unit"
)

// outcast is the experiment of §6.1.2 and Figure 4: one host sends 10 MB messages one after
// another to three receivers, of which each starts later than the one before.
type outcast struct {
	*net
	text   strings.Builder
	sum    [4]unit.Bytes // held by the sender; outstanding by receiver
	looks  int
	stages [3][4]unit.Bytes // means of the second half of each stage
}

const (
	testbedBDP = 216 * unit.KB // 24 jumbo frames
	stage      = 6 * unit.Millisecond
)

func newOutcast(t *testing.T, preset string, sthr unit.Threshold) *outcast {
	o := testOptions()
	bdp := testbedBDP
	o.Preset, o.BDP, o.SThr, o.Priority = preset, &bdp, sthr, "none"
	env := protocol.HostEnv{
		LineRate: 100 * unit.Gbps, Packet: 9000, BDP: bdp, BaseRTT: 18 * unit.Microsecond,
		Hosts: 4, Payload: 8920, Header: 80, Control: 84, Classes: 1,
	}
	x := &outcast{net: newNet(t, o, 4, env)}
	x.Delay = 4 * unit.Microsecond // an RTT of 18 µs, with two frames on each way
	return x
}

// target is what each of n receivers has outstanding in the end: (BDP + SThr)/n, or a whole
// bucket, which is one BDP, if that is less or SThr is infinite.
func (x *outcast) target(n int) unit.Bytes {
	return min((testbedBDP+min(x.config.sThr, 3*testbedBDP))/unit.Bytes(n), x.config.bucket)
}

// atSender is what the sender then holds of that: all but one BDP, which is in flight.
func (x *outcast) atSender(n int) unit.Bytes { return unit.Bytes(n)*x.target(n) - testbedBDP }

// play runs the experiment and writes down where the credit is.
func (x *outcast) play() {
	fmt.Fprintf(&x.text, "%8s %9s  %27s  %27s  %s\n", "time", "sender", "outstanding, by receiver", "sender's bucket, by receiver", "available at receivers")
	for at := unit.Time(0); at < 3*stage; at += 100 * unit.Microsecond {
		x.Run(at)
		n := int(at/stage) + 1
		for r := 1; r <= n; r++ {
			for x.hosts[0].receivers[r] == nil || len(x.hosts[0].receivers[r].unsent) < 2 {
				x.Send(0, int32(r), 10*unit.MB, 0)
			}
		}
		x.look(n)
		if at%stage < stage/2 {
			x.sum, x.looks = [4]unit.Bytes{}, 0
		}
		if at%(stage/12) == 0 {
			x.line(at, n)
		}
		if at%stage == stage-100*unit.Microsecond {
			x.close(n)
		}
	}
}

func (x *outcast) look(n int) {
	x.looks++
	x.sum[0] += x.hosts[0].held
	for r := 1; r <= n; r++ {
		x.sum[r] += x.hosts[r].used
	}
}

// inBDP writes an amount in thousandths of a BDP.
func inBDP(b unit.Bytes) string { return fmt.Sprintf("%.3f", float64(b)/float64(testbedBDP)) }

// line is one moment of the trace.
func (x *outcast) line(at unit.Time, n int) {
	var used, bucket [3]string
	free := unit.Bytes(0)
	for r := 1; r <= 3; r++ {
		h := x.hosts[r]
		free += h.b - h.used
		used[r-1], bucket[r-1] = "-", "-"
		if r <= n && h.senders[0] != nil {
			used[r-1], bucket[r-1] = inBDP(h.used), inBDP(h.senders[0].loops.bucket)
		}
	}
	fmt.Fprintf(&x.text, "%6.1fms %9s  %27s  %27s  %s\n", float64(at)/float64(unit.Millisecond), inBDP(x.hosts[0].held),
		strings.Join(used[:], "  "), strings.Join(bucket[:], "  "), inBDP(free))
}

// close ends a stage with its means beside where they are to be.
func (x *outcast) close(n int) {
	means := &x.stages[n-1]
	used, target := [3]string{"-", "-", "-"}, [3]string{"-", "-", "-"}
	for k := range means {
		means[k] = x.sum[k] / unit.Bytes(x.looks)
		if k > 0 && k <= n {
			used[k-1], target[k-1] = inBDP(means[k]), inBDP(x.target(n))
		}
	}
	fmt.Fprintf(&x.text, "%8s %9s  %27s\n%8s %9s  %27s\n\n", "mean", inBDP(means[0]), strings.Join(used[:], "  "),
		"target", inBDP(x.atSender(n)), strings.Join(target[:], "  "))
}

// apart is how far two amounts are from each other, in bytes.
func apart(a, b unit.Bytes) float64 { return math.Abs(float64(a - b)) }

// TestOutcastTrace shows credit moving from the congested sender to the receivers, to
// (BDP + SThr)/n at each. Run with WEFT_GOLDEN=write to write the trace anew.
func TestOutcastTrace(t *testing.T) {
	half := unit.Threshold{Amount: unit.Amount{BDPs: 0.5}}
	var all strings.Builder
	all.WriteString(`One sender, and a receiver more every 6 ms (SIRD, Figure 4). All amounts in BDP.
mean is that of the second half of the stage. target is (BDP + SThr)/n for each of n
receivers, at most a bucket of 1 BDP; and for the sender what of it is not under way,
which is all but 1 BDP.

`)
	for _, v := range []struct {
		name, preset string
		sthr         unit.Threshold
		// atSender and each are how far the means may be from their targets, as parts of a BDP
		// and of the target. Marks begin at SThr, so that with the loops of paper, which
		// cut by windows, the sender holds less on average, as the text of §6.1.2 has it.
		atSender, each float64
	}{
		{"preset paper, SThr 0.5 BDP", Paper, half, 0.25, 0.2},
		{"preset nsdi25, SThr 0.5 BDP", NSDI25, half, 0.1, 0.1},
		{"preset paper, SThr infinite", Paper, unit.Threshold{Inf: true}, 0.05, 0.02},
	} {
		x := newOutcast(t, v.preset, v.sthr)
		x.play()
		fmt.Fprintf(&all, "%s\n\n%s", v.name, x.text.String())
		for k, means := range x.stages {
			n := k + 1
			if got, want := means[0], x.atSender(n); apart(got, want) > v.atSender*float64(testbedBDP) {
				t.Errorf("%s: with %d receivers the sender holds %v on average, want about %v", v.name, n, got, want)
			}
			if !v.sthr.Inf && means[0] > testbedBDP/2+testbedBDP/10 {
				t.Errorf("%s: with %d receivers the sender holds %v on average, want about SThr at most", v.name, n, means[0])
			}
			for r := 1; r <= n; r++ {
				if got, want := means[r], x.target(n); apart(got, want) > v.each*float64(want) {
					t.Errorf("%s: with %d receivers, receiver %d has %v outstanding on average, want about %v", v.name, n, r, got, want)
				}
			}
		}
	}
	path := filepath.Join("testdata", "outcast.txt")
	if os.Getenv("WEFT_GOLDEN") == "write" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), all.String()); diff != "" {
		t.Errorf("the trace changed (-golden +now):\n%s", diff)
	}
}
