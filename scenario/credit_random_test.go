package scenario_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"weft/record"
	"weft/record/section/credits"
	"weft/scenario"
)

// creditScenarios is how many random scenarios with credits and stamps are run; -short runs a tenth.
const creditScenarios = 120

// newCreditSketch draws scenario number i of those in which ports limit credits and switches stamp frames: one group gets credits,
// and another reads stamps, in the same queues.
func newCreditSketch(t testing.TB, i int) *sketch {
	s := &sketch{draw: newDraw(6_000_000 + i), later: newDraw(7_000_000 + i), leastClass: math.MaxInt}
	fmt.Fprintf(&s.text, "weft: 1\nname: credits-%d\nseed: %d\n", i, s.IntN(1000))
	topology := s.topology()
	for strings.Contains(topology, "kind: graph") || strings.Contains(topology, "links_per_spine: 2") { // where data do not retrace credits
		topology = s.topology()
	}
	fmt.Fprintf(&s.text, "topology: %v\n", topology)
	s.graph = graphOf(t, topology)
	fmt.Fprintf(&s.text, "routing: {reconverge: %s}\n", oneOf(s.draw, "never", "0s", "4us", "25us"))
	s.payload, s.header = oneOf(s.draw, 200, 1000, 1460), oneOf(s.draw, 0, 48, 78)
	fmt.Fprintf(&s.text, "fabric: %v\n", s.creditFabric())
	fmt.Fprintf(&s.text, "transport: {payload: %dB, header: %dB, ack: {size: 84B}, balancer: ecmp, congestion: %s}\ntraffic:\n",
		s.payload, s.header, oneOf(s.draw, "expresspass", "expresspass", "{kind: expresspass, preset: paper}"))
	for g, transport := range []string{"", s.stampedTransport()} {
		fmt.Fprintf(&s.text, "  - %v\n", s.creditTraffic(g, transport))
	}
	if s.chance(0.4) {
		fault := s.fault()
		for strings.Contains(fault, "kind: missing") {
			fault = s.fault()
		}
		fmt.Fprintf(&s.text, "faults:\n  - %s\n", fault)
	}
	s.windows()
	fmt.Fprintf(&s.text, "engine: {domains: %s, queue: %s}\n", oneOf(s.draw, "auto", "2", "3", "8"), oneOf(s.draw, "sweep", "calendar"))
	return s
}

// creditFabric draws ports with a class of credits and switches that stamp, some of which pause the links of data.
func (s *sketch) creditFabric() string {
	var o options
	frame := s.payload + s.header
	s.classes = 2
	o.set("classes", "2")
	o.set("ecn", `"off"`)
	o.set("credits", "{data: %dB, queue: %dB, burst: %dB}", max(frame, 1538), 84*s.between(2, 12), 84*s.between(1, 4))
	o.set("telemetry", "{quantised: %s}", oneOf(s.draw, "true", "false"))
	if s.chance(0.4) {
		o.set("pfc", "{xoff: %dB, classes: [1]}", s.between(4, 20)*frame)
	} else {
		o.set("queue", "%dB", s.between(4, 40)*(frame+100))
	}
	if s.chance(0.3) {
		o.set("nic_interrupts", "%s", oneOf(s.draw, "1us", "10us"))
	}
	if s.chance(0.3) {
		o.set("nic_jitter", "%s", oneOf(s.draw, "5ns", "{ppm: 200}"))
	}
	return o.String()
}

// stampedTransport draws the transport of the group that reads stamps, on data or on acknowledgements.
func (s *sketch) stampedTransport() string {
	return fmt.Sprintf("{class: 1, rto: %s, congestion: %s}", oneOf(s.draw, "200us", "1ms"),
		oneOf(s.draw, "hpcc", "{kind: hpcc, preset: code, lhcs: true}", "fncc", "{kind: fncc, count: recent}"))
}

