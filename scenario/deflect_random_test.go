package scenario_test

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/protocol"
	"weft/record"
	"weft/record/section/deflection"
	"weft/record/section/detours"
	"weft/record/section/pauses"
	"weft/scenario"
)

// deflectScenarios is how many random scenarios with deflection are run; -short runs a tenth.
var deflectScenarios = flag.Int("deflect.scenarios", 50, "random scenarios with deflection")

// dartOfPackets is Dart whose receivers decide within a few packets of 10 Gb/s.
const dartOfPackets = "{kind: dart, span: 3us, patience: 1us, calm: 20us, rate_timer: 20us, interval: 5us}"

// newDeflectSketch draws scenario number i of those whose switches deflect: several messages compete for links
// between switches, with pauses in every other one.
func newDeflectSketch(t testing.TB, i int) *sketch {
	s := &sketch{draw: newDraw(2_000_000 + i), later: newDraw(4_000_000 + i)}
	fmt.Fprintf(&s.text, "weft: 1\nname: deflect-%d\nseed: %d\n", i, s.IntN(1000))
	var o options
	o.set("rate", "10Gbps")
	o.set("delay", "%s", oneOf(s.draw, "10ns", "500ns", "1us"))
	if s.chance(0.6) {
		o.set("kind", "leaf-spine")
		o.set("tors", "%d", s.between(2, 4))
		o.set("hosts_per_tor", "%d", s.between(2, 4))
		o.set("spines", "%d", s.between(1, 4))
		o.set("links_per_spine", "%d", oneOf(s.draw, 1, 1, 2))
	} else {
		o.set("kind", "fat-tree")
		o.set("tiers", "3")
		o.set("uplinks_per_tor", "%d", s.between(1, 3))
		o.set("hosts_per_tor", "%d", s.between(1, 3))
		o.set("tors_per_pod", "%d", s.between(1, 2))
		o.set("uplinks_per_agg", "%d", s.between(1, 2))
		o.set("pods", "%d", s.between(2, 3))
	}
	topology := o.String()
	fmt.Fprintf(&s.text, "topology: %v\n", topology)
	s.graph = graphOf(t, topology)
	fmt.Fprintf(&s.text, "routing: {reconverge: %s}\n", oneOf(s.draw, "never", "never", "never", "4us"))
	s.payload = oneOf(s.draw, 200, 1000, 1436)
	s.lossless = s.chance(0.5)
	fmt.Fprintf(&s.text, "fabric: %v\n", s.deflectingFabric())
	control := oneOf(s.draw, dartOfPackets, dartOfPackets, dartOfPackets, "dart", "dcqcn", "hpcc", "timely", "{kind: constant, window: 64KiB}", "nscc")
	fmt.Fprintf(&s.text, "transport: {payload: %dB, balancer: ecmp, congestion: %s, recovery: %s, ack: {every: %d}, connection: %s}\n",
		s.payload, control,
		oneOf(s.draw, "selective", "go-back-n", "irn"), oneOf(s.draw, 1, 1, 3), oneOf(s.draw, "message", "pair"))
	s.text.WriteString("traffic:\n")
	hosts := s.hostNames(len(s.graph.Hosts))
	fmt.Fprintf(&s.text, "  - {name: long, pattern: permutation, size: 100KB, arrival: {kind: once, count: %d}}\n", s.between(1, 2))
	pattern, list := oneOf(s.draw, "uniform", "{kind: incast, receiver: "+hosts[0]+"}"), ""
	if strings.Contains(control, "dart") && pattern != "uniform" && len(hosts) <= 1+protocol.MostListed {
		list = oneOf(s.draw, "", ", look_ahead: senders", ", look_ahead: members")
	}
	fmt.Fprintf(&s.text, "  - {name: short, pattern: %s, size: %dB, arrival: {kind: closed, outstanding: %d, count: %d}, jitter: 5us%s}\n",
		pattern, s.between(1, 8000), s.between(1, 4), s.between(4, 20), list)
	s.faults()
	s.text.WriteString("until: 50ms\n")
	fmt.Fprintf(&s.text, "engine: {domains: %s, queue: %s}\n", oneOf(s.draw, "auto", "2", "3", "100"), oneOf(s.draw, "sweep", "calendar"))
	s.strays()
	return s
}

// strays lets some scenarios with deflection route otherwise than by minimal paths, and have more tokens than lanes have room for.
func (s *sketch) strays() {
	text := s.text.String()
	if s.later.chance(0.5) {
		policy := oneOf(s.later, "valiant", "valiant", "{kind: layers, scheme: sample, layers: 3}", "{kind: layers, scheme: spain, layers: 4}", "ksp")
		text = strings.Replace(text, "routing: {", "routing: {policy: "+policy+", ", 1)
		if s.lossless {
			text = strings.Replace(text, "lanes: auto", "lanes: 1", 1)
		}
	}
	if s.later.chance(0.2) && (!s.lossless || !strings.Contains(text, "lanes: auto")) {
		text = tokens.ReplaceAllString(text, fmt.Sprintf("tokens: %d", s.later.between(7, 14)))
	}
	s.rewrite(text)
}

var tokens = regexp.MustCompile(`tokens: [1-6]`)

