package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// paused runs the only scenario of a file, and returns what its links had to do with pauses.
func paused(t testing.TB, text string, o scenario.RunOptions, sets ...string) (*record.Result, map[string]scenario.Paused) {
	t.Helper()
	res, links, _, err := scenario.RunPaused(t.Context(), load(t, text, sets...), o)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return res, links
}

// unbounded is the transport of senders without control: a window that never binds.
const unbounded = "transport: {payload: 1456B, header: 62B, ack: {size: 66B}, balancer: ecmp, rto: 100ms, congestion: {kind: constant, window: 64MiB}}\n"

// TestTwoIntoOnePaused has two hosts send at line rate into one port without control, pausing at X. Each link fills
// its account at half of the line rate C, since the port sends as much of each as comes.
//
//	Either is paused when its account holds X, X/(C/2) after the first frame came, and both again and again.
//	The port is never idle: while one is paused the other, or what waits, keeps it busy. So both are done
//	after twice the time at line rate.
//	A sender sends at C, or is paused.
//	Each pause is taken back, and the switch holds X and the headroom at most.
//
// Without headroom the frames after a pause are lost.
func TestTwoIntoOnePaused(t *testing.T) {
	const packets, xoff = 4000, 300_000
	text := fmt.Sprintf(`weft: 1
topology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1.5us, switch_latency: 0s}
fabric: {pfc: {xoff: %dB%%s}, ecn: "off"}
%straffic: [{name: both, pattern: {kind: incast, senders: 2, receiver: host2}, size: %dB}]
record: {ports: [host0->tor0], interval: 1us}
`, xoff, unbounded, packets*1456)
	res, links := paused(t, fmt.Sprintf(text, ""), scenario.RunOptions{Check: true})
	drained(t, res)
	frame := rdmaLine.Transmit(rdmaFrame)
	last := max(res.Flows[0].FCT(), res.Flows[1].FCT())
	if want := 2*(rdmaDelay+frame) + (2*packets-1)*frame; last != want {
		t.Errorf("both are done after %v, want %v", last, want)
	}
	if n := res.Summary.Drops.Total() + res.Summary.LostToCongestion.Frames; n != 0 {
		t.Errorf("%d frames were dropped", n)
	}
	for _, name := range []string{"host0->tor0", "host1->tor0"} {
		p := links[name]
		if p.Sent[0] < 2 || p.Heard[0] != p.Sent[0] || p.Resumes[0] != p.Sent[0] || p.Paused != 0 {
			t.Errorf("%s: %d pauses were sent, %d obeyed, and %d taken back", name, p.Sent[0], p.Heard[0], p.Resumes)
		}
		// What comes after the decision: until the pause is there, and what is on the wire.
		after := rdmaLine.In(2*rdmaDelay) + 3*rdmaFrame + 64
		if p.Most[0] < xoff || p.Most[0] > xoff+after {
			t.Errorf("%s: the switch holds %v of it, want %v to %v", name, p.Most[0], unit.Bytes(xoff), xoff+after)
		}
	}
	// The first idle bucket of a sender: X is there 2X/C after the first frame, and the pause 1.5 µs later.
	want := frame + rdmaDelay + rdmaLine.Transmit(2*xoff) + rdmaDelay
	sent := map[unit.Time]int64{} // by bucket; those without a row are empty
	for _, v := range res.Series {
		if v.Kind == record.Transmitted && v.Entity == "host0->tor0" {
			sent[v.Time] = v.Value
		}
	}
	stops := unit.Time(0)
	for sent[stops] >= int64(rdmaLine.In(unit.Microsecond))/2 {
		stops += unit.Microsecond
	}
	if stops < want-unit.Microsecond || stops > want+unit.Microsecond {
		t.Errorf("host0 stops sending at %v, want %v", stops, want)
	}

	// While both still have packets, a sender sends or is paused; the frame that it sends when a pause comes goes on.
	const while = 600 * unit.Microsecond
	res, links = paused(t, fmt.Sprintf(text, "")+"until: 600us\n", scenario.RunOptions{})
	for _, name := range []string{"host0->tor0", "host1->tor0"} {
		p := links[name]
		sends := rdmaLine.Transmit(unit.Bytes(port(t, res, name).SentBytes))
		if idle := while - sends; p.Heard[0] == 0 || idle > p.Time[0]+frame || idle < p.Time[0]-unit.Time(p.Heard[0])*frame {
			t.Errorf("%s: it is paused for %v, in %d pauses, and idle for %v", name, p.Time[0], p.Heard[0], idle)
		}
	}

	res, links = paused(t, fmt.Sprintf(text, ", headroom: 0B"), scenario.RunOptions{}, "transport.rto=200us")
	drained(t, res)
	if n := links["tor0->host2"].Overrun; n == 0 || res.Summary.Retransmits == 0 || res.Summary.LostToCongestion.Frames != int64(n) {
		t.Errorf("without headroom %d frames are dropped, %d lost to congestion, %d sent again", n, res.Summary.LostToCongestion.Frames, res.Summary.Retransmits)
	}
}

// shares returns what each host sends of a time, as a share of the line rate.
func shares(t *testing.T, res *record.Result, window unit.Time, hosts ...string) (list []float64) {
	t.Helper()
	for _, h := range hosts {
		for i := range res.Ports {
			if p := &res.Ports[i]; p.From == h {
				list = append(list, float64(p.SentBytes)/float64(rdmaLine.In(window)))
			}
		}
	}
	return list
}

