package scenario_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/protocol/congestion"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// rateNoted is a sender of RCP whose rate is noted with each acknowledgement.
type rateNoted struct {
	protocol.Congestion
	protocol.Pacer
	protocol.FieldProber
	protocol.Timed
	protocol.Restarter
	notes *[]reaction
}

func (c *rateNoted) Acked(a *protocol.Ack) {
	c.Congestion.Acked(a)
	*c.notes = append(*c.notes, reaction{at: a.Now, rate: c.Pace().Rate})
}

// ratesOf runs the only scenario of a file and returns the rates of its connections with RCP, in the order in
// which they began.
func ratesOf(t testing.TB, text string, sets ...string) (*record.Result, [][]reaction) {
	t.Helper()
	var notes []*[]reaction
	reg := weft.Builtin()
	err := reg.Congestion.Add(catalog.Define("rcp-noted", "rcp, noted", "", func(o congestion.RCP) (protocol.CongestionControl, error) {
		b, err := o.Build()
		made := b.New
		b.New = func(env protocol.Env) protocol.Congestion {
			c := made(env)
			notes = append(notes, new([]reaction))
			return &rateNoted{c, c.(protocol.Pacer), c.(protocol.FieldProber), c.(protocol.Timed), c.(protocol.Restarter), notes[len(notes)-1]}
		}
		return b, err
	}))
	if err != nil {
		t.Fatal(err)
	}
	f, err := scenario.Parse("testdata/scenario.yaml", []byte(text), reg, exactly(text, sets))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	res, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{Threads: 1, Domains: 1})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var list [][]reaction
	for _, n := range notes {
		if slices.SortStableFunc(*n, func(a, b reaction) int { return cmp.Compare(a.at, b.at) }); len(*n) > 0 { // others only tell their first rate
			list = append(list, *n)
		}
	}
	return res, list
}

// rcpText is flows through the first link of a chain of switches, of 12.5 us there and back.
const rcpText = `fabric: {pfc: 500KB, ecn: "off"}
transport: {payload: 1456B, header: 62B, ack: {size: 66B}, congestion: {kind: rcp-noted, preset: %s}}
`

// pairFlow is a flow of a scenario.
func pairFlow(n int, from, to int, start string) string {
	return fmt.Sprintf("- {name: flow%d, pattern: {kind: pairs, pairs: [host%d->host%d]}, size: 100MB, start: %s}\n", n, from, to, start)
}

// mean returns the mean rate of notes from a time on, as a share of the link.
func mean(notes []reaction, from unit.Time) float64 {
	sum, n := 0.0, 0.0
	for _, r := range notes {
		if r.at >= from {
			sum += float64(r.rate)
			n++
		}
	}
	return sum / n / float64(rdmaLine)
}

// lastOff returns when a rate was last off a share of the link, by more than a tenth of it.
func lastOff(notes []reaction, share float64) (last unit.Time) {
	for _, r := range notes {
		if x := float64(r.rate) / float64(rdmaLine) / share; x < 0.9 || x > 1.1 {
			last = max(last, r.at)
		}
	}
	return last
}

// Of n flows each is told gamma·C/n, as in the fluid model. What is short of it is for the queue that packets make which
// come together, and for probes, where a share is less than a packet per round trip.
func TestRCPShares(t *testing.T) {
	t.Parallel()
	oneThread(t)
	for _, tt := range []struct {
		preset string
		flows  int
		gamma  float64
	}{{"perc", 1, 1}, {"perc", 2, 1}, {"perc", 10, 1}, {"ns2", 10, 1}, {"netfpga", 10, 0.95}, {"iwqos", 2, 1}, {"ns2", 100, 1}} {
		text := "weft: 1\n" + chain(tt.flows, 0, 1) + fmt.Sprintf(rcpText, tt.preset) + fmt.Sprintf(`until: 3ms
traffic: [{name: main, pattern: {kind: incast, receiver: host%d, senders: %[1]d}, size: 100MB, jitter: %dus}]
`, tt.flows, 10*tt.flows)
		res, notes := ratesOf(t, text)
		least, most := 1.0, 0.0
		for _, n := range notes {
			x := mean(n, 2500*unit.Microsecond) * float64(tt.flows) / tt.gamma
			least, most = min(least, x), max(most, x)
		}
		p := port(t, res, "switch0->switch1")
		t.Logf("%s, %d flows: %.3f to %.3f of a share, queue of %v, at most %v", tt.preset, tt.flows, least, most, p.QueueMean, p.QueueMax)
		if least < 0.97 || most > 1.01 {
			t.Errorf("%s, %d flows: rates of %.3f to %.3f of the share", tt.preset, tt.flows, least, most)
		}
	}
}

