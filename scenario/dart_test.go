package scenario_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft/record"
	"weft/record/section/pauses"
	"weft/scenario"
	"weft/unit"
)

// dartText is scenarios/dart/incast.yaml with Dart.
const dartText = `weft: 1
topology: {kind: star, hosts: 18, rate: 100Gbps, delay: 1us, switch_latency: 0s}
fabric: {pfc: hpcc, buffer: 8MB, ecn: {kind: red, kmin: 400KB, kmax: 1600KB, pmax: 20%%}}
transport: {congestion: dart, balancer: ecmp, rto: 10ms}
record: {flows: all, interval: 1us, ports: ["*->*"]}
traffic:
  - {name: long, pattern: {kind: pairs, pairs: [host16->host17]}, size: 12MB}
  - {name: incast, pattern: {kind: incast, receiver: host17}, hosts: [host0..host15], size: %s, start: 100us}
`

// sentIn returns the mean rate at which a port sent from one time to another.
func sentIn(res *record.Result, name string, from, to unit.Time) float64 {
	sum := 0.0
	for _, p := range res.Series {
		if p.Kind == record.Transmitted && p.Entity == name && p.Time >= from && p.Time < to {
			sum += float64(p.Value)
		}
	}
	return sum * 8 * float64(unit.Second) / float64(to-from)
}

// firstAt returns when a port first sent at less than a rate for a span, or if above is set at more, at or after a
// time.
func firstAt(res *record.Result, name string, after, span unit.Time, above bool, rate float64) unit.Time {
	for at := after; at < unit.Second; at += unit.Microsecond {
		if got := sentIn(res, name, at, at+span); got > rate == above {
			return at
		}
	}
	return unit.Forever
}

// near tells whether a number is another one up to a share of it.
func within(got, want, share float64) bool { return math.Abs(got-want) <= share*want }

const gbps = 1e9

// The long flow sends at C until a loaded round trip after the incast's start, then at C/17, and at C
// again a round trip after its end. The incast ends when 16/17 of the link have carried it; no less than the link
// would take.
func TestDartIncast(t *testing.T) {
	t.Parallel()
	const from = 100 * unit.Microsecond
	res := execute(t, parsed(t, fmt.Sprintf(dartText, "256KB")), scenario.RunOptions{})
	drained(t, res)
	end := unit.Time(0)
	for _, f := range res.Flows {
		if f.Group == "incast" {
			end = max(end, f.End)
		}
	}
	line := 100 * unit.Gbps
	all := line.Transmit(16 * 256_000 / 4096 * 4160)
	rtt := 4676 * unit.Nanosecond
	if took := end - from; took < all || float64(took) > 17./16*float64(all)+2*float64(rtt) {
		t.Errorf("the incast took %v, want %v to %v", took, all, 17*all/16)
	}
	// Its first packets wait for each other: 17 of them take 17 MTU.
	loaded := rtt + 17*line.Transmit(4160)
	const to = "host16->tor0"
	if r := sentIn(res, to, 10*unit.Microsecond, from); !within(r, 100*gbps, 0.01) {
		t.Errorf("before, the long flow sends at %.1f Gb/s", r/gbps)
	}
	if at := firstAt(res, to, from, 12*unit.Microsecond, false, 20*gbps); at < from || at > from+2*loaded {
		t.Errorf("it falls at %v, want within %v of %v", at, 2*loaded, from)
	}
	if r := sentIn(res, to, from+4*loaded, end-4*loaded); !within(r, 100*gbps/17, 0.04) {
		t.Errorf("meanwhile it sends at %.2f Gb/s, want %.2f", r/gbps, 100./17)
	}
	if at := firstAt(res, to, end-loaded, 4*unit.Microsecond, true, 90*gbps); at < end || at > end+2*loaded {
		t.Errorf("it returns at %v, want within %v of %v", at, 2*loaded, end)
	}
	if r := sentIn(res, to, end+4*loaded, end+200*unit.Microsecond); !within(r, 100*gbps, 0.02) {
		t.Errorf("after, it sends at %.1f Gb/s", r/gbps)
	}
	if res.Summary.ECNMarks == 0 {
		t.Error("no mark was kept back")
	}
}

