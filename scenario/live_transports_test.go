package scenario_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/config"
	"weft/scenario"
)

// onWire loads a scenario for real endpoints.
func onWire(t *testing.T, text string, sets []string, variants ...string) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := scenario.LoadOnWire(path, weft.Builtin(), scenario.Sets(sets...), variants)
	return err
}

// problems returns what is wrong with a file.
func problems(err error) []config.Problem {
	list := new(config.Error)
	errors.As(err, &list)
	return list.Problems
}

// wanting is a scenario with more to mend than its transport: of many controls and balancers its recovery is another, and none of a
// fabric of its size has packets of this size on wire.
const wanting = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2, rate: 100Mbps}
transport:
  payload: 4KiB
  recovery: order
  balancer: ops
  congestion: dctcp
traffic:
  - {name: main, pattern: tornado, size: 100KB, reply: {size: 8B}}
`

// TestRefusedOnWire has each transport and balancer that cannot go on wire refused alone, where the file has it, with a reason and
// all others that can.
func TestRefusedOnWire(t *testing.T) {
	t.Parallel()
	const explicit, switches = "it chooses among explicit paths", "it leaves the choice of paths to switches"
	const trim, stamp, told = "it needs switches that trim packets", "it needs switches that stamp packets", "it takes rates or notices from switches"
	for _, section := range []struct {
		key, line, is string
		names         []string
		refused       map[string]string
	}{
		{"congestion", ":7:15: ", "dctcp", weft.Builtin().Congestion.Names(), map[string]string{
			"hpcc": stamp, "fncc": stamp, "direct": told, "rocc": told, "rcp": told, "eqds": trim, "ndp": trim, "expresspass": "it needs switches that limit credits",
			"homa": "it uses 8 priority classes", "phost": "it uses 3 priority classes", "dcpim": "it needs all hosts to follow one clock",
		}},
		{"balancer", ":6:13: ", "ops", weft.Builtin().Balancers.Names(), map[string]string{
			"fatpaths": explicit, "spritz": explicit, "flicr": explicit, "letflow": switches, "adaptive-roce": switches, "mptcp": "it divides messages into subflows",
		}},
	} {
		can := ""
		for _, name := range section.names {
			text := strings.Replace(wanting, section.key+": "+section.is, section.key+": "+name, 1)
			err := onWire(t, text, nil)
			why, refused := section.refused[name]
			if !refused {
				if err != nil && strings.Contains(err.Error(), "on wire") {
					t.Errorf("%s: %v", name, err)
				}
				can += ", " + name
				continue
			}
			list := problems(err)
			want := "transport." + section.key + ": " + name + " cannot go on wire: " + why
			if len(list) != 1 || list[0].Path != "transport."+section.key || !strings.HasPrefix(list[0].Text, want) || !strings.Contains(err.Error(), section.line) {
				t.Errorf("%s: %v; want only %q", name, err, want)
			}
		}
		last := problems(onWire(t, wanting, []string{"transport." + section.key + "=" + map[string]string{"congestion": "eqds", "balancer": "mptcp"}[section.key]}))
		if len(last) != 1 || last[0].Remedy != "choose one of "+strings.Replace(can[2:], "sird,", "sird (with priority: none),", 1) {
			t.Errorf("%+v; want %s", last, can)
		}
		if len(section.refused) != len(section.names)-strings.Count(can, ", ") {
			t.Errorf("not all of %q are there", section.refused)
		}
	}
}

// TestRefusedOnWireWhere has a refusal at each place that chooses a transport, once, and none for variants that nobody wants.
func TestRefusedOnWireWhere(t *testing.T) {
	t.Parallel()
	const compare = "compare:\n  - {name: good}\n  - {name: bad, transport.congestion: rcp}\n"
	own := strings.Replace(wanting, "reply: {size: 8B}", "reply: {size: 8B, transport: {balancer: mptcp}}, transport: {congestion: ndp}", 1)
	for _, c := range []struct {
		text string
		sets []string
		want []string
	}{
		{own, nil, []string{"traffic[0].reply.transport.balancer: mptcp cannot", "traffic[0].transport.congestion: ndp cannot"}},
		{wanting, []string{"transport.congestion=ndp"}, []string{"transport.congestion: ndp cannot"}},
		{wanting, []string{"transport.congestion=ndp", "transport.balancer=spritz"}, []string{"transport.congestion: ndp cannot", "transport.balancer: spritz cannot"}},
		{wanting, []string{"transport.balancer={kind: ops, at: switch}"}, []string{"transport.balancer: ops cannot go on wire with these options: it leaves the choice of paths to switches"}},
		{wanting + compare, nil, []string{"transport.congestion: rcp cannot"}},
	} {
		err := onWire(t, c.text, c.sets)
		list := problems(err)
		if len(list) != len(c.want) {
			t.Errorf("%q: %v", c.sets, err)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(list[i].Text, want) {
				t.Errorf("%q: %q, want %q", c.sets, list[i].Text, want)
			}
		}
	}
	options := problems(onWire(t, wanting, []string{"transport.balancer={kind: ops, at: switch}"}))
	if len(options) != 1 || !strings.HasPrefix(options[0].Remedy, "remove them, or choose one of ecmp, round-robin") {
		t.Errorf("%+v", options)
	}
	if err := onWire(t, wanting+compare, nil, "good"); err != nil {
		t.Error(err)
	}
	if list := problems(onWire(t, wanting+compare, nil, "bad")); len(list) != 1 || !strings.Contains(list[0].Message(), "rcp cannot go on wire") {
		t.Errorf("%+v", list)
	}
	// Nobody runs the file of variants as it stands.
	without := strings.Replace(wanting, "congestion: dctcp", "congestion: rcp", 1) + "compare:\n  - {name: good, transport.congestion: dctcp}\n"
	if err := onWire(t, without, nil); err != nil {
		t.Error(err)
	}
	if _, err := scenario.Parse("x.yaml", []byte(wanting), weft.Builtin(), []string{"transport.congestion=rcp"}); slices.ContainsFunc(problems(err), func(p config.Problem) bool { return strings.Contains(p.Text, "on wire") }) {
		t.Errorf("in the simulator: %v", err)
	}
}
