package scenario_test

import (
	"context"
	"flag"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weft/record"
	"weft/scenario"
	"weft/topo"
	"weft/unit"
)

// scenarios is how many random scenarios are run; -short runs a tenth.
const scenarios = 1000

var repeats = flag.Int("times", 1, "run this many times as many random scenarios")

func number(of int) int {
	if testing.Short() {
		return of / 10
	}
	return of * *repeats
}

// oneThread leaves out a test when tests are short, as they are under the race detector: it runs on one thread, and nothing
// in it depends on threads.
func oneThread(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs on one thread")
	}
}

// patience is how long one random scenario may take, on a busy machine too.
const patience = 5 * time.Minute

// runRandom runs a random scenario, which must end by itself. What goes wrong is
// shown with the scenario.
func runRandom(t *testing.T, s *sketch, o scenario.RunOptions, sets ...string) *record.Result {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("panic: %v\n%v\n%s", p, sets, s.text.String())
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	res, err := scenario.Run(ctx, load(t, s.text.String(), sets...), o)
	switch {
	case err != nil:
		t.Fatalf("%v\n%v\n%s", err, sets, s.text.String())
	case res.Summary.Ended == record.Interrupted:
		t.Fatalf("it did not end within %v\n%v\n%s", patience, sets, s.text.String())
	}
	return res
}

// TestRandomScenarios runs random scenarios and checks what each leaves: frames
// and bytes are conserved, every message is there once, and every run ends for
// its reason. One in ten is checked at the end of every window too.
func TestRandomScenarios(t *testing.T) {
	t.Parallel()
	oneThread(t)
	var c coverage
	for i := range number(scenarios) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			s := newSketch(t, i)
			res := runRandom(t, s, scenario.RunOptions{Check: i%10 == 3})
			spec := load(t, s.text.String())
			if err := verify(spec, s.graph, res); err != nil {
				t.Errorf("%v\n%s", err, s.text.String())
			}
			c.count(spec, s.graph, res)
		})
	}
	c.report(t, number(scenarios))
}

// coverage counts what random scenarios reach.
type coverage struct {
	names  []string
	counts map[string]int
	runs   int
}

func (c *coverage) hit(name string, reached bool) {
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	if _, known := c.counts[name]; !known {
		c.names = append(c.names, name)
		c.counts[name] = 0
	}
	if reached {
		c.counts[name]++
	}
}

// What a share of the scenarios must reach.
const (
	drops      = "drops"
	trims      = "trims"
	faults     = "faults"
	priorities = "priorities"
	mixedRates = "mixed rates"
	domains    = "several domains"
)

func (c *coverage) count(s *scenario.Scenario, g *topo.Graph, res *record.Result) {
	c.runs++
	sum := &res.Summary
	c.hit(drops, sum.Drops.Total() > 0)
	c.hit(trims, sum.Trims > 0)
	c.hit(faults, len(s.Faults) > 0 && struck(res))
	c.hit(priorities, len(classes(s)) > 1)
	c.hit(mixedRates, slices.ContainsFunc(g.Links, func(l topo.Link) bool { return l.Rate != g.Links[0].Rate }))
	c.hit("queues by link", len(s.Fabric.Ports) > 0)
	c.hit(domains, res.Manifest.Engine.Domains > 1)

	c.hit("drained", sum.Ended == record.Drained)
	c.hit("until", sum.Ended == record.Until)
	c.hit("stuck", sum.Ended == record.Stuck)
	c.hit("marks", sum.ECNMarks > 0)
	c.hit("timeouts", sum.Timeouts > 0)
	c.hit("retransmits", sum.Retransmits > 0)
	c.hit("random loss", sum.Drops.Loss > 0)
	c.hit("links down", sum.Drops.LinkDown > 0)
	c.hit("no route", sum.Drops.NoRoute > 0)
	c.hit("headers dropped", sum.Drops.HeaderQueueFull > 0)
	c.hit("sent to dead ports", sum.Faults != nil && sum.Faults.Offered > 0)
	c.hit("full rate regained", sum.Faults != nil && sum.Faults.Incidents > sum.Faults.Unregained)
	c.hit("several groups", len(sum.Groups) > 1)
	c.hit("jitter", s.Fabric.Jitter != nil)
	c.hit("layers", s.Routing.Policy.Kind == "layers")
	c.hit("explicit paths", s.Routing.Policy.Kind == "ksp")
	c.hit("detours", s.Routing.Policy.Kind == "valiant" || s.Routing.Policy.Kind == "ugal")
	c.hit("losses by order", s.Transport.Recovery.Kind == "order" && sum.Retransmits > 0)
	c.hit("faster than on one path", slices.ContainsFunc(res.Flows, func(f record.Flow) bool { return f.Slowdown() < 1 }))
}