// TestParkingLot has a host at each of five switches in a row send to one at the last. At each switch the link from
// the switch before and that from its host feed one queue. Both are paused at the same threshold, and neither
// gets far beyond it, so each has half of the queue, and half of what leaves it: what is nearest gets
// half of the last link, the next a quarter, and so on. The first two share the rest.
func TestParkingLot(t *testing.T) {
	t.Parallel()
	const from, to = 2 * unit.Millisecond, 6 * unit.Millisecond
	text := "weft: 1\n" + chain(1, 1, 1, 1, 2) + `fabric: {pfc: {xoff: 100KB}, ecn: "off"}
` + unbounded + `traffic: [{name: all, pattern: {kind: incast, receiver: host5}, size: 100MB}]
until: 6ms
measure: {from: 2ms}
`
	res, _ := paused(t, text, scenario.RunOptions{})
	got := shares(t, res, to-from, "host0", "host1", "host2", "host3", "host4")
	for i, want := range []float64{1. / 16, 1. / 16, 1. / 8, 1. / 4, 1. / 2} {
		if got[i] < 0.9*want || got[i] > 1.1*want {
			t.Errorf("host%d has %.3f of the last link, want %.3f", i, got[i], want)
		}
	}
}

// TestVictim has A and B send to X, whose link has a quarter of the line rate C, and V to Y, which nobody else sends
// to. The three are at one switch, X and Y at another, and one link joins them. It is paused for what waits for
// X. Of what crosses it two thirds are of A and B, since each of the three links into the first switch has a third of
// its queue. X takes C/4, so that V gets half of that, C/8, though C/2 would be left of the link to the second switch
// if A and B only sent what X takes, and 3C/4 are.
func TestVictim(t *testing.T) {
	t.Parallel()
	oneThread(t)
	const text = `weft: 1
topology: {kind: graph, rate: 100Gbps, delay: 1.5us, switch_latency: 0s, nodes: [{name: A}, {name: B}, {name: V}, {name: X}, {name: Y}, {name: s}, {name: r}],
  links: [{a: A, b: s}, {a: B, b: s}, {a: V, b: s}, {a: s, b: r}, {a: r, b: X, rate: 25Gbps}, {a: r, b: Y}]}
fabric: {pfc: {xoff: 100KB}, ecn: "off"}
%s
traffic:
- {name: congested, pattern: {kind: pairs, pairs: [A->X, B->X]}, size: 100MB}
- {name: victim, pattern: {kind: pairs, pairs: [V->Y]}, size: 100MB}
until: 6ms
measure: {from: 2ms}
`
	for _, c := range []struct {
		transport   string
		least, most float64
	}{
		{unbounded, 0.9 / 8, 1.1 / 8},
		{strings.Replace(unbounded, "{kind: constant, window: 64MiB}", "hpcc", 1), 0.6, 0.75},
		{strings.Replace(unbounded, "{kind: constant, window: 64MiB}", "fncc", 1), 0.6, 0.75},
	} {
		res, _ := paused(t, fmt.Sprintf(text, c.transport), scenario.RunOptions{})
		got := shares(t, res, 4*unit.Millisecond, "V")
		if got[0] < c.least || got[0] > c.most {
			t.Errorf("V sends %.3f of the line rate, want %.3f to %.3f\n%s", got[0], c.least, c.most, c.transport)
		}
	}
}

// TestDynamicThreshold has k hosts send at line rate into one port of a switch with the thresholds of HPCC's simulator,
// alpha times what is free of the pool P that links share. Each account q grows alike, so that all reach it when
//
//	q = alpha·(P - k·q), or q = alpha·P/(1 + k·alpha)
//
// beyond the reserve of 4 KiB. What comes after the pause is no more than headroom.
func TestDynamicThreshold(t *testing.T) {
	t.Parallel()
	for _, k := range []int{2, 4, 8} {
		text := fmt.Sprintf(`weft: 1
topology: {kind: star, hosts: %d, rate: 100Gbps, delay: 1.5us, switch_latency: 0s}
fabric: {pfc: hpcc, buffer: 4MB, ecn: "off"}
%straffic: [{name: all, pattern: {kind: incast, receiver: host0}, size: 6MB}]
`, k+1, unbounded)
		res, links := paused(t, text, scenario.RunOptions{})
		drained(t, res)
		const alpha, reserve = 0.125, 4096
		pool := derived(t, res, "pfc_pool")
		q := unit.Bytes(alpha*pool/(1+float64(k)*alpha)) + reserve
		after := rdmaLine.In(2*rdmaDelay) + 3*rdmaFrame + 64
		for host := 1; host <= k; host++ {
			p := links[fmt.Sprintf("host%d->tor0", host)]
			// The accounts differ by what comes within the time of k frames.
			if p.Sent[0] == 0 || p.Most[0] < q-2*rdmaFrame || p.Most[0] > q+after+2*rdmaFrame {
				t.Errorf("%d hosts: the switch holds %v of host%d, which it paused %d times; want %v to %v", k, p.Most[0], host, p.Sent[0], q, q+after)
			}
		}
	}
}
