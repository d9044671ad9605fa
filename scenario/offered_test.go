package scenario_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// expected returns the load that links of a scenario are expected to carry.
func expected(t *testing.T, text string, sets ...string) *record.Load {
	t.Helper()
	f, err := scenario.Parse("x.yaml", []byte(text), weft.Builtin(), sets)
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.Variants[0].Build()
	if err != nil {
		t.Fatal(err)
	}
	return b.Load
}

// ofTier returns what a tier carries, and its busiest link.
func ofTier(t *testing.T, l *record.Load, name string) (load, busiest float64) {
	t.Helper()
	for _, tier := range l.Tiers {
		if tier.Tier == name {
			return tier.Load, *tier.Busiest
		}
	}
	t.Fatalf("no %s among %+v", name, l.Tiers)
	return 0, 0
}

func equal(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// oversubscribed has a core of 2:1.
const oversubscribed = `weft: 1
topology: {kind: leaf-spine, tors: 16, hosts_per_tor: 8, spines: 4, rate: 100Gbps, delay: 1us}
transport: {congestion: dctcp, balancer: ecmp, payload: 4000B, header: 60B}
traffic: [{name: main, pattern: uniform, size: 100kB, arrival: {kind: poisson, load: 60%}}]
until: 1ms
`

// TestExpectedLoad compares what scenarios are expected to offer with closed forms.
func TestExpectedLoad(t *testing.T) {
	t.Parallel()
	l := expected(t, oversubscribed)
	hosts, _ := ofTier(t, l, "hosts")
	core, _ := ofTier(t, l, "uplinks")
	equal(t, "hosts", hosts, 0.6)
	equal(t, "core", core, 1.2*120/127)
	equal(t, "headers", l.Headers, 60./4000)
	if got, want := l.String(), "expected load: hosts' links 60 %; uplinks 113 % (payload on minimal paths; headers add 1.5 %)"; got != want {
		t.Errorf("%s, not %s", got, want)
	}

	for name, c := range map[string]struct {
		set            string
		hosts, uplinks float64 // of the busiest
		headers        float64
	}{
		"permutation":       {"traffic.main.pattern={kind: off-diagonal, offset: 8}", 0.6, 1.2, 60. / 4000},
		"incast":            {"traffic.main={pattern: incast, arrival: {load: 0.5%}}", 0.635, 0.15, 60. / 4000},
		"bursts":            {"traffic.main={pattern: {kind: bursts, senders: 4, load: 10%}, arrival: once}", 0.1, 0.2 * 120 / 127, 60. / 4000},
		"messages a second": {"traffic.main.arrival={kind: poisson, load: null, rate: 62500}", 0.5, 120. / 127, 60. / 4000},
		"small messages":    {"traffic.main.size=100B", 0.6, 1.2 * 120 / 127, 0.6},
		"replies":           {"traffic.main={arrival: {load: 30%}, reply: {size: 50kB}}", 0.45, 0.9 * 120 / 127, (30*60./4000 + 15*13*60./50000) / 45},
		"two groups at once, and one later": {"traffic=[{name: main, pattern: uniform, size: 100kB, arrival: {kind: poisson, load: 20%}}, {name: more, pattern: uniform, size: 100kB, arrival: {kind: poisson, load: 10%}, stop: 500us}, {name: late, pattern: uniform, size: 100kB, arrival: {kind: poisson, load: 5%}, start: 600us}]",
			0.3, 0.6 * 120 / 127, 60. / 4000},
		"a slow uplink":     {"faults=[{kind: degrade, links: tor0->spine0, rate: 50Gbps}]", 0.6, 2.4 * 120 / 127, 60. / 4000},
		"a missing uplink":  {"faults=[{kind: missing, links: tor0->spine0}]", 0.6, 1.2 * 120 / 127 * 4 / 3, 60. / 4000},
		"one of two groups": {"traffic=[{name: main, pattern: uniform, size: 100kB, arrival: {kind: poisson, load: 20%}}, {name: all, pattern: alltoall, size: 1MB}]", 0.2, 0.4 * 120 / 127, 60. / 4000},
	} {
		t.Run(name, func(t *testing.T) {
			l := expected(t, oversubscribed, c.set)
			if l == nil {
				t.Fatal("no load")
			}
			_, hosts := ofTier(t, l, "hosts")
			_, uplinks := ofTier(t, l, "uplinks")
			equal(t, "hosts", hosts, c.hosts)
			equal(t, "uplinks", uplinks, c.uplinks)
			equal(t, "headers", l.Headers, c.headers)
		})
	}
	for _, set := range []string{"traffic.main={pattern: permutation, arrival: once}", "traffic.main={pattern: permutation, arrival: closed}"} {
		if l := expected(t, oversubscribed, set); l != nil {
			t.Errorf("%s: %v", set, l)
		}
	}
}

// TestLoadOfTiers: a load of a tier gives that tier its share, and a load of hosts is what it was, to the
// bit.
func TestLoadOfTiers(t *testing.T) {
	t.Parallel()
	dragonfly := strings.Replace(strings.Replace(oversubscribed, "kind: leaf-spine, tors: 16, hosts_per_tor: 8, spines: 4", "kind: dragonfly, switches_per_group: 4, hosts_per_switch: 2, global_links: 2", 1), "uniform", "group-shift", 1)
	three := strings.Replace(oversubscribed, "kind: leaf-spine, tors: 16, hosts_per_tor: 8, spines: 4", "kind: fat-tree, tiers: 3, radix: 4, oversubscription: 1:1", 1)
	for name, c := range map[string]struct {
		text, of, tier string
		busiest        bool
	}{
		"hosts":              {oversubscribed, "hosts", "hosts", false},
		"core of two tiers":  {oversubscribed, "core", "uplinks", false},
		"uplinks of three":   {three, "uplinks", "uplinks", false},
		"core of three":      {three, "core", "core", false},
		"tightest":           {oversubscribed, "tightest", "uplinks", true},
		"tightest of three":  {three, "tightest", "hosts", true},
		"between groups":     {dragonfly, "core", "global", false},
		"tightest dragonfly": {dragonfly, "tightest", "global", true},
	} {
		load, busiest := ofTier(t, expected(t, c.text, "traffic.main.arrival.load=30%", "traffic.main.arrival.of="+c.of), c.tier)
		if c.busiest {
			load = busiest
		}
		equal(t, name, load, 0.3)
	}
	for name, c := range map[string]struct{ set, want string }{
		"a rate":            {"traffic.main.arrival={kind: poisson, load: null, rate: 10, of: core}", "give load (as in 60%) instead of rate, or remove of"},
		"nothing there":     {"traffic.main.pattern={kind: pairs, pairs: [host0->host1]}", "no message passes the links that core stands for; write of: hosts"},
		"more than allowed": {"traffic.main={pattern: {kind: pairs, pairs: [host0->host9]}, arrival: {load: 10%}}", "at most 200% is allowed, so write load: 3% or less"},
		"no other tier":     {"topology={kind: star, hosts: 8}", "the network has no links between switches; write of: hosts"},
	} {
		sets := []string{"traffic.main.arrival.of=core", c.set}
		if name == "a rate" {
			sets = sets[1:]
		}
		if name == "no other tier" {
			sets[1] = "topology.kind=star"
			f, err := scenario.Parse("x.yaml", []byte(strings.Replace(oversubscribed, "kind: leaf-spine, tors: 16, hosts_per_tor: 8, spines: 4", "kind: star, hosts: 8", 1)), weft.Builtin(), sets[:1])
			if err == nil {
				_, err = f.Variants[0].Build()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		f, err := scenario.Parse("x.yaml", []byte(oversubscribed), weft.Builtin(), sets)
		if err == nil {
			_, err = f.Variants[0].Build()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}

	small := strings.NewReplacer("tors: 16, hosts_per_tor: 8, spines: 4", "tors: 4, hosts_per_tor: 4, spines: 2").Replace(oversubscribed)
	half := 1.6 * 12 / 15 / 2 // what uplinks carry at a load of 80 % of hosts, halved
	plain := simulate(t, small, "traffic.main.arrival.load=40%")
	same := simulate(t, small, fmt.Sprintf("traffic.main.arrival={kind: poisson, of: core, load: %.15f}", half))
	if plain.Summary.Messages < 100 || plain.Summary.ResultHash != same.Summary.ResultHash {
		t.Errorf("%d messages, hashes %s and %s", plain.Summary.Messages, plain.Summary.ResultHash, same.Summary.ResultHash)
	}
	if want := simulate(t, small, "traffic.main.arrival={load: 40%, of: hosts}"); want.Summary.ResultHash != plain.Summary.ResultHash {
		t.Error("of: hosts changes the result")
	}
	// What links carried is what was expected, up to chance and what is under way at the end.
	sent, capacity := 0.0, 0.0
	for _, p := range plain.Ports {
		if strings.HasPrefix(p.From, "tor") && strings.HasPrefix(p.To, "spine") {
			sent, capacity = sent+8*float64(p.SentBytes), capacity+float64(p.Rate)*float64(unit.Millisecond)/float64(unit.Second)
		}
	}
	acks := 1.1 // at most
	if got := sent / capacity; got < 0.85*half || got > acks*1.1*half {
		t.Errorf("uplinks carried %.3f, %.3f expected", got, half)
	}
}

// TestExpectedDetours: valiant doubles the load between groups, and ugal is between.
func TestExpectedDetours(t *testing.T) {
	t.Parallel()
	const text = `weft: 1
topology: {kind: dragonfly, switches_per_group: 4, hosts_per_switch: 2, global_links: 2, rate: 100Gbps, delay: 100ns}
routing: {policy: %s}
transport: {congestion: {kind: constant, window: 1BDP}, balancer: ops}
traffic: [{name: main, pattern: group-shift, size: 10kB, arrival: {kind: poisson, load: 20%%}}]
until: 20us
`
	minimal, valiant, ugal := expected(t, fmt.Sprintf(text, "hierarchical")), expected(t, fmt.Sprintf(text, "valiant")), expected(t, fmt.Sprintf(text, "ugal"))
	mean, most := ofTier(t, minimal, "global")
	equal(t, "all between groups", mean, 0.2)
	equal(t, "the busiest", most, 1.6)
	if mean, most := ofTier(t, valiant, "global"); mean < 0.36 || mean > 0.4 || most > 0.5 || valiant.Routes != record.DetoursOnly {
		t.Errorf("valiant: %v", valiant)
	}
	if ugal.Routes != record.EitherWay || len(ugal.Detoured) != 3 || ugal.Tiers[2].Load != mean || ugal.Detoured[2].Load != valiant.Tiers[2].Load {
		t.Errorf("ugal: %v", ugal)
	}
	for _, l := range []*record.Load{valiant, ugal} {
		if _, _, over := l.Over(); over || l.Advice != "" {
			t.Errorf("%v is said to be too much", l)
		}
	}
	if _, _, over := minimal.Over(); !over || minimal.Advice == "" {
		t.Errorf("%v is said to be carried", minimal)
	}
}