// With look-ahead the long flow hears of all senders with the first packet of the incast, at the latest when
// the first acknowledgement of its own after it comes.
func TestDartLookAhead(t *testing.T) {
	t.Parallel()
	oneThread(t)
	text := fmt.Sprintf(dartText, "256KB")
	fell := map[string]unit.Time{}
	for name, set := range map[string]string{"none": "traffic.incast.jitter=20us", "senders": "traffic.incast.look_ahead=senders"} {
		sets := []string{"traffic.incast.jitter=20us"}
		if set != sets[0] {
			sets = append(sets, set)
		}
		res := execute(t, parsed(t, text, sets...), scenario.RunOptions{})
		drained(t, res)
		fell[name] = firstAt(res, "host16->tor0", 100*unit.Microsecond, 12*unit.Microsecond, false, 10*gbps)
	}
	if fell["senders"]+5*unit.Microsecond > fell["none"] {
		t.Errorf("the long flow falls below 10 Gb/s at %v with look-ahead, at %v without", fell["senders"], fell["none"])
	}
}

// Messages that leave within a round trip are not slowed down: they take as long as without any control. The long
// flow makes room.
func TestDartShortMessages(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(dartText, "8KB"), "12MB", "3MB", 1)
	dart := execute(t, parsed(t, text), scenario.RunOptions{})
	free := execute(t, parsed(t, text, "transport.congestion={kind: constant, window: 100MB}"), scenario.RunOptions{})
	for i, f := range dart.Flows {
		if g := free.Flows[i]; f.Group == "incast" && f.End != g.End {
			t.Errorf("%s ends at %v, without control at %v", f.Src, f.End, g.End)
		}
	}
	if d, f := port(t, dart, "tor0->host17").QueueMean, port(t, free, "tor0->host17").QueueMean; d >= f {
		t.Errorf("the queue is %v on average, %v without control", d, f)
	}
}

// flows is a star of 100 Gb/s with long messages between pairs of hosts, each in a group of its own.
func flows(hosts int, more string, pairs ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "weft: 1\ntopology: {kind: star, hosts: %d, rate: 100Gbps, delay: 1us, switch_latency: 0s}\n", hosts)
	b.WriteString("fabric: {pfc: hpcc, buffer: 8MB, ecn: {kind: threshold, k: 225KB}}\ntransport: {congestion: dart, balancer: ecmp, rto: 10ms}\n")
	b.WriteString(more + "traffic:\n")
	for i, p := range pairs {
		fmt.Fprintf(&b, "  - {name: g%d, pattern: {kind: pairs, pairs: [%s]}, size: 1GB}\n", i, p)
	}
	return b.String()
}

const untilTwo = "until: 2ms\nrecord: {interval: 10us, ports: [\"*->*\"]}\n"

// All that a host sends to one receiver shares C/n: one with three flows and one with one have half of the link
// each.
func TestDartFlowsShare(t *testing.T) {
	for _, connection := range []string{"message", "pair"} {
		text := flows(3, untilTwo, "host0->host2", "host0->host2", "host0->host2", "host1->host2")
		res := execute(t, parsed(t, text, "transport.connection="+connection), scenario.RunOptions{})
		for _, name := range []string{"host0->tor0", "host1->tor0"} {
			if r := sentIn(res, name, 500*unit.Microsecond, 1900*unit.Microsecond); !within(r, 50*gbps, 0.01) {
				t.Errorf("%s: %s sends at %.1f Gb/s, want 50", connection, name, r/gbps)
			}
		}
	}
}

// A receiver whose link is slower than its senders' gives shares of its own link. As shares of the senders' links they
// would overload it for good: its marks are kept back, and pauses alone help.
func TestDartReceiversOfOtherRates(t *testing.T) {
	text := flows(3, untilTwo, "host0->host2", "host1->host2")
	for rate, pausing := range map[string]bool{"receiver": false, "sender": true} {
		graph := "topology={kind: graph, rate: 100Gbps, delay: 1us, switch_latency: 0s, nodes: [{name: host0..host2}, {name: tor0}], links: [{a: host0..host1, b: tor0}, {a: host2, b: tor0, rate: 25Gbps}]}"
		res := execute(t, parsed(t, text, graph, "transport.congestion.rate="+rate), scenario.RunOptions{})
		for _, name := range []string{"host0->tor0", "host1->tor0"} {
			if r := sentIn(res, name, 500*unit.Microsecond, 1900*unit.Microsecond); !pausing && !within(r, 12.5*gbps, 0.01) {
				t.Errorf("%s: %s sends at %.1f Gb/s, want 12.5", rate, name, r/gbps)
			}
		}
		if got := pauses.Of(res.Summary.Sections).Frames > 0; got != pausing {
			t.Errorf("%s: there are pauses: %t", rate, got)
		}
	}
}