// Flow 1 joins flow 0, after 3 ms. Until both are within a tenth of their share, gamma·C/2, it takes tens of round trips (docs/lossless.md).
func TestRCPJoins(t *testing.T) {
	t.Parallel()
	oneThread(t)
	for preset, most := range map[string]float64{"perc": 22, "ns2": 30, "netfpga": 35, "iwqos": 260} {
		const joins, rtt = 3 * unit.Millisecond, 12_500 * unit.Nanosecond
		text := "weft: 1\n" + chain(2, 0, 1) + fmt.Sprintf(rcpText, preset) + "until: 7ms\ntraffic:\n" + pairFlow(0, 0, 2, "0s") + pairFlow(1, 1, 2, "3ms")
		res, notes := ratesOf(t, text)
		if x := mean(notes[0][:slices.IndexFunc(notes[0], func(r reaction) bool { return r.at > joins })], joins/2); x < 0.94 {
			t.Errorf("%s: alone it has %v of the link", preset, x)
		}
		share := 0.5
		if preset == "netfpga" { // whose gamma is 0.95
			share = 0.475
		}
		took := float64(max(lastOff(notes[0], share), lastOff(notes[1], share))-joins) / float64(rtt)
		t.Logf("%s: %.1f round trips, queue of at most %v", preset, took, port(t, res, "switch0->switch1").QueueMax)
		if took < 5 || took > most {
			t.Errorf("%s: %.1f round trips until both have their share, want 5 to %v", preset, took, most)
		}
	}
}

// Flow 0 shares the first link with flows 1 and 2, and the second one with flow 3. Max-min shares: a third of the first
// link for each of its flows, and what flow 0 leaves of the second one, two thirds, for flow 3.
func TestRCPParkingLot(t *testing.T) {
	t.Parallel()
	// Hosts 0 to 2 are at switch0, 3 and 4 at switch1, 5 and 6 at switch2.
	text := "weft: 1\n" + chain(3, 3, 2) + fmt.Sprintf(rcpText, "perc") + "until: 4ms\ntraffic:\n" +
		pairFlow(0, 0, 6, "0s") + pairFlow(1, 1, 3, "10us") + pairFlow(2, 2, 4, "20us") + pairFlow(3, 5, 7, "30us")
	_, notes := ratesOf(t, text)
	for i, want := range []float64{1. / 3, 1. / 3, 1. / 3, 2. / 3} {
		if x := mean(notes[i], 3*unit.Millisecond); x < 0.96*want || x > 1.03*want {
			t.Errorf("flow %d has %.3f of a link, want %.3f", i, x, want)
		}
	}
}

// rcpStar is an incast over a switch that pauses.
const rcpStar = `weft: 1
topology: {kind: star, hosts: %d, rate: 100Gbps}
fabric: {pfc: {}}
transport: {congestion: rcp}
record: {flows: all}
traffic: [{name: main, pattern: {kind: incast, receiver: host0, senders: %d}, size: %s}]
`

// RCP works without further keys. A message of one packet takes as long as it takes to arrive; a longer one
// alone a round trip more than at line rate, for it asks first.
func TestRCPAlone(t *testing.T) {
	var rtt unit.Time
	fct := func(size string) unit.Time {
		res := execute(t, parsed(t, fmt.Sprintf(rcpStar, 2, 1, size), "transport.congestion={kind: rcp, initial: 1}"), scenario.RunOptions{})
		drained(t, res)
		rtt = derivedTime(t, res, "base_rtt")
		return res.Summary.FCT.Max
	}
	const frame = 4096 + 64 + 12
	line := 100 * unit.Gbps
	one, many := fct("4KiB"), fct("4MiB")
	want := rtt + line.Transmit(1022*frame) + one
	if off := many - want; off < -100*unit.Nanosecond || off > 100*unit.Nanosecond {
		t.Errorf("one packet takes %v, a thousand %v, want %v", one, many, want)
	}
}

// Random scenarios with fields give the same results, whichever way they are run, and
// account for each frame. Some have pauses.
func TestRCPAnyWay(t *testing.T) {
	t.Parallel()
	controlledAnyWay(t, 150, func(i int) string {
		return "transport.congestion={kind: rcp, preset: " + []string{"perc", "ns2", "netfpga", "iwqos"}[i/everyWay%4] + []string{"}", ", start: 30Gbps}"}[i/everyWay%2]
	})
}

// Messages with RCP can be explained.
func TestExplainRCP(t *testing.T) {
	s := parsed(t, fmt.Sprintf(rcpStar, 4, 3, "3MB"))
	for _, f := range execute(t, s, scenario.RunOptions{}).Flows {
		if x := explained(t, s, f); !x.Finished || x.Counts.Paced == 0 {
			t.Errorf("%+v is explained by %+v", f, x.Counts)
		}
	}
}
