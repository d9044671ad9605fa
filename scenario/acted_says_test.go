package scenario_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/scenario"
)

// lines returns all lines about a run.
func lines(res *record.Result) (list []string) {
	for _, i := range res.Summary.NeverActed {
		list = append(list, i.Line())
	}
	return list
}

const quiet = `
weft: 1
topology: {kind: leaf-spine, tors: 3, hosts_per_tor: 2, spines: 2, rate: 100Gbps}
traffic:
  - {name: near, pattern: {kind: pairs, pairs: [host0->host1]}, size: 8kB}
  - {name: far, pattern: {kind: pairs, pairs: [host0->host2]}, size: 8kB}
until: 20us
`

// TestNeverActedSays reads the lines that users get.
func TestNeverActedSays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		sets []string
		want []string
	}{
		{"nothing is set", nil, nil},
		{"brought by a control", []string{"transport.congestion=ndp"}, []string{
			"transport.congestion (ndp) never acted: no connection was out of credit",
		}},
		{"thresholds", []string{"fabric.ecn={kind: threshold, k: 83kB}", "fabric.queue=2MB", "fabric.pfc=500KB"}, []string{
			"fabric.ecn (threshold) never acted: no frame was marked; the queue that came nearest held 4160B, and marking begins above 83KB",
			"fabric.queue never acted: every class is lossless (fabric.pfc), and has no limit",
			"fabric.pfc (fixed) never acted: no link was paused; a switch held at most 8128B of what came over a link in a class, and pauses begin at 500KB",
		}},
		{"limits", []string{"fabric.queue=2MB", "fabric.classes=2", "fabric.ecn={kind: threshold, k: 83kB}"}, []string{
			"fabric.ecn (threshold) never acted: no frame was marked; the port that came nearest held 4160B in all its classes, and marking begins above 83KB",
			"fabric.queue never acted: no queue was full; the port that came nearest held 4160B in all its classes, and the limit is 2MB",
		}},
		{"before the measured window", []string{"fabric.ecn={kind: threshold, k: 83kB}", "measure.from=15us"}, []string{
			"fabric.ecn (threshold) never acted: no frame was marked; the queue that came nearest held 4160B, and marking begins above 83KB",
		}},
		{"pauses and who causes them", []string{"fabric.pfc={xoff: 500KB, watchdog: {}, slow_hosts: [{hosts: [host1], rate: 50Gbps}]}"}, []string{
			"fabric.pfc (fixed) never acted: no link was paused; a switch held at most 8128B of what came over a link in a class, and pauses begin at 500KB",
			"fabric.pfc.watchdog never acted: no queue that held frames was paused for 200ms",
			"fabric.pfc.slow_hosts[0] never acted: 1 host paused no switch, since less than 100KB (xoff) waited",
		}},
		{"faults", []string{"faults=[{kind: loss, links: tor2->spine*, probability: 1%}, {kind: degrade, links: tor0->spine*, rate: 50%, at: 15us}, {kind: link-down, links: tor0->spine0, at: 30us}, {kind: degrade, links: host0->tor0, rate: 50%}]"}, []string{
			"faults[0] (loss) never acted: no frame came to any of its 4 directed links",
			"faults[1] (degrade) never acted: no frame came to any of its 4 directed links from 15us on",
			"faults[2] (link-down) never acted: it begins at 30us, and the run ended at 20us",
		}},
		{"routes around links", []string{"faults=[{kind: missing, links: tor0->spine0}, {kind: missing, links: tor2->spine0}]"}, []string{
			"faults[1] (missing) never acted: no frame came to any of its 2 directed links",
		}},
		{"ports", []string{"fabric.ports=[{links: [tor2->spine*], queue: 1MB}, {links: [tor0->host1], queue: 1MB}]"}, []string{
			"fabric.ports[0] never acted: no frame came to the 2 ports that it names",
		}},
		{"a group that acts is enough", []string{"transport.congestion={kind: constant, window: 4096B}", "traffic.near.transport.rto=1ms"}, []string{
			"traffic[0].transport.rto never acted: no packet timed out",
		}},
		{"failure detector", []string{"transport.balancer={kind: arcane, freezing_timeout: 1ms, detection: trim}"}, []string{
			"transport.balancer.freezing_timeout (arcane) never acted: no connection froze: none took a loss for a failure",
		}},
		{"no failure detector", []string{"transport.balancer={kind: arcane, freezing: false}"}, nil},
		{"routes", []string{"routing.reconverge=1ms", "routing.policy=wcmp"}, []string{
			"routing.policy (wcmp) never acted: all links between switches have one rate, so that all weights are alike",
			"routing.reconverge never acted: no link failed or came back",
		}},
		{"routes too late", []string{"routing.reconverge=1ms", "faults=[{kind: link-down, links: tor0->spine0, at: 1us}]"}, []string{
			"routing.reconverge never acted: the run ended at 20us, before routes had followed a failure",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := lines(simulate(t, quiet, test.sets...))
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestChoosersTell: a balancer whose choosers are protocol.Reactive, on several paths, says that none reacted.
func TestChoosersTell(t *testing.T) {
	t.Parallel()
	for _, e := range weft.Builtin().Balancers.Entries() {
		options, err := e.Defaults()
		if err != nil {
			t.Fatal(err)
		}
		b, err := e.Build(options)
		if err != nil {
			t.Fatal(err)
		}
		got := told(simulate(t, quiet, "transport.balancer="+e.Name, "traffic.far.size=1kB"), "transport.balancer")
		if tells := b.Reaction != "" && len(b.ReactsBy) == 0; tells != (len(got) > 0) || tells && !strings.Contains(got[0], b.Reaction) {
			t.Errorf("%s: %q", e.Name, got)
		}
	}
}

// TestNeverActedOfVariants: what a variant sets counts as written, and a run that was interrupted does not tell.
func TestNeverActedOfVariants(t *testing.T) {
	t.Parallel()
	f, err := scenario.Parse("testdata/scenario.yaml", []byte(quiet+`
compare:
  - {name: plain}
  - {name: marks, set: {fabric.ecn: {kind: threshold, k: 90kB}}}
`), weft.Builtin(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 1} {
		res, err := scenario.Run(t.Context(), f.Variants[i], scenario.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(res); len(got) != want {
			t.Errorf("%s: %q", f.Variants[i].Variant, got)
		}
	}
	over, stop := context.WithCancel(t.Context())
	stop()
	res, err := scenario.Run(over, f.Variants[1], scenario.RunOptions{})
	if err != nil || res.Summary.Ended != record.Interrupted || len(res.Summary.NeverActed) != 0 {
		t.Errorf("interrupted: %v, %s, %q", err, res.Summary.Ended, lines(res))
	}
}