// The NIC of host0 is shared by 16 receivers, so that one of them, host1, gets a sixteenth of a link from it. Without
// marks of the NIC host1 hears of no congestion and holds its other sender at C/2, for good. With them it is let go each time that
// host0 marks, until it fills the link: with the x that host0 sends, K bytes are queued K/x later, and are marked. That is receiver congestion by
// Figure 5. With patience: span what it gets beyond C/2 grows with K, a little less than in proportion. Without
// patience it gets more, which hardly depends on K (docs/dart.md).
func TestDartOutcastSender(t *testing.T) {
	t.Parallel()
	oneThread(t)
	pairs := []string{"host0->host1", "host2->host1"}
	for h := 3; h < 18; h++ {
		pairs = append(pairs, fmt.Sprintf("host0->host%d", h))
	}
	text := flows(18, "until: 6ms\nrecord: {interval: 10us, ports: [\"host*->*\"]}\n", pairs...)
	const patient = "transport.congestion.patience=span"
	rates := map[string]float64{}
	for _, marks := range []string{"true", "false"} {
		res := execute(t, parsed(t, text, patient, "transport.congestion.source_marks="+marks), scenario.RunOptions{})
		rates[marks] = sentIn(res, "host2->tor0", 100*unit.Microsecond, 6*unit.Millisecond)
		if got := res.Summary.SourceMarks > 0; got != (marks == "true") {
			t.Errorf("source_marks: %s: %d marks", marks, res.Summary.SourceMarks)
		}
	}
	if !within(rates["false"], 50*gbps, 0.005) || rates["true"] < 56*gbps {
		t.Errorf("with marks of the NIC the other sender has %.1f Gb/s, without %.1f; want at least 56, and 50", rates["true"]/gbps, rates["false"]/gbps)
	}
	second := func(sets ...string) float64 {
		res := execute(t, parsed(t, text, sets...), scenario.RunOptions{})
		return sentIn(res, "host2->tor0", 100*unit.Microsecond, 6*unit.Millisecond)
	}
	if at := second(); at < rates["true"]+5*gbps {
		t.Errorf("without patience the other sender has %.1f Gb/s, with it %.1f", at/gbps, rates["true"]/gbps)
	}
	twice := second(patient, "fabric.ecn.k=450KB")
	if grows := (twice - 50*gbps) / (rates["true"] - 50*gbps); grows < 1.3 || grows > 2 {
		t.Errorf("with K it has %.1f Gb/s beyond C/2, with 2K %.1f", rates["true"]/gbps-50, twice/gbps-50)
	}
}

// Where flows meet in the network that go to different receivers, n is 1 everywhere and Dart does what DCQCN does. Without
// the fallback nothing but pauses limits them.
func TestDartFallsBack(t *testing.T) {
	t.Parallel()
	text := `weft: 1
topology: {kind: dumbbell, left: 4, right: 4, rate: 100Gbps, bottleneck_rate: 100Gbps, delay: 1us, switch_latency: 0s}
fabric: {pfc: hpcc, buffer: 2MB, ecn: {kind: threshold, k: 225KB}}
transport: {balancer: ecmp, rto: 10ms, congestion: dcqcn}
traffic: [{name: main, pattern: {kind: pairs, pairs: [host0->host4, host1->host5, host2->host6, host3->host7]}, size: 8MB}]
`
	dcqcn := execute(t, parsed(t, text), scenario.RunOptions{}).Summary
	dart := execute(t, parsed(t, text, "transport.congestion=dart"), scenario.RunOptions{}).Summary
	alone := execute(t, parsed(t, text, "transport.congestion={kind: dart, fallback: none}"), scenario.RunOptions{}).Summary
	if !within(float64(dart.FCT.Max), float64(dcqcn.FCT.Max), 0.02) || pauses.Of(dart.Sections).Frames > 2*pauses.Of(dcqcn.Sections).Frames || pauses.Of(alone.Sections).Frames < 5*pauses.Of(dart.Sections).Frames {
		t.Errorf("the last message ends after %v and %d pauses, with DCQCN %v and %d, without fallback %v and %d",
			dart.FCT.Max, pauses.Of(dart.Sections).Frames, dcqcn.FCT.Max, pauses.Of(dcqcn.Sections).Frames, alone.FCT.Max, pauses.Of(alone.Sections).Frames)
	}
}

