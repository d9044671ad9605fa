package sird

import (
	"fmt"
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

func newOutcast(t *testing.T, preset string, sthr Threshold) *outcast {
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
		if at%stage == stage-100*unit.Microsecond {
			for k := range x.sum {
				x.stages[n-1][k] = x.sum[k] / unit.Bytes(x.looks)
			}
		}
		if at%(stage/12) == 0 {
			x.line(at, n)
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

// line is one moment of the trace, in thousandths of a BDP.
func (x *outcast) line(at unit.Time, n int) {
	share := func(b unit.Bytes) string { return fmt.Sprintf("%.3f", float64(b)/float64(testbedBDP)) }
	var used, bucket [3]string
	free := unit.Bytes(0)
	for r := 1; r <= 3; r++ {
		h := x.hosts[r]
		free += h.b - h.used
		used[r-1], bucket[r-1] = "-", "-"
		if r <= n && h.senders[0] != nil {
			used[r-1], bucket[r-1] = share(h.used), share(h.senders[0].loops.bucket)
		}
	}
	fmt.Fprintf(&x.text, "%6.1fms %9s  %27s  %27s  %s\n", float64(at)/float64(unit.Millisecond), share(x.hosts[0].held),
		strings.Join(used[:], "  "), strings.Join(bucket[:], "  "), share(free))
}

// TestOutcastTrace shows credit moving from the congested sender to the receivers, to
// (BDP + SThr)/n at each. Run with WEFT_GOLDEN=write to write the trace anew.
func TestOutcastTrace(t *testing.T) {
	half := Threshold{Amount: unit.Amount{BDPs: 0.5}}
	var all strings.Builder
	for _, v := range []struct {
		name, preset string
		sthr         Threshold
	}{{"preset paper, SThr 0.5 BDP", Paper, half}, {"preset nsdi25, SThr 0.5 BDP", NSDI25, half}, {"preset paper, SThr infinite", Paper, Threshold{Inf: true}}} {
		x := newOutcast(t, v.preset, v.sthr)
		x.play()
		fmt.Fprintf(&all, "%s; all amounts in BDP\n\n%s\n", v.name, x.text.String())
		for k, means := range x.stages {
			n := unit.Bytes(k + 1)
			held := means[0]
			if v.sthr.Inf {
				// Every receiver gives the sender one BDP; one BDP in all is under way.
				if want := (n - 1) * testbedBDP; held < want-testbedBDP/8 || held > want+testbedBDP/8 {
					t.Errorf("%s: with %d receivers the sender holds %v, want about %v", v.name, n, held, want)
				}
				continue
			}
			if most := testbedBDP/2 + testbedBDP/10; held > most {
				t.Errorf("%s: with %d receivers the sender holds %v on average, want at most SThr", v.name, n, held)
			}
			if sum := means[1] + means[2] + means[3]; n > 1 && (sum < testbedBDP*5/4 || sum > testbedBDP*8/5) {
				t.Errorf("%s: with %d receivers %v is outstanding in all, want about BDP + SThr, %v", v.name, n, sum, testbedBDP*3/2)
			}
			want := (testbedBDP + testbedBDP/2) / n
			if n == 1 {
				want = testbedBDP // the bucket's ceiling
			}
			for r := 1; r <= int(n); r++ {
				if got := means[r]; got < want*75/100 || got > want*125/100 {
					t.Errorf("%s: with %d receivers, receiver %d has %v outstanding on average, want about (BDP + SThr)/n, %v", v.name, n, r, got, want)
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
