package scenario_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/record"
	"weft/record/section/deflection"
	"weft/scenario"
	"weft/unit"
)

// dartDeflects is a lossless Clos in which both halves of Dart act: host0 has a long flow and an incast, and three of
// the hosts that send in it share a ToR with cross traffic to others.
const dartDeflects = `weft: 1
topology: {kind: leaf-spine, tors: 3, hosts_per_tor: 8, spines: 4, rate: 10Gbps, delay: 1us, switch_latency: 0s}
fabric: {pfc: 100KB, ecn: {kind: threshold, k: 22.5KB}, deflect: {threshold: 5KB}}
transport: {payload: 1436B, header: 64B, congestion: {kind: dart, patience: span}, balancer: ecmp, rto: 10ms}
record: {flows: all, interval: 10us, ports: [host8->tor1]}
traffic:
  - {name: long, pattern: {kind: pairs, pairs: [host8->host0]}, size: 1MB}
  - {name: cross, pattern: {kind: pairs, pairs: [host16->host9, host17->host10, host18->host11]}, size: 200KB}
  - name: incast
    pattern: {kind: incast, receiver: host0}
    hosts: [host9..host12, host16..host23]
    size: 8KB
    start: 100us
    arrival: {kind: closed, count: 5}
    look_ahead: senders
`

