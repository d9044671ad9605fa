package scenario_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/scenario"
	"weft/unit"
)

const (
	jittered   = "traffic.incast.jitter=60us"
	listed     = "traffic.incast.look_ahead=senders"
	advertised = "transport.congestion.advertise=true"
)

// TestDartAdvice: of an incast whose senders begin within 60 µs, those that begin after they were advised send at C/17 from
// their first packet on. Without advice they send at line rate for a round trip. The long flow is not touched, and the books
// of bundles and packets hold.
func TestDartAdvice(t *testing.T) {
	t.Parallel()
	oneThread(t)
	text := fmt.Sprintf(dartText, "256KB")
	const first = 4 * unit.Microsecond // less than a round trip
	rates := func(sets ...string) (late []float64) {
		res, err := scenario.Run(t.Context(), parsed(t, text, sets...), scenario.RunOptions{Check: true})
		if err != nil {
			t.Fatal(err)
		}
		drained(t, res)
		begin := unit.Forever
		for _, f := range res.Flows {
			if f.Group == "incast" {
				begin = min(begin, f.Start)
			}
		}
		for _, f := range res.Flows {
			if f.Group == "incast" && f.Start > begin+10*unit.Microsecond {
				from := f.Start / unit.Microsecond * unit.Microsecond
				late = append(late, sentIn(res, f.Src+"->tor0", from, from+first))
			}
		}
		return late
	}
	// A packet of 4160 B with a list of 32 B leaves at once; at C/17 the next one follows 5.7 µs later.
	advised, free := rates(jittered, listed, advertised), rates(jittered, listed)
	if len(advised) < 8 || len(free) != len(advised) {
		t.Fatalf("%d and %d senders begin late", len(advised), len(free))
	}
	packet := 4192 * 8 / (float64(first) / float64(unit.Second))
	for i := range advised {
		if advised[i] > packet+1 {
			t.Errorf("a sender that was advised begins with %.2f Gb/s, a packet in 4 µs is %.2f", advised[i]/gbps, packet/gbps)
		}
		if free[i] < 50*gbps {
			t.Errorf("a sender that was not advised begins with %.2f Gb/s", free[i]/gbps)
		}
	}
}

// TestDartAdviceAnyWay: all ways to run give the same results with advice, which differ from those without; and without lists the
// option changes nothing and a notice says so.
func TestDartAdviceAnyWay(t *testing.T) {
	t.Parallel()
	text := fmt.Sprintf(dartText, "64KB")
	hash := func(o scenario.RunOptions, sets ...string) string {
		return execute(t, parsed(t, text, sets...), o).Summary.ResultHash
	}
	want := hash(scenario.RunOptions{}, jittered, listed, advertised)
	if want == hash(scenario.RunOptions{}, jittered, listed) {
		t.Error("advice changes nothing")
	}
	for _, o := range []scenario.RunOptions{{Threads: 1, Domains: 3, Check: true}, {Threads: 2, Domains: 2}, {Threads: 3, Domains: 100}} {
		if got := hash(o, jittered, listed, advertised); got != want {
			t.Errorf("%+v: %.12s, want %.12s", o, got, want)
		}
	}
	if hash(scenario.RunOptions{}, jittered) != hash(scenario.RunOptions{}, jittered, advertised) {
		t.Error("without lists the option changes the result")
	}
	b, err := parsed(t, text, jittered, advertised).Build()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(b.Notices, "\n"), "advertise of dart has no effect") {
		t.Errorf("no notice says that nobody is listed: %v", b.Notices)
	}
}
