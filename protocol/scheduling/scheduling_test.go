package scheduling

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/protocol"
	"weft/unit"
)

const frame = 1500 * unit.Byte

// link is the plainest port: queues of sizes, one frame at a time.
type link struct {
	t       *testing.T
	rule    protocol.Scheduler
	queues  [protocol.MaxClasses][]unit.Bytes
	held    uint8
	sent    [protocol.MaxClasses]unit.Bytes
	classes int
}

func newLink(t *testing.T, kind string, weights []int, strict, classes int) *link {
	t.Helper()
	o := options{Weights: weights, Strict: &strict}
	for _, e := range Entries() {
		if e.Name != kind {
			continue
		}
		s, err := e.Build(&o)
		if err != nil {
			t.Fatal(err)
		}
		rule, err := s.New(protocol.SchedulerEnv{Rate: 10 * unit.Gbps, Classes: classes, Frame: frame})
		if err != nil {
			t.Fatal(err)
		}
		return &link{t: t, rule: rule, classes: classes}
	}
	t.Fatalf("there is no scheduler %s", kind)
	return nil
}

func (l *link) add(class int, size unit.Bytes) {
	l.rule.Queued(class, size, len(l.queues[class]) == 0)
	l.queues[class] = append(l.queues[class], size)
}

// send sends one frame and returns its class, negative if none may go.
func (l *link) send() int {
	var r protocol.Ready
	for k, q := range l.queues {
		if len(q) > 0 {
			r.Waiting |= 1 << k
			r.Heads[k] = q[0]
		}
	}
	if r.Open = r.Waiting &^ l.held; r.Open == 0 {
		return -1
	}
	k := l.rule.Next(&r)
	if r.Open>>k&1 == 0 {
		l.t.Fatalf("class %d was chosen of %08b", k, r.Open)
	}
	l.sent[k] += l.queues[k][0]
	l.queues[k] = l.queues[k][1:]
	return k
}

// TestShares has greedy classes with frames of different sizes share a link by their weights, within 1 %.
func TestShares(t *testing.T) {
	weights := []int{5, 3, 1}
	sizes := []unit.Bytes{300, 1500, 64}
	for _, kind := range []string{"drr", "sfq"} {
		l := newLink(t, kind, weights, 1, 4)
		for range 300_000 {
			for k := 1; k < 4; k++ {
				for len(l.queues[k]) < 2 {
					l.add(k, sizes[k-1])
				}
			}
			l.send()
		}
		all := l.sent[1] + l.sent[2] + l.sent[3]
		for k, w := range weights {
			got, want := float64(l.sent[k+1])/float64(all), float64(w)/9
			if math.Abs(got/want-1) > 0.01 {
				t.Errorf("%s: class %d has %.4f of the link, want %.4f", kind, k+1, got, want)
			}
		}
		l.add(0, 64)
		if k := l.send(); k != 0 {
			t.Errorf("%s: class %d went before the strict one", kind, k)
		}
	}
}

// TestFairness has classes come and go, and be held up, at random. While two have frames that may go, what they sent over their
// weights differs by no more than the published bounds: a frame of each with SFQ (Goyal et al., Theorem 1), and with DRR a quantum
// more (Shreedhar and Varghese, Lemma 2 and Theorem 3.2).
func TestFairness(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		classes := 2 + r.IntN(5)
		weights := make([]int, classes)
		least := maxWeight
		for i := range weights {
			weights[i] = 1 + r.IntN(20)
			least = min(least, weights[i])
		}
		for _, kind := range []string{"drr", "sfq"} {
			l := newLink(t, kind, weights, 0, classes)
			bound := func(i, j int) float64 {
				b := float64(frame)/float64(weights[i]) + float64(frame)/float64(weights[j])
				if kind == "drr" {
					b += float64(frame) / float64(least)
				}
				return b
			}
			type span struct{ low, high float64 }
			var spans [8][8]*span
			see := func() {
				for i := range classes {
					for j := range i {
						if len(l.queues[i]) == 0 || len(l.queues[j]) == 0 || l.held>>i&1 != 0 || l.held>>j&1 != 0 {
							spans[i][j] = nil
							continue
						}
						d := float64(l.sent[i])/float64(weights[i]) - float64(l.sent[j])/float64(weights[j])
						s := spans[i][j]
						if s == nil {
							spans[i][j] = &span{d, d}
							continue
						}
						s.low, s.high = min(s.low, d), max(s.high, d)
						if s.high-s.low > bound(i, j)+1 {
							t.Fatalf("%s: weights %v: classes %d and %d differ by %.0f B per weight, bound %.0f", kind, weights, i, j, s.high-s.low, bound(i, j))
						}
					}
				}
			}
			for range 2000 {
				switch r.IntN(10) {
				case 0:
					l.held ^= 1 << r.IntN(classes) & uint8(r.IntN(256))
				case 1, 2, 3, 4, 5, 6:
					k := r.IntN(classes)
					for range 1 + r.IntN(4) {
						l.add(k, 64+unit.Bytes(r.IntN(int(frame)-63)))
					}
				}
				see()
				l.send()
				see()
			}
		}
	}
}

// TestOptions refuses options that do not fit a port.
func TestOptions(t *testing.T) {
	strict := func(n int) *int { return &n }
	for _, test := range []struct {
		options
		env  protocol.SchedulerEnv
		want string
	}{
		{options{}, protocol.SchedulerEnv{Classes: 2}, ""},
		{options{}, protocol.SchedulerEnv{Classes: 2, Reserved: 1}, "write fabric.classes: 3"},
		{options{Strict: strict(0)}, protocol.SchedulerEnv{Classes: 3, Reserved: 1}, "write strict: 1"},
		{options{Weights: []int{1, 2, 3}}, protocol.SchedulerEnv{Classes: 2}, "3 weights, and 2 classes"},
		{options{Weights: []int{0}}, protocol.SchedulerEnv{Classes: 2}, "weights are 1 to 1000"},
		{options{Weights: []int{1001}}, protocol.SchedulerEnv{Classes: 2}, "weights are 1 to 1000"},
	} {
		_, err := test.of(test.env)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%+v at %+v: %v, want %q", test.options, test.env, err, test.want)
		}
	}
	o := options{Weights: []int{3, 1}}
	if n := o.ahead(protocol.SchedulerEnv{Classes: 3, Reserved: 1}, 2); n != 5 {
		t.Errorf("%d full queues go while one of weight 1 of 4 drains behind a strict one, want 5", n)
	}
}