// Dart's receivers and its switches act together in a lossless fabric, with a lane for each token. Deflected messages
// arrive in order; every acknowledgement has as many senders as there are, by the frames that came; and no table and no
// count keeps anything. The receiver's link is full from beginning to end, so that the long flow takes what it would alone
// and what the incast takes of the link, and meanwhile it sends at C/n, for the n that it is told: 13 where all twelve send.
func TestDartDeflects(t *testing.T) {
	t.Parallel()
	line, packet := 10*unit.Gbps, unit.Bytes(1500)
	long, incast := line.Transmit(697*packet), line.Transmit(12*5*(5*packet+820+64))
	const rtt = 13005 * unit.Nanosecond
	for name, sets := range map[string][]string{
		"":      nil,
		"turns": {"fabric.lane_order=turns"},
		// Long messages go after short ones, in a class that is not deflected.
		"priorities": {"fabric.classes=7", "traffic.long.transport.class=6", "traffic.cross.transport.class=6"},
	} {
		s := load(t, dartDeflects, sets...)
		res, order, err := scenario.RunOrdered(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		drained(t, res)
		sum := &res.Summary
		d := deflection.Of(sum.Sections)
		if d.Messages == 0 || d.Rows == 0 || d.Hops < d.Messages || d.Aged+d.Left > 0 || d.RowsMax > 8 {
			t.Errorf("%s: %+v", name, *d)
		}
		if sum.Drops.Total() > 0 || sum.Retransmits > 0 || len(order.Wrong) > 0 {
			t.Errorf("%s: %d drops, %d retransmissions, %v", name, sum.Drops.Total(), sum.Retransmits, order.Wrong)
		}
		if len(order.Senders) > 0 || order.Told < 300 {
			t.Errorf("%s: %d numbers of senders are right; %v", name, order.Told, order.Senders)
		}
		if end := res.Flows[0].End; end < long+incast || end > long+incast+2*rtt {
			t.Errorf("%s: the long flow takes %v, want %v to two round trips more", name, end, long+incast)
		}
		// In a class of its own the long flow starves.
		if name != "priorities" {
			from, to := 150*unit.Microsecond, 450*unit.Microsecond
			sent, told := sentIn(res, "host8->tor1", from, to), 10*gbps*toldShare(order.Answers[[2]int32{0, 8}], from, to)
			if !within(sent, told, 0.03) {
				t.Errorf("%s: beside the incast the long flow sends at %.2f Gb/s, and C/n as it is told is %.2f", name, sent/gbps, told/gbps)
			}
			if n := mostTold(order.Answers[[2]int32{0, 8}]); n != 13 {
				t.Errorf("%s: the long flow is told of %d senders at most, want 13", name, n)
			}
			// Where the packets of a message leave in one run, a sender counts for a part of the round only, and the long flow
			// gets several times as much as a thirteenth. In turns each has a packet every thirteen, and counts all the time.
			if share := 10 * gbps / 13; (name == "turns") != within(sent, share, 0.1) {
				t.Errorf("%s: beside the incast the long flow sends at %.2f Gb/s; a thirteenth is %.2f", name, sent/gbps, share/gbps)
			}
		}
		for i, o := range []scenario.RunOptions{{Threads: 1, Domains: 3, Check: true}, {Threads: 2, Domains: 2}, {Threads: 3, Domains: 100}, {Threads: 2, Domains: 5}} {
			got := execute(t, load(t, dartDeflects, append(sets, "engine.queue="+[]string{"sweep", "calendar"}[i%2])...), o)
			if got.Summary.ResultHash != sum.ResultHash || *deflection.Of(got.Summary.Sections) != *d {
				t.Errorf("%s, %+v: %.12s and %+v, want %.12s and %+v", name, o, got.Summary.ResultHash, *deflection.Of(got.Summary.Sections), sum.ResultHash, *d)
			}
		}
	}
}

// back is how long an acknowledgement takes from host0 to host8: it goes ahead of data.
const back = 4200 * unit.Nanosecond

// toldShare returns the mean of 1/n over a span at a sender that is told of n senders.
func toldShare(answers []scenario.ToldSenders, from, to unit.Time) float64 {
	sum, n, last := 0.0, 1, from
	for _, a := range append(answers, scenario.ToldSenders{At: to}) {
		at := min(max(a.At+back, last), to)
		sum += float64(at-last) / float64(n)
		last, n = at, a.N
	}
	return sum / float64(to-from)
}

func mostTold(answers []scenario.ToldSenders) int {
	most := 0
	for _, a := range answers {
		most = max(most, a.N)
	}
	return most
}

// Where the lanes of deflected frames lie before the classes of some transports only, those of later classes are not
// deflected, with a notice.
func TestDeflectionOfOneClass(t *testing.T) {
	sets := []string{"fabric.classes=7", "traffic.incast.transport.class=6"}
	s := load(t, dartDeflects, sets...)
	res := execute(t, s, scenario.RunOptions{})
	if d := deflection.Of(res.Summary.Sections); d.Hops > 0 || res.Summary.Ended != record.Drained {
		t.Errorf("%+v, ended as %s", *d, res.Summary.Ended)
	}
	b, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	const want = "messages of class 6 are not deflected, since the lanes of deflected frames lie before class 5"
	if !strings.Contains(strings.Join(b.Notices, "\n"), want) {
		t.Errorf("no notice says %q: %q", want, b.Notices)
	}
}

// Lanes are classes of a port, but for marks they are one queue: what waits in one is not hidden from the others. With marks: each
// they hide from each other, and fewer packets are marked.
func TestLanesMarkTogether(t *testing.T) {
	for set, want := range map[string]fabric.LaneGroups{
		"lanes: 1": {}, "lanes: 2": {Masks: []uint8{0b110000}}, "lanes: per-token": {Masks: []uint8{0b111110}},
		"lanes: per-token, marks: each": {Masks: []uint8{0b111110}, MarkEach: true},
	} {
		got, err := load(t, dartDeflects, "transport.class=5", "fabric.classes=6", "fabric.deflect={threshold: 5KB, "+set+"}").LaneGroups()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: lanes (-want +got):\n%s", set, diff)
		}
	}
	together := execute(t, load(t, dartDeflects), scenario.RunOptions{}).Summary.ECNMarks
	each := execute(t, load(t, dartDeflects, "fabric.deflect.marks=each"), scenario.RunOptions{}).Summary.ECNMarks
	if each >= together {
		t.Errorf("%d packets are marked by the queues of single lanes, and %d by those of all", each, together)
	}
}

