package scenario_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"weft/fabric"
	"weft/record"
	"weft/scenario"
	"weft/topo"
	"weft/unit"
)

// losslessScenarios is how many random scenarios with pauses are run; -short runs a tenth.
const losslessScenarios = 500

// newLosslessSketch draws scenario number i of those whose switches pause their neighbours. Networks have no circles
// of minimal routes, which could wait for each other, and everything else is small.
func newLosslessSketch(t testing.TB, i int) *sketch {
	s := &sketch{draw: newDraw(1_000_000 + i), later: newDraw(2_000_000 + i), schedulers: newDraw(9_000_000 + i), lossless: true}
	fmt.Fprintf(&s.text, "weft: 1\nname: lossless-%d\nseed: %d\n", i, s.IntN(1000))
	topology := s.topology()
	for strings.Contains(topology, "kind: graph") {
		topology = s.topology()
	}
	fmt.Fprintf(&s.text, "topology: %v\n", topology)
	s.graph = graphOf(t, topology)
	fmt.Fprintf(&s.text, "routing: {policy: %s, reconverge: %s}\n", oneOf(s.draw, "ecmp", "ecmp", "wcmp"), oneOf(s.draw, "never", "0s", "4us", "25us"))
	s.payload, s.header = oneOf(s.draw, 200, 1000, 1456, 4096), oneOf(s.draw, 0, 48, 62)
	if own := newDraw(3_000_000 + i); own.chance(0.3) {
		s.reply = oneOf(own, 300, 2000, 9000)
	}
	fmt.Fprintf(&s.text, "fabric: %v\n", s.losslessFabric())
	fmt.Fprintf(&s.text, "transport: %v\n", s.transport(true))
	s.text.WriteString("traffic:\n")
	for g := range oneOf(s.draw, 1, 1, 2, 3) {
		fmt.Fprintf(&s.text, "  - %v\n", s.traffic(g))
	}
	s.faults()
	s.windows()
	fmt.Fprintf(&s.text, "engine: {domains: %s, queue: %s}\n", oneOf(s.draw, "auto", "2", "3", "8", "100"), oneOf(s.draw, "sweep", "calendar"))
	s.recovers()
	if d := newDraw(5_000_000 + i); d.chance(0.2) {
		s.slowed(d)
	}
	return s
}

// recovers gives some scenarios another way to recover from what faults lose, and interrupts.
func (s *sketch) recovers() {
	text := s.text.String()
	if s.later.chance(0.4) {
		recovery := oneOf(s.later, "sack", "irn", "go-back-n", "{kind: irn, rto_low: 30us, rto_high: 60us}")
		if strings.Contains(recovery, "irn") {
			text = ownTimeouts.ReplaceAllString(text, "")
		}
		text = recovering(text, recovery)
	}
	s.rewrite(s.interrupted(text))
}

var ownTimeouts = regexp.MustCompile(`, rto: [0-9a-z]+`)

// losslessFabric draws thresholds of pauses that some hundred packets reach, and buffers with little to share.
func (s *sketch) losslessFabric() string {
	var o options
	const stamps = 42
	frame := s.payload + s.header + stamps
	largest := max(frame, 66+s.reply+150) // with stamps, counts and a reply
	o.set("queue", "%dB", 20*frame)       // for thresholds of marks
	s.classes = oneOf(s.draw, 1, 1, 2, 3)
	o.set("classes", "%d", s.classes)
	s.scheduler(&o)
	if s.chance(0.7) {
		o.set("ecn", "{kind: threshold, k: %d%%, at: %s}", s.between(1, 100), oneOf(s.draw, "enqueue", "dequeue"))
	} else {
		low := s.between(0, 100)
		o.set("ecn", "{kind: red, kmin: %d%%, kmax: %d%%, pmax: %d%%, at: dequeue}", low, s.between(low, 100), s.between(1, 100))
	}
	pfc, shared := options{}, true
	xoff := s.between(1, 8) * frame
	switch oneOf(s.draw, "fixed", "fixed", "egress", "hpcc", "conweave") {
	case "fixed", "egress":
		pfc.set("xoff", "%dB", xoff)
		if s.chance(0.3) {
			pfc.set("xon", "%dB", s.IntN(xoff))
		}
		if shared = s.chance(0.4); s.chance(0.3) {
			pfc.set("of", "egress")
		}
	case "hpcc":
		pfc.set("model", "hpcc")
	case "conweave":
		pfc.set("model", "conweave")
	}
	if s.chance(0.2) {
		pfc.set("reserve", "%dB", s.IntN(3*frame))
	}
	if s.later.chance(0.2) {
		quanta := oneOf(s.later, 140, 1000, 65535) // refreshed, so that pauses hold
		if s.reply > 0 {
			quanta = max(quanta, 300) // behind long acknowledgements, too
		}
		pfc.set("quanta", "%d", quanta)
	}
	o.set("pfc", "%v", pfc)
	if shared {
		kept := map[topo.NodeID]unit.Bytes{}
		most := unit.Bytes(0)
		for i := range s.graph.Links {
			l := &s.graph.Links[i]
			for _, to := range []topo.NodeID{l.A, l.B} {
				headroom := fabric.Headroom(l.Rate, l.Delay, s.graph.Nodes[to].Latency, unit.Bytes(largest))
				kept[to] += unit.Bytes(s.classes) * (unit.Bytes(max(4096, 3*frame)) + max(headroom, l.Rate.In(3*l.Delay)))
				most = max(most, kept[to])
			}
		}
		o.set("buffer", "%dB", int(most)+xoff+s.between(2, 30)*frame)
	}
	if s.chance(0.3) {
		o.set("telemetry", "{quantised: %s}", oneOf(s.draw, "true", "false"))
	}
	if s.chance(0.2) {
		o.set("nic_jitter", "%s", oneOf(s.draw, "5ns", "{ppm: 200}", "{delay: 3us, ppm: 1}"))
	}
	return o.String()
}