// Flows to one receiver that meet at a switch before its own are congestion of the receiver all the same (§III-C): its link is full. So its senders
// have C/n, and DCQCN hears of no mark.
func TestDartInternalSwitch(t *testing.T) {
	text := `weft: 1
topology: {kind: dumbbell, left: 4, right: 1, rate: 100Gbps, bottleneck_rate: 100Gbps, delay: 1us, switch_latency: 0s}
fabric: {pfc: hpcc, buffer: 8MB, ecn: {kind: threshold, k: 225KB}}
transport: {balancer: ecmp, rto: 10ms, congestion: dart}
traffic: [{name: main, pattern: {kind: incast, receiver: host4}, size: 1GB}]
` + untilTwo
	res := execute(t, parsed(t, text), scenario.RunOptions{})
	if res.Summary.ECNMarks == 0 {
		t.Error("nothing was marked")
	}
	for _, p := range res.Ports {
		if strings.HasPrefix(p.From, "host") && p.From != "host4" {
			if r := sentIn(res, p.Name, 500*unit.Microsecond, 1900*unit.Microsecond); !within(r, 25*gbps, 0.01) {
				t.Errorf("%s sends at %.1f Gb/s, want 25", p.Name, r/gbps)
			}
		}
	}
}

// A flow that joins another one at their receiver halves its rate within two loaded round trips, and gets half (Figure 15).
func TestDartJoin(t *testing.T) {
	const joins = 100 * unit.Microsecond
	text := strings.Replace(flows(3, untilTwo, "host0->host2", "host1->host2"), "[host1->host2]}, ", "[host1->host2]}, start: 100us, ", 1)
	res := execute(t, parsed(t, text, "record.interval=1us"), scenario.RunOptions{})
	rtt := 6 * unit.Microsecond // with the queue that a round trip of both leaves
	for _, name := range []string{"host0->tor0", "host1->tor0"} {
		if at := firstAt(res, name, joins+unit.Microsecond, 3*unit.Microsecond, false, 60*gbps); at > joins+2*rtt {
			t.Errorf("%s halves its rate at %v", name, at)
		}
		if r := sentIn(res, name, joins+4*rtt, 1900*unit.Microsecond); !within(r, 50*gbps, 0.005) {
			t.Errorf("%s sends at %.2f Gb/s, want 50", name, r/gbps)
		}
	}
}

// A tenant whose messages list others that never send harms itself: the other one keeps half of the link, as
// beside an honest tenant. Without tenants all would pay.
func TestDartLiar(t *testing.T) {
	text := flows(20, untilTwo, "host0->host19")
	text += "  - {name: liar, pattern: {kind: incast, receiver: host19, senders: 1}, hosts: [host1..host18], size: 1GB, tenant: b, look_ahead: %s}\n"
	const one, two, three = 100 * gbps / 2, 100 * gbps / 19, 100 * gbps / 36
	for _, tt := range []struct {
		list         string
		sets         []string
		honest, liar float64
	}{
		{"senders", nil, one, one},
		{"members", nil, one, three},
		{"members", []string{"traffic.g0.tenant=b"}, two, two},
	} {
		res := execute(t, parsed(t, fmt.Sprintf(text, tt.list), tt.sets...), scenario.RunOptions{})
		sum := sentIn(res, "tor0->host19", 500*unit.Microsecond, 1900*unit.Microsecond)
		honest := sentIn(res, "host0->tor0", 500*unit.Microsecond, 1900*unit.Microsecond)
		if !within(honest, tt.honest, 0.01) || !within(sum-honest, tt.liar, 0.02) {
			t.Errorf("%+v: the honest sender has %.2f Gb/s, the other one %.2f", tt, honest/gbps, (sum-honest)/gbps)
		}
	}
}

// Tenants share a receiver by their weights, in the order in which traffic names them.
func TestDartWeights(t *testing.T) {
	text := flows(4, untilTwo, "host0->host3", "host1->host3", "host2->host3")
	sets := []string{"traffic.g0.tenant=a", "traffic.g1.tenant=a", "traffic.g2.tenant=b", "transport.congestion.weights=[3, 1]"}
	res := execute(t, parsed(t, text, sets...), scenario.RunOptions{})
	for name, want := range map[string]float64{"host0->tor0": 37.5, "host1->tor0": 37.5, "host2->tor0": 25} {
		if r := sentIn(res, name, 500*unit.Microsecond, 1900*unit.Microsecond); !within(r, want*gbps, 0.01) {
			t.Errorf("%s sends at %.2f Gb/s, want %v", name, r/gbps, want)
		}
	}
}