// A spine fails for good, and a ToR for a while, as messages are deflected and DASR holds a long flow. What they block is dropped there and sent again by the
// senders (Dart §IV-C); no switch sends it another way. When routes have changed all messages complete over the other spines. The
// tables free the rows of messages whose last packets were lost, after age, and n goes back to 1. The spine fails in the first
// round of the incast, in which messages are deflected over it.
func TestDartDeflectsBesideFailure(t *testing.T) {
	t.Parallel()
	sets := []string{
		"faults=[{kind: switch-down, switches: spine1, at: 120us}, {kind: switch-down, switches: tor2, at: 150us, for: 400us, allow_cutoff: true}]",
		"routing.reconverge=100us", "transport.rto=1ms",
		"fabric.deflect={threshold: 3KB, age: 300us}", "traffic.incast.arrival.count=40", "traffic.cross.size=600KB",
	}
	s := load(t, dartDeflects, sets...)
	res, order, err := scenario.RunOrdered(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	drained(t, res)
	sum := &res.Summary
	d := deflection.Of(sum.Sections)
	if !order.Lost || sum.Drops.LinkDown == 0 || sum.Drops.NoRoute == 0 || sum.Retransmits == 0 || d.Aged == 0 {
		t.Errorf("the failure has no effect: %+v, %d retransmissions, %+v", sum.Drops, sum.Retransmits, *d)
	}
	if lost := sum.Drops.Total() - sum.Drops.LinkDown - sum.Drops.NoRoute; lost > 0 || sum.Unfinished > 0 || d.Left > 0 {
		t.Errorf("%d packets lost elsewhere, %d messages unfinished, %d rows left", lost, sum.Unfinished, d.Left)
	}
	if len(order.Senders) > 0 {
		t.Errorf("numbers of senders: %v", order.Senders)
	}
	for _, o := range []scenario.RunOptions{{Threads: 2, Domains: 2}, {Threads: 3, Domains: 100, Check: true}} {
		got := execute(t, load(t, dartDeflects, sets...), o)
		if got.Summary.ResultHash != sum.ResultHash || *deflection.Of(got.Summary.Sections) != *d {
			t.Errorf("%+v: %.12s and %+v, want %.12s and %+v", o, got.Summary.ResultHash, *deflection.Of(got.Summary.Sections), sum.ResultHash, *d)
		}
	}
}

// The ToR of eight senders of an incast fails for good in the middle of their messages. The receiver counts them until they were
// silent for idle (Dart §III-B), so that the long flow has a small share for that long, and then the whole link.
func TestDartForgetsFailedSenders(t *testing.T) {
	t.Parallel()
	sets := []string{
		"faults=[{kind: switch-down, switches: tor2, at: 110us, allow_cutoff: true}]", "transport.congestion={kind: dart, patience: span, idle: 500us}",
		"transport.rto=1ms", "traffic.incast.hosts=[host16..host23]", "traffic.long.size=5MB",
	}
	res := execute(t, load(t, strings.Replace(dartDeflects, "record:", "until: 2ms\nrecord:", 1), sets...), scenario.RunOptions{})
	if n := res.Summary.Unfinished; n < 8 {
		t.Errorf("%d messages are unfinished", n)
	}
	for _, span := range []struct {
		from, to unit.Time
		rate     float64
	}{
		{20 * unit.Microsecond, 100 * unit.Microsecond, 10 * gbps},
		{200 * unit.Microsecond, 600 * unit.Microsecond, 10 * gbps / 9},
		{700 * unit.Microsecond, 1900 * unit.Microsecond, 10 * gbps},
	} {
		if r := sentIn(res, "host8->tor1", span.from, span.to); !within(r, span.rate, 0.03) {
			t.Errorf("from %v to %v the long flow sends at %.2f Gb/s, want %.2f", span.from, span.to, r/gbps, span.rate/gbps)
		}
	}
	if d := deflection.Of(res.Summary.Sections); d.Rows == 0 || d.Aged > 0 || d.Left == 0 {
		t.Errorf("rows of messages that were lost should stand until age, 10ms: %+v", *d)
	}
}