// losslessTransport draws a transport of network adapters; a group draws only some of it.
func (s *sketch) losslessTransport(whole bool) string {
	var o options
	says := func() bool { return whole || s.chance(0.3) }
	if whole {
		o.set("payload", "%dB", s.payload)
		o.set("header", "%dB", s.header)
		o.set("balancer", "ecmp")
		o.set("rto", "%s", oneOf(s.draw, "200us", "1ms", "10ms"))
	}
	if says() {
		ack := options{}
		ack.set("size", "%dB", oneOf(s.draw, 1, 64, 66))
		ack.set("every", "%d", oneOf(s.draw, 1, 1, 1, 2, 8))
		if s.chance(0.3) {
			ack.set("class", "%d", s.IntN(s.classes))
		}
		if s.chance(0.2) {
			ack.set("bitmap", "true")
		}
		if s.reply > 0 {
			ack.set("reply", "%dB", s.reply)
		}
		o.set("ack", "%v", ack)
	}
	if says() {
		s.connection(&o)
	}
	if says() {
		o.set("class", "%d", s.IntN(s.classes))
	}
	if control := s.losslessControl(says()); whole && s.later.chance(0.25) {
		controls := []string{"dart", "{kind: dart, drain: 90%}"}
		if s.classes == 1 { // switches compute rates for one class
			controls = append(controls, "rocc", "{kind: rocc, offset: 7us}", "rcp", "{kind: rcp, preset: netfpga}", s.onePath("direct"))
		}
		o.set("congestion", "%s", oneOf(s.later, controls...))
	} else if control != "" {
		o.set("congestion", "%s", control)
	}
	return o.String()
}

// losslessControl draws a control that acts for each connection alone, or none.
func (s *sketch) losslessControl(drawn bool) string {
	if !drawn {
		return ""
	}
	return oneOf(s.draw, "hpcc", "hpcc", "{kind: hpcc, preset: code, lhcs: true}", "{kind: hpcc, react: rtt, int_bytes: 0B}",
		s.onePath("fncc"), s.onePath("fncc"), s.onePath("{kind: fncc, count: recent, lhcs_apply: direct}"), s.onePath("{kind: fncc, count: connections, window: false}"),
		"dcqcn", "dcqcn-nic", "timely", "{kind: timely, preset: scaled}", "{kind: timely, preset: paper, segment: 4KB}", "dctcp-rate",
		"{kind: constant, window: 1MiB}", "{kind: constant, window: 64MiB}")
}

// onePath returns a control whose acknowledgements must cross the links of the data, or HPCC where switches are joined by
// several links, which hash them apart.
func (s *sketch) onePath(control string) string {
	if strings.Contains(s.text.String(), "links_per_spine: 2") {
		return "hpcc"
	}
	return control
}

// runLossless runs a random scenario as RunPaused does.
func runLossless(t *testing.T, s *sketch, o scenario.RunOptions) (*record.Result, map[string]scenario.Paused, uint64) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("panic: %v\n%s", p, s.text.String())
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	res, links, stamped, err := scenario.RunPaused(ctx, load(t, s.text.String()), o)
	switch {
	case err != nil:
		t.Fatalf("%v\n%s", err, s.text.String())
	case res.Summary.Ended == record.Interrupted:
		t.Fatalf("it did not end within %v\n%s", patience, s.text.String())
	}
	return res, links, stamped
}

// TestRandomLossless runs random scenarios in which switches pause their neighbours. Headroom holds what comes after
// a pause, so that nothing is lost but to faults, and without those every message arrives. Two more ways to run
// each, by threads and domains, give the same. The books of switches are checked
// at the end of every window in one of four.
func TestRandomLossless(t *testing.T) {
	t.Parallel()
	var c coverage
	// In 5026 messages end while their connection waits for the end of a pause, and other hosts use it next.
	// In 2369 a switch has a notice to send when its buffer is full.
	cases := []int{5026, 2369}
	for i := range number(losslessScenarios) {
		cases = append(cases, i)
	}
	for _, i := range cases {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			s := newLosslessSketch(t, i)
			spec := load(t, s.text.String())
			want, links, stamped := runLossless(t, s, scenario.RunOptions{Threads: 1, Check: i%4 == 0})
			for _, problem := range s.verifyLossless(spec, want, links) {
				t.Errorf("%s\n%s", problem, s.text.String())
			}
			for k, threads := range [][]int{{1, 2}, {2, 3}, {1, 3}}[i%3] {
				cut := []int{2, 3, 5, 1000}[(i+k)%4]
				got, paused, grown := runLossless(t, s, scenario.RunOptions{Threads: threads, Domains: cut, Check: i%10 == k})
				if diff := differ(want, got); diff != "" || grown != stamped {
					t.Errorf("%d threads, %d domains: %s; frames grew by %d and %d B\n%s", threads, cut, diff, stamped, grown, s.text.String())
				}
				for name, p := range links {
					if q := paused[name]; p != q {
						t.Errorf("%d threads, %d domains: %s: %+v, and %+v\n%s", threads, cut, name, p, q, s.text.String())
					}
				}
			}
			c.countLossless(spec, want, links, stamped)
		})
	}
	c.reportOf(t, len(cases), pausesHeard, headroomUsed, stampsOnAcks, stampsOnData, faults)
}