// struck tells whether a fault began while messages were under way.
func struck(res *record.Result) bool {
	last := unit.Time(0)
	for i := range res.Flows {
		if f := &res.Flows[i]; !f.Finished() {
			last = unit.Forever
		} else {
			last = max(last, f.SenderEnd)
		}
	}
	return slices.ContainsFunc(res.Marks, func(m record.Mark) bool { return m.At < last })
}

// classes returns the priority classes that frames of a scenario have.
func classes(s *scenario.Scenario) map[int]bool {
	used := map[int]bool{}
	for i := range s.Traffic {
		tr := &s.Traffic[i].Transport
		data := tr.Class
		acks := data
		if s.Fabric.Overflow == "trim" {
			data, acks = max(1, data), 0
		}
		if tr.Ack.Class != nil {
			acks = *tr.Ack.Class
		}
		used[data], used[acks] = true, true
	}
	return used
}

// report logs the shares, and fails if one that is asked for is too small.
func (c *coverage) report(t *testing.T, runs int) {
	c.reportOf(t, runs, drops, trims, faults, priorities, mixedRates, domains)
}

func (c *coverage) reportOf(t *testing.T, runs int, wanted ...string) {
	if c.runs != runs {
		return // -run chose some
	}
	const least = 15 // per cent
	for _, name := range c.names {
		t.Logf("%5.1f %% of %d random scenarios: %s", 100*float64(c.counts[name])/float64(runs), runs, name)
	}
	for _, name := range wanted {
		if 100*c.counts[name] < least*runs && !testing.Short() {
			t.Errorf("only %d of %d scenarios have %s; the generator must reach it in %d %%", c.counts[name], runs, name, least)
		}
	}
}

// way is a way to execute a scenario that must not show in its result.
type way struct {
	scenario.RunOptions
	sets []string
}

// queues returns the words for event queues.
func queues() []string {
	field, _ := reflect.TypeFor[scenario.Engine]().FieldByName("Queue")
	return strings.Split(field.Tag.Get("enum"), ",")
}

// ways returns eight ways for scenario number i: 1, 2, 3 and 8 threads with two
// event queues, cut differently, checked or not, recording this or that.
func ways(i int) []way {
	i /= everyWay // a running number
	cuts := []int{1, 2, 3, 5, 1000}
	records := [][]string{
		nil,
		{"record.ports=*->*", "record.windows=*->*", "record.interval=9us"},
		{"record.flows=all", "record.ports=*->host0", "record.snapshots=0"},
		{"record.flows=sample", "record.sample.share=50%", "record.snapshots=7"},
	}
	var list []way
	for k, threads := range []int{1, 2, 3, 8} {
		for q := range 2 {
			queue := queues()[(i+k+q)%len(queues())]
			w := way{sets: append([]string{"engine.queue=" + queue}, records[(i+k+q)%len(records)]...)}
			w.Threads, w.Domains = threads, cuts[(i+2*k+3*q)%len(cuts)]
			w.Check = threads == 1 && q == i%2
			list = append(list, w)
		}
	}
	return list
}

// everyWay is of how many random scenarios one is run in every way.
const everyWay = 5

// TestRandomScenariosAnyWay runs every fifth random scenario in several ways that
// must give the same result: the hash, the numbers shown, and every port's row.
func TestRandomScenariosAnyWay(t *testing.T) {
	t.Parallel()
	var c coverage
	for i := 0; i < number(scenarios); i += everyWay {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			s := newSketch(t, i)
			want := runRandom(t, s, scenario.RunOptions{})
			c.count(load(t, s.text.String()), s.graph, want)
			for _, w := range ways(i) {
				got := runRandom(t, s, w.RunOptions, w.sets...)
				if err := verifySeries(w, got); err != nil {
					t.Errorf("%+v: %v\n%s", w, err, s.text.String())
				}
				if diff := differ(want, got); diff != "" {
					t.Errorf("%+v: %s\n%s", w, diff, s.text.String())
				}
			}
		})
	}
	c.report(t, number(scenarios)/everyWay)
}