func (s *sketch) deflectingFabric() string {
	var o, d options
	frame := s.payload + 64
	o.set("queue", "%dB", s.between(5, 40)*frame)
	o.set("ecn", "{kind: threshold, k: %d%%}", s.between(10, 100))
	d.set("threshold", "%dB", s.IntN(10)*frame)
	tokens := s.between(1, 6)
	d.set("tokens", "%d", tokens)
	d.set("table", "%d", oneOf(s.draw, 0, 1, 2, 8, 8, 64))
	d.set("lanes", "%s", oneOf(s.draw, "auto", "auto", "1", "2"))
	d.set("age", "%s", oneOf(s.draw, "0s", "10ms"))
	o.set("deflect", "%v", d)
	if s.lossless {
		o.set("pfc", "%dB", s.between(3, 20)*frame)
	}
	return o.String()
}

// TestRandomDeflections runs random scenarios in which switches deflect. The packets of a message that are sent for the first
// time arrive in order, also when others are lost, as long as routes stay; no table is left with a row whose packets all arrived; and with a lane for each token
// no pauses wait for each other. Other threads and domains give the same.
func TestRandomDeflections(t *testing.T) {
	t.Parallel()
	var c coverage
	for i := range number(*deflectScenarios) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			s := newDeflectSketch(t, i)
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("panic: %v\n%s", p, s.text.String())
				}
			}()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			spec := load(t, s.text.String())
			ordered, order, err := scenario.RunOrdered(ctx, spec)
			if err != nil {
				t.Fatalf("%v\n%s", err, s.text.String())
			}
			want := runRandom(t, s, scenario.RunOptions{})
			sum := &want.Summary
			d := deflection.Of(sum.Sections)
			rerouted := !spec.Routing.Reconverge.Never && len(spec.Faults) > 0
			problem := func(format string, args ...any) { t.Errorf(format+"\n%s", append(args, s.text.String())...) }
			if len(order.Wrong) > 0 && d.Aged == 0 && !rerouted {
				problem("%d times out of order: %s", len(order.Wrong), order.Wrong[0])
			}
			if len(order.Senders) > 0 {
				problem("%d times a wrong number of senders: %s", len(order.Senders), order.Senders[0])
			}
			if d.RowsMax > int64(spec.Fabric.Deflect.Table) {
				problem("a table of %d had %d rows", spec.Fabric.Deflect.Table, d.RowsMax)
			}
			if d.Left > 0 && sum.Ended == record.Drained && !order.Lost && !rerouted {
				problem("%d rows are left", d.Left)
			}
			if sum.Deadlocked && spec.Fabric.Deflect.Lanes == "auto" && !rerouted && !strings.Contains(s.text.String(), "kind: missing") {
				problem("with a lane for each token: %s", sum.Cause)
			}
			if len(spec.Faults) == 0 && sum.Ended != record.Drained && !sum.Deadlocked {
				problem("it ended as %s: %s", sum.Ended, sum.Cause)
			}
			if s.lossless && len(spec.Faults) == 0 && sum.Drops.Total() > 0 {
				problem("%d frames were dropped in a lossless fabric", sum.Drops.Total())
			}
			if a := &ordered.Summary; a.ResultHash != sum.ResultHash || *deflection.Of(a.Sections) != *d {
				problem("followed: %.12s and %+v, want %.12s and %+v", a.ResultHash, *deflection.Of(a.Sections), sum.ResultHash, *d)
			}
			for _, v := range []scenario.RunOptions{{Threads: 1 + i%3, Domains: []int{100, 3}[i%2], Check: i%4 == 0}} {
				got := runRandom(t, s, v)
				if diff := differ(want, got); diff != "" {
					problem("%d threads, %d domains: %s", v.Threads, v.Domains, diff)
				}
			}
			c.runs++
			c.hit("deflections", d.Hops > 0)
			c.hit("rows", d.Rows > 0)
			c.hit("no tokens", d.Refused.NoTokens > 0)
			c.hit("full tables", d.Refused.TableFull > 0)
			c.hit("no port", d.Refused.NoPort > 0)
			c.hit("aged", d.Aged > 0)
			c.hit("deflections on detours", d.Hops > 0 && detours.Of(sum.Sections) != nil && detours.Of(sum.Sections).Detours > 0)
			c.hit("deflections in layers", d.Hops > 0 && spec.Routing.Policy.Kind == "layers")
			c.hit("deflections on explicit paths", d.Hops > 0 && spec.Routing.Policy.Kind == "ksp")
			c.hit("many tokens", d.Hops > 0 && spec.Fabric.Deflect.Tokens > 6)
			c.hit("lossless and deflected", s.lossless && d.Hops > 0)
			c.hit("pauses", pauses.Of(sum.Sections) != nil && pauses.Of(sum.Sections).Frames > 0)
			c.hit("losses of short messages", order.Lost)
			c.hit("senders counted", order.Told > 0)
			c.hit("senders counted and deflections", order.Told > 0 && d.Hops > 0)
			c.hit("deadlocks", sum.Deadlocked)
			c.hit("drained", sum.Ended == record.Drained)
			c.hit("stuck", sum.Ended == record.Stuck)
		})
	}
	c.reportOf(t, number(*deflectScenarios), "deflections", "rows", "full tables", "senders counted and deflections")
	for _, rare := range []string{"deflections on detours", "deflections in layers", "deflections on explicit paths", "many tokens"} {
		if c.counts[rare] == 0 && c.runs == *deflectScenarios {
			t.Errorf("no scenario has %s", rare)
		}
	}
}
