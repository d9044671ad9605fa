package scenario_test

import (
	"testing"

	"weft/scenario"
	"weft/unit"
)

// TestSpritzLeavesDeadPaths cuts a link for long, while routes do not follow: a message of Spritz loses what was on its way, and
// is done soon, whereas packets sprayed blindly go on dying.
func TestSpritzLeavesDeadPaths(t *testing.T) {
	sets := []string{"routing={policy: {kind: ksp, paths: 8}, reconverge: never}", "traffic.main.size=1MiB",
		`faults=[{kind: link-down, links: "a0r0->b0*", at: 3us}]`, "traffic.main.pattern={kind: permutation}"}
	lost := map[string]int64{}
	for _, balancer := range []string{"ops", "spritz", "{kind: spritz, mode: spray}"} {
		r := simulate(t, flappingFly, append(sets, "transport.balancer="+balancer)...)
		if r.Summary.Unfinished != 0 {
			t.Errorf("%s: %d messages are unfinished", balancer, r.Summary.Unfinished)
		}
		lost[balancer] = int64(r.Summary.Drops.LinkDown)
	}
	for balancer, n := range lost {
		if balancer != "ops" && (n == 0 || 3*n > lost["ops"]) {
			t.Errorf("%s lost %d packets to the dead link; sprayed blindly, %d are", balancer, n, lost["ops"])
		}
	}
}

// TestPathsChangeOnTheWay has routes follow a failure and its end during messages of Spritz, cut in different ways.
func TestPathsChangeOnTheWay(t *testing.T) {
	for _, balancer := range []string{"spritz", "{kind: spritz, mode: spray}", "flicr"} {
		want := ""
		for _, o := range []scenario.RunOptions{{Domains: 1, Threads: 1, Check: true}, {Domains: 7, Threads: 2, Check: true}} {
			r, err := scenario.Run(t.Context(), load(t, flappingFly, "routing={policy: {kind: ksp, paths: 5}, reconverge: 15us}",
				"traffic.main.size=512KiB", "transport.connection=pair", "transport.balancer="+balancer), o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Summary.Unfinished != 0 || r.Summary.Runtime < 60*unit.Microsecond {
				t.Errorf("%s: %d unfinished after %v", balancer, r.Summary.Unfinished, r.Summary.Runtime)
			}
			if want == "" {
				want = r.Summary.ResultHash
			}
			if r.Summary.ResultHash != want {
				t.Errorf("%s with %+v: another result", balancer, o)
			}
		}
	}
}