// Mistakes with tenants and lists are told with their places.
func TestDartRefusals(t *testing.T) {
	text := fmt.Sprintf(dartText, "8KB")
	for want, sets := range map[string][]string{
		"cannot name a tenant":          {"traffic.long.tenant=9"},
		"use incast or bursts":          {"traffic.long.look_ahead=senders"},
		"none, senders or members":      {"traffic.incast.look_ahead=all"},
		"receiver or sender":            {"transport.congestion.rate=mean"},
		"weights must be 1":             {"transport.congestion.weights=[0]"},
		"fabric.ecn":                    {"fabric.ecn=off"},
		"write payload: 65399B or less": {"traffic.incast.look_ahead=senders", "transport.payload=65400B", "transport.header=64B", "fabric.queue=1MB"},
	} {
		if err := verified("x.yaml", text, sets...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", sets, err, want)
		}
	}
}

// Acknowledgements that wait behind data tell of shares late, in networks of several switches.
func TestDartAcksFirst(t *testing.T) {
	text := strings.Replace(flows(3, "", "host0->host2"), "kind: star, hosts: 3", "kind: dumbbell, left: 2, right: 2", 1)
	for _, c := range []struct {
		text string
		sets []string
		want bool
	}{
		{flows(3, "", "host0->host2"), nil, false},
		{text, nil, true},
		{text, []string{"fabric.classes=2", "transport.class=1", "transport.ack.class=0"}, false},
		{text, []string{"transport.congestion=dcqcn"}, false},
	} {
		b, err := parsed(t, c.text, c.sets...).Build()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(b.Notices, "\n"), "write fabric: {classes: 2} and transport: {class: 1, ack: {class: 0}}"); got != c.want {
			t.Errorf("%v: a notice tells of acknowledgements: %t", c.sets, got)
		}
	}
}

// Messages with Dart can be explained, also while they wait for the share of their host.
func TestExplainDart(t *testing.T) {
	text := strings.ReplaceAll(flows(3, "record: {flows: all}\n", "host0->host2", "host0->host2", "host1->host2"), "1GB", "300KB")
	s := parsed(t, text)
	for _, f := range execute(t, s, scenario.RunOptions{}).Flows {
		if x := explained(t, s, f); !x.Finished || x.Counts.Paced == 0 {
			t.Errorf("%+v is explained by %+v", f, x.Counts)
		}
	}
}

// Random scenarios with bundles, lists and marks of sources give the same results, whichever way they are run.
func TestDartAnyWay(t *testing.T) {
	t.Parallel()
	runs, lists := 0, 0
	for i := 0; i < number(150); i += everyWay {
		s := newSketch(t, i)
		text := s.text.String()
		sets := []string{
			"transport.congestion={kind: dart, span: 3us, patience: 1us, calm: 20us, idle: 50us, rate_timer: 20us, interval: 5us}",
			"fabric.ecn={kind: red, kmin: 2kB, kmax: 9kB, pmax: 50%}", "traffic.g0.tenant=a",
		}
		if err := verified("testdata/scenario.yaml", text, sets...); err != nil {
			continue // a group's own control, or a fabric that does not mark so
		}
		if list := append(sets, "traffic.g0.look_ahead=members"); verified("testdata/scenario.yaml", text, list...) == nil {
			if sets = list; lists%2 == 0 {
				sets = append(sets, "transport.congestion.advertise=true")
			}
			lists++
		}
		if pfc := append(sets, "fabric.pfc=3kB"); i%2 == 0 && verified("testdata/scenario.yaml", text, pfc...) == nil {
			sets = pfc
		}
		runs++
		want := runRandom(t, s, scenario.RunOptions{}, sets...)
		for _, w := range ways(i) {
			got := runRandom(t, s, w.RunOptions, append(w.sets, sets...)...)
			if diff := differ(want, got); diff != "" {
				t.Errorf("%+v: %s\n%s", w, diff, text)
			}
		}
	}
	if runs < number(150)/everyWay/2 || lists == 0 && !testing.Short() {
		t.Errorf("%d scenarios, %d with lists", runs, lists)
	}
}
