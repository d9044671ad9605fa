package scenario_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/scenario"
	"weft/unit"
)

// congested lets two hosts send to a third, far more than its link carries.
const congested = `weft: 1
topology: {kind: star, hosts: 3, rate: 10Gbps}
fabric: {%s}
transport: {payload: 1460B, header: 40B, balancer: ops, rto: 1s, congestion: {kind: constant, window: 8MiB}}
traffic: [{name: main, pattern: {kind: incast, receiver: host2}, size: 1460kB}]
until: 2ms
record: {ports: "tor0->*"}
`

// TestSharedBufferThreshold overloads one port of a switch, which then holds alpha times the
// buffer over 1 + alpha.
func TestSharedBufferThreshold(t *testing.T) {
	const size = 300_000
	for _, test := range []struct {
		fabric string
		want   float64
	}{
		{"queue: infinite, buffer: 300kB", size / 2},
		{"queue: infinite, buffer: {size: 300kB, alpha: 4}", size * 4 / 5},
		{"queue: infinite, buffer: {size: 300kB, alpha: 0.5}", size / 3},
		{"queue: infinite, buffer: {size: 300kB, alpha: 1, release: begin}", size / 2},
		{"queue: 60kB, ecn: off, buffer: 300kB", 60_000},
		{"queue: infinite, classes: 2, buffer: 300kB", size / 2},
	} {
		t.Run(test.fabric, func(t *testing.T) {
			res := simulate(t, fmt.Sprintf(congested, test.fabric))
			if most := float64(port(t, res, "tor0->host2").QueueMax); math.Abs(most-test.want) > 2*1500 {
				t.Errorf("the port held up to %v bytes, want %v", most, test.want)
			}
		})
	}
}

func TestSharedBufferRefusals(t *testing.T) {
	for _, test := range []struct{ fabric, want string }{
		{"buffer: 1400B", "a buffer of 1400B with alpha 1 cannot take one frame of 1500B"},
		{"buffer: {size: 15kB, alpha: 0.05}", "cannot take one frame"},
		{"buffer: 0B", "is not from 1B to 64GB"},
		{"buffer: 1BDP", "a shared buffer as its size"},
		{"buffer: {alpha: 2}", "size"},
		{"buffer: {size: 1MB, release: middle}", "begin or end"},
		{"admission: fast", `unknown admission "fast"; known: off`},
	} {
		if err := verified("x.yaml", fmt.Sprintf(congested, test.fabric)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.fabric, err, test.want)
		}
	}
}

// pace is a rule of tests: it marks frames that waited longer than a while, and admits a
// frame if its class holds fewer than some bytes.
type pace struct {
	longer unit.Time
	most   unit.Bytes
}

func (p *pace) Arrived(protocol.Queue) bool                     { return false }
func (p *pace) Left(q protocol.Queue, waited unit.Time) bool    { return waited > p.longer }
func (p *pace) Admits(q protocol.Queue) bool                    { return q.Class+q.Frame <= p.most }
func (p *pace) marking(protocol.QueueEnv) protocol.Marker       { return p }
func (p *pace) admission(e protocol.QueueEnv) protocol.Admitter { return p }

type paceOptions struct {
	Longer unit.Time  `yaml:"longer" default:"50us" doc:"How long a frame waits before it is marked."`
	Most   unit.Bytes `yaml:"most" default:"45kB" doc:"What a class holds."`
}

// withRules is everything that weft offers, with rules of a user's own.
func withRules(t testing.TB) *scenario.Registry {
	t.Helper()
	reg := weft.Builtin()
	if err := reg.Markings.Add(catalog.Define("pace", "by sojourn", "", func(o paceOptions) (protocol.Marking, error) {
		return protocol.Marking{New: (&pace{longer: o.Longer}).marking}, nil
	})); err != nil {
		t.Fatal(err)
	}
	if err := reg.Admissions.Add(catalog.Define("pace", "by bytes", "", func(o paceOptions) (protocol.Admission, error) {
		return protocol.Admission{New: (&pace{most: o.Most}).admission}, nil
	})); err != nil {
		t.Fatal(err)
	}
	return reg
}