// creditTraffic draws group number g.
func (s *sketch) creditTraffic(g int, transport string) string {
	var o options
	o.set("name", "g%d", g)
	o.set("pattern", "%s", s.pattern(s.hostNames(len(s.graph.Hosts))))
	size := s.between(1, 60*s.payload)
	o.set("size", "%dB", size)
	o.set("arrival", "%s", s.arrival(size))
	if s.chance(0.3) {
		o.set("start", "%dns", s.IntN(20_000))
	}
	if transport != "" {
		o.set("transport", "%s", transport)
	}
	return o.String()
}

// What a share of the scenarios with credits and stamps must reach.
const (
	stampsBesideCredits = "stamps beside credits that brought data"
	creditsDropped      = "credits dropped by ports"
)

// TestRandomCreditsAndStamps runs random scenarios in which credits and stamped frames share ports. The books of both are checked at
// the end of every window of one in three, and by whatever threads, cuts and queue each gives the same.
func TestRandomCreditsAndStamps(t *testing.T) {
	t.Parallel()
	var c coverage
	for i := range number(creditScenarios) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			s := newCreditSketch(t, i)
			spec := load(t, s.text.String())
			want, _, stamped := runLossless(t, s, scenario.RunOptions{Threads: 1, Check: i%3 == 0})
			for _, problem := range s.verifyCredits(spec, want) {
				t.Errorf("%s\n%s", problem, s.text.String())
			}
			for k, threads := range [][]int{{1, 2}, {2, 3}, {1, 3}}[i%3] {
				cut := []int{2, 3, 5, 1000}[(i+k)%4]
				got, _, grown := runLossless(t, s, scenario.RunOptions{Threads: threads, Domains: cut, Check: i%10 == k})
				if diff := differ(want, got); diff != "" || grown != stamped {
					t.Errorf("%d threads, %d domains: %s; frames grew by %d and %d B\n%s", threads, cut, diff, stamped, grown, s.text.String())
				}
			}
			sum := &want.Summary
			own := credits.PacketsOf(sum.Sections)
			c.runs++
			c.hit(stampsBesideCredits, stamped > 0 && own != nil && own.Used > 0)
			c.hit(creditsDropped, sum.Drops.CreditQueueFull > 0)
			c.hit(faults, len(spec.Faults) > 0 && struck(want))
			c.hit("pauses", len(want.Pauses) > 0)
			c.hit("interrupts", spec.Fabric.Interrupts != nil)
			c.hit("data lost", sum.LostToCongestion.Frames > 0)
			c.hit("drained", sum.Ended == record.Drained)
		})
	}
	c.reportOf(t, number(creditScenarios), stampsBesideCredits, creditsDropped, faults)
}

// verifyCredits returns what is wrong with the result of a scenario with credits and stamps.
func (s *sketch) verifyCredits(spec *scenario.Scenario, res *record.Result) (problems []string) {
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if err := verifyEnd(spec, res); err != nil {
		wrong("%v", err)
	}
	for _, err := range verifyMessages(spec, s.graph, res) {
		wrong("%v", err)
	}
	for i := range res.Flows {
		if f := &res.Flows[i]; f.Group != "g0" { // a transport of hosts sends again what no timeout asked for
			if err := verifyFlow(spec, f); err != nil {
				wrong("message %+v: %v", *f, err)
			}
		}
	}
	c, dropped := credits.PacketsOf(res.Summary.Sections), res.Summary.Drops.CreditQueueFull
	switch {
	case spec.Measure != (scenario.Measure{}):
	case c == nil:
		if dropped > 0 {
			wrong("%d credits were dropped, and none made", dropped)
		}
	case c.Refused+c.Sent > c.Issued || c.Received+dropped > c.Sent || c.Used+c.Wasted > c.Received:
		wrong("credits: %+v, and ports dropped %d", *c, dropped)
	case len(spec.Faults) == 0 && res.Summary.Ended == record.Drained && c.Received+dropped != c.Sent:
		wrong("nothing failed and nothing is left, and credits are missing: %+v, and ports dropped %d", *c, dropped)
	}
	return problems
}
