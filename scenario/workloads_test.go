package scenario_test

import (
	"strings"
	"testing"
)

// TestWorkloadsByName: a group names a published workload in short, by any of its names, in a
// file, a variant and an assignment, and that is the scenario of the long form.
func TestWorkloadsByName(t *testing.T) {
	const top = "weft: 1\ntopology: {kind: star, hosts: 4}\ntransport: {congestion: nscc}\ntraffic:\n- {name: main, pattern: uniform, arrival: {kind: poisson, load: 10%}, stop: 1ms"
	long := identityOf(t, parsed(t, top+", size: {workload: websearch}}\n"))
	for _, short := range []string{", workload: websearch}\n", ", workload: web-search}\n", ", size: WebSearch}\n", ", size: {workload: web-search}}\n",
		", size: 1MB}\ncompare: [{name: a, traffic.main.workload: websearch}]\n", ", workload: hadoop}\ncompare: [{name: a, traffic: {main: {size: websearch}}}]\n"} {
		if got := identityOf(t, parsed(t, top+short)); got != long {
			t.Errorf("%s is another scenario than size: {workload: websearch}", short)
		}
	}
	if got := identityOf(t, parsed(t, top+", size: {cdf: x.csv}}\n", "traffic.main.workload=websearch")); got != long {
		t.Error("--set traffic.main.workload is another scenario")
	}
	if s := parsed(t, top+", size: 1kB, reply: {workload: wka}}\n"); s.Traffic[0].Reply.Size.Workload != "wka" {
		t.Error("replies have no workload")
	}
	for text, want := range map[string]string{
		", workload: websaerch}\n":            `there is no workload "websaerch"; did you mean "websearch"?`,
		", size: {workload: hadop}}\n":        `did you mean "hadoop"? There are websearch, hadoop`,
		", workload: websearch, size: 1MB}\n": "workload says how large messages are, and so does size",
		", workload: 1MB}\n":                  `"1MB" is no workload but a size; write size: 1MB`,
	} {
		if err := verified("x.yaml", top+text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