// TestRulesOfOnesOwn: a rule decides beside what weft has, at the ports that a scenario
// gives it.
func TestRulesOfOnesOwn(t *testing.T) {
	run := func(fabric string) (marks int64, most float64) {
		f, err := scenario.Parse("x.yaml", fmt.Appendf(nil, congested, fabric), withRules(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p := port(t, res, "tor0->host2")
		return p.Marks, float64(p.QueueMax)
	}
	// 100 us of a link of 10 Gbps are 125 kB, which is what a frame finds that waits so long.
	if marks, most := run("queue: 125kB, ecn: {kind: pace, longer: 200us}"); marks != 0 || most < 120_000 {
		t.Errorf("%d marks, %v bytes, and no frame waits 200us", marks, most)
	}
	all, _ := run("queue: 125kB, ecn: {kind: pace, longer: 1ns}")
	half, _ := run("queue: 125kB, ecn: {kind: pace, longer: 90us}")
	if all == 0 || half == 0 || half >= all {
		t.Errorf("%d marks of those that waited at all, %d of those that waited 90us", all, half)
	}
	if marks, _ := run("queue: 125kB, ecn: {kind: pace, longer: 1ns}, ports: [{links: tor0->host2, ecn: off}]"); marks != 0 {
		t.Errorf("%d marks at a port that has no rule", marks)
	}
	if _, most := run("queue: 125kB, ecn: off, admission: pace"); most > 45_000 || most < 43_000 {
		t.Errorf("the port held up to %v bytes of 45kB", most)
	}
	if _, most := run("queue: 125kB, classes: 3, buffer: 60kB, ecn: off, admission: {kind: pace, most: 1MB}"); most > 31_000 {
		t.Errorf("the port held up to %v bytes of 30kB", most)
	}
	if _, most := run("queue: 125kB, ecn: off, admission: off"); most < 120_000 {
		t.Errorf("the port held up to %v bytes of 125kB", most)
	}
}

// TestRulesStateNeeds: a rule is refused where it is named, once, however many groups
// of traffic there are.
func TestRulesStateNeeds(t *testing.T) {
	shared := protocol.Needs{Must: protocol.SharedBuffer, Classes: 2}
	reg := weft.Builtin()
	if err := reg.Markings.Add(catalog.Define("greedy", "wants all", "", func(struct{}) (protocol.Marking, error) {
		return protocol.Marking{Needs: shared, New: (&pace{}).marking}, nil
	})); err != nil {
		t.Fatal(err)
	}
	if err := reg.Admissions.Add(catalog.Define("greedy", "wants all", "", func(struct{}) (protocol.Admission, error) {
		return protocol.Admission{Needs: shared, New: (&pace{most: unit.MiB}).admission}, nil
	})); err != nil {
		t.Fatal(err)
	}
	const buffer = "greedy needs a buffer that the ports of a switch share, but fabric.buffer is absent; write fabric: {buffer: 16MB}, or "
	for fabric, want := range map[string][]string{
		"classes: 1, ecn: greedy":                                  {"fabric.ecn: " + buffer + "choose another marking law, such as red", "fabric.ecn: greedy uses 2 priority classes from class 0 on"},
		"ecn: off, classes: 2, admission: greedy":                  {"fabric.admission: " + buffer + "leave fabric.admission out"},
		"ports: [{links: tor0->host2, ecn: greedy}], classes: 2":   {"fabric.ports[0].ecn: " + buffer},
		"ecn: greedy, admission: greedy, classes: 2, buffer: 16MB": nil,
	} {
		text := fmt.Sprintf(congested, fabric)
		text = strings.Replace(text, "traffic: [", "traffic: [{name: more, pattern: permutation, size: 10kB}, ", 1)
		f, err := scenario.Parse("x.yaml", []byte(text), reg, nil)
		if err == nil {
			_, err = f.Variants[0].Verify()
		}
		if len(want) == 0 && err != nil {
			t.Errorf("%s: %v", fabric, err)
		}
		for _, w := range want {
			if err == nil || strings.Count(err.Error(), w) != 1 {
				t.Errorf("%s: %v\nwant once %q", fabric, err, w)
			}
		}
	}
}

// TestSharedBufferBoundsTimeouts: timeouts wait for what a switch can hold, and not for queues
// that have no limit of their own.
func TestSharedBufferBoundsTimeouts(t *testing.T) {
	const text = "weft: 1\ntopology: {kind: star, hosts: 9, rate: 100Gbps}\nfabric: {queue: infinite, buffer: 300kB}\n" +
		"transport: {congestion: {kind: constant, window: 100kB}, balancer: ops}\ntraffic: [{name: main, pattern: {kind: incast, receiver: host8}, size: 200kB}]\n"
	res := simulate(t, text)
	if s := &res.Summary; s.Timeouts == 0 || s.Runtime > 10*unit.Millisecond {
		t.Errorf("%d timeouts, and the last message ended after %v", s.Timeouts, s.Runtime)
	}
}