// differ returns what differs between the results of one scenario executed in
// two ways. The number of events may: a frame that is lost on the way to another
// domain has none, and how far a host may decide ahead depends on windows.
func differ(a, b *record.Result) string {
	if a.Summary.ResultHash != b.Summary.ResultHash {
		return fmt.Sprintf("the hashes are %.12s and %.12s\n%s", a.Summary.ResultHash, b.Summary.ResultHash, cmp.Diff(a.Flows, b.Flows)+cmp.Diff(a.Ports, b.Ports))
	}
	if !slices.Equal(a.Ports, b.Ports) {
		return cmp.Diff(a.Ports, b.Ports)
	}
	if x, y := a.Manifest.SnapshotInterval, b.Manifest.SnapshotInterval; x == y && !slices.Equal(a.Snapshots, b.Snapshots) {
		return cmp.Diff(a.Snapshots, b.Snapshots)
	}
	if !slices.Equal(a.Faults, b.Faults) {
		return cmp.Diff(a.Faults, b.Faults)
	}
	return cmp.Diff(a.Summary, b.Summary, cmpopts.IgnoreFields(record.Summary{}, "Events", "EngineCPU", "Wall", "PeakRSS"))
}

// TestRandomScenariosMeasured cuts windows out of random scenarios: the messages
// in them are those of the whole run, as they were, and the ports count as much
// in two windows as in both together.
func TestRandomScenariosMeasured(t *testing.T) {
	t.Parallel()
	for i := 1; i < number(scenarios); i += 20 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			s := newSketch(t, i)
			at := fmt.Sprintf("%dns", s.between(1, 15_000))
			if spec := load(t, s.text.String()); spec.Measure != (scenario.Measure{}) {
				return
			}
			whole := runRandom(t, s, scenario.RunOptions{})
			first := runRandom(t, s, scenario.RunOptions{}, "measure.to="+at)
			second := runRandom(t, s, scenario.RunOptions{}, "measure.from="+at)

			flows := slices.Concat(first.Flows, second.Flows)
			slices.SortFunc(flows, func(a, b record.Flow) int { return int(min(1, max(-1, int64(a.ID)-int64(b.ID)))) })
			if diff := cmp.Diff(whole.Flows, flows, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("messages: %s\n%s", diff, s.text.String())
			}
			for k := range whole.Ports {
				sum := func(count func(*record.Port) int64) {
					if w, a, b := count(&whole.Ports[k]), count(&first.Ports[k]), count(&second.Ports[k]); w != a+b {
						t.Errorf("%s: %d in all, but %d and %d by window\n%s", whole.Ports[k].Name, w, a, b, s.text.String())
					}
				}
				sum(func(p *record.Port) int64 { return p.Frames })
				sum(func(p *record.Port) int64 { return p.SentBytes })
				sum(func(p *record.Port) int64 { return p.Drops.Total() })
				sum(func(p *record.Port) int64 { return p.Marks + p.Trims })
				if w, m := whole.Ports[k].QueueMax, max(first.Ports[k].QueueMax, second.Ports[k].QueueMax); w != m {
					t.Errorf("%s: the largest queue was %v in all, but %v by window\n%s", whole.Ports[k].Name, w, m, s.text.String())
				}
			}
		})
	}
}

// TestRandomScenariosSameWorkload changes the transport of random scenarios and
// finds the same messages started at the same times, but for those that wait for
// others to complete.
func TestRandomScenariosSameWorkload(t *testing.T) {
	t.Parallel()
	type start struct {
		Group    string
		ID       uint64
		Src, Dst string
		Bytes    unit.Bytes
		At       unit.Time
	}
	compared := 0
	for i := 2; i < number(scenarios); i += 10 {
		s := newSketch(t, i)
		waits := map[string]bool{}
		for _, tr := range load(t, s.text.String()).Traffic {
			waits[tr.Name] = tr.Arrival.Kind == "closed"
		}
		starts := func(res *record.Result) (list []start) {
			for _, f := range res.Flows {
				if !waits[f.Group] {
					list = append(list, start{f.Group, f.ID, f.Src, f.Dst, f.Bytes, f.Start})
				}
			}
			return list
		}
		one := runRandom(t, s, scenario.RunOptions{})
		rto := "transport.rto=60us"
		switch {
		case s.irn: // which has timeouts of its own
			rto = "transport.recovery=irn"
		case s.byOrder: // which switches that spray do not keep
			rto = "transport.recovery=selective"
		}
		other := runRandom(t, s, scenario.RunOptions{}, "routing.policy=ecmp", "transport.balancer={kind: ops, at: switch}", "transport.congestion={kind: constant, window: 2BDP}", rto)
		if one.Summary.Ended == record.Stuck || one.Summary.Ended != other.Summary.Ended {
			continue // one ran longer
		}
		compared++
		if diff := cmp.Diff(starts(one), starts(other)); diff != "" {
			t.Errorf("scenario %d: %s\n%s", i, diff, s.text.String())
		}
	}
	if compared < number(scenarios)/20 {
		t.Errorf("only %d scenarios ended alike", compared)
	}
}
