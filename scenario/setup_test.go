package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/scenario"
	"weft/unit"
)

// TestEveryControlStatesItsSetup: each control brings balancer, marking and queue, and connections their recovery, or it is
// among those whose format defaults are meant. What it brings is what a file can set, and gives the same scenario.
func TestEveryControlStatesItsSetup(t *testing.T) {
	reg := weft.Builtin()
	for _, name := range reg.Congestion.Names() {
		brings := scenario.ControlSetup(reg, name)
		has := map[string]string{}
		for _, d := range brings {
			if has[d.Path] = d.Value; d.Source == "" {
				t.Errorf("%s brings %s without a source", name, d.Path)
			}
		}
		want := []string{"transport.balancer", "fabric.ecn", "fabric.queue"}
		if c := byDefault(t, name); c.NewHost == nil && c.NewReceiver == nil && name != "mprdma" && name != "nscc" {
			want = append(want, "transport.recovery")
		}
		for _, path := range want {
			if has[path] == "" {
				t.Errorf("%s does not state %s", name, path)
			}
		}
		if len(has) != len(want) {
			t.Errorf("%s brings %v, want %v", name, has, want)
		}
		text := bringTop + "transport: {congestion: " + name + "}\n" + bringTraffic
		short := parsed(t, text)
		var sets []string
		for path, value := range has {
			if value == "8 packets" {
				value = "33280B"
			}
			sets = append(sets, path+"="+value)
		}
		if got, want := identityOf(t, short), identityOf(t, parsed(t, text, sets...)); got != want {
			t.Errorf("%s: what is brought makes another scenario than %v", name, sets)
		}
		notices, err := short.Verify()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i, n := range notices {
			if slices.Contains(notices[i+1:], n) {
				t.Errorf("%s: %q stands twice", name, n)
			}
		}
	}
}

// setup is what a scenario has of what a setup states.
func setup(t *testing.T, text string) string {
	t.Helper()
	s := parsed(t, text)
	c := &s.Traffic[0].Transport
	n, err := s.Resolved()
	if err != nil {
		t.Fatal(err)
	}
	ecn, err := n.Get("fabric").Get("ecn").MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var law []string
	for _, k := range []string{"kind", "k", "kmin", "kmax", "pmax", "ports"} {
		if v := n.Get("fabric").Get("ecn").Get(k); v != nil && v.Text != "all" && v.Text != "100%" {
			law = append(law, v.Text)
		}
	}
	if len(law) == 0 {
		law = []string{string(ecn)}
	}
	return fmt.Sprintf("%s %s %v %v %s", c.Congestion.Kind, c.Balancer.Kind, strings.Join(law, " "), s.Fabric.Queue, c.Recovery.Kind)
}

// TestSetupsYieldToFiles: what a file sets stays, and what it says of queues, paths and pauses decides
// what is brought beside it.
func TestSetupsYieldToFiles(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "dctcp ecmp threshold 0.8BDP 5BDP sack",
		"transport: {congestion: dctcp}\n":  "dctcp ecmp threshold 0.8BDP 5BDP sack",
		"transport: {congestion: mprdma}\n": "mprdma arcane red 20% 80% 1BDP selective",
		"transport: {congestion: dcqcn}\n":  "dcqcn ecmp red 0.1BDP 4BDP 1% 100BDP go-back-n",
		"transport: {congestion: swift, recovery: selective}\nfabric: {queue: 2BDP, ecn: red}\n": "swift ecmp red 20% 80% 2BDP selective",
		"fabric: {queue: 8BDP}\n":                                 "dctcp ecmp threshold 0.8BDP 8BDP sack",
		"fabric: {queue: 0.5BDP}\n":                               "dctcp ecmp threshold 16% 0.5BDP sack",
		"fabric: {queue: 100kB}\n":                                "dctcp ecmp threshold 16% 100KB sack",
		"fabric: {queue: infinite}\n":                             "dctcp ecmp threshold 0.8BDP infinite sack",
		"fabric: {ports: [{links: \"tor0->*\", queue: 64KiB}]}\n": "dctcp ecmp threshold 16% 5BDP sack",
		"transport: {balancer: ops}\n":                            "dctcp ops threshold 0.8BDP 5BDP selective",
		"transport: {balancer: mptcp}\n":                          "dctcp mptcp threshold 0.8BDP 5BDP sack",
		"transport: {balancer: {kind: mptcp, apart: true}}\nrouting: {policy: {kind: ksp, paths: 4}}\n": "dctcp mptcp threshold 0.8BDP 5BDP sack",
		"transport: {congestion: swift, balancer: arcane}\n":                                            "swift arcane red 0.2BDP 0.8BDP 16BDP selective",
		"transport: {congestion: swift, balancer: arcane}\nfabric: {queue: 100kB}\n":                    "swift arcane red 20% 80% 100KB selective",
		"fabric: {overflow: trim}\n":                                                                                "dctcp ecmp threshold 16% 1BDP selective",
		"transport: {congestion: ndp}\n":                                                                            "ndp ops off 33280B selective",
		"transport: {congestion: ndp, payload: 1460B, header: 40B}\n":                                               "ndp ops off 12KB selective",
		"transport: {congestion: dcqcn}\nfabric: {pfc: 500KB}\n":                                                    "dcqcn ecmp red 0.1BDP 4BDP 1% 1BDP go-back-n",
		"transport: {congestion: dcqcn, class: 1}\nfabric: {classes: 2, pfc: {xoff: 500KB, classes: [1]}}\n":        "dcqcn ecmp red 0.1BDP 4BDP 1% 1BDP go-back-n",
		"transport: {congestion: dctcp, ack: {class: 1}}\nfabric: {classes: 2, pfc: {xoff: 500KB, classes: [1]}}\n": "dctcp ecmp threshold 0.8BDP 5BDP sack",
		"routing: {policy: valiant}\n":                                                                              "dctcp ecmp threshold 0.8BDP 5BDP selective",
	} {
		if got := setup(t, bringTop+text+bringTraffic); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestControlsShareAFabric: it has the deepest queue and the first law that marks, and says whose law it has not.
func TestControlsShareAFabric(t *testing.T) {
	group := func(name, congestion string) string {
		return "- {name: " + name + ", pattern: tornado, size: 10kB, transport: {congestion: " + congestion + "}}\n"
	}
	for _, tt := range []struct {
		groups, want string
		conflicts    []string
	}{
		{group("a", "swift") + group("b", "dctcp"), "swift ecmp threshold 0.8BDP 16BDP sack", nil},
		{group("a", "eqds") + group("b", "nscc"), "eqds ops red 20% 80% 1BDP selective", nil},
		{group("a", "mprdma") + group("b", "swift"), "mprdma arcane red 0.2BDP 0.8BDP 16BDP selective", nil},
		{group("a", "mprdma") + group("b", "nscc"), "mprdma arcane red 0.2BDP 0.8BDP 5BDP selective", nil},
		{group("a", "dctcp") + group("b", "dcqcn") + group("c", "dcqcn") + group("d", "mprdma"), "dctcp ecmp threshold 0.8BDP 100BDP sack", []string{
			"dctcp and dcqcn share the fabric, and were published with different marking: ports mark as for dctcp; for dcqcn (",
			"for mprdma (ARCANE §4.1) write fabric: {ecn: {kind: red, kmin: 0.2BDP, kmax: 0.8BDP}}",
		}},
	} {
		text := bringTop + "traffic:\n" + tt.groups
		if got := setup(t, text); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.groups, got, tt.want)
		}
		notices, err := parsed(t, text).Verify()
		if err != nil {
			t.Fatal(err)
		}
		said := 0
		for _, n := range notices {
			if strings.Contains(n, "share the fabric") {
				if said >= len(tt.conflicts) || !strings.Contains(n, tt.conflicts[said]) {
					t.Errorf("%s: %q, want %q", tt.groups, n, tt.conflicts)
				}
				said++
			}
		}
		if said != len(tt.conflicts) {
			t.Errorf("%s: notices %q, want %d conflicts", tt.groups, notices, len(tt.conflicts))
		}
	}
}

// TestOwnSetups: a control of a user's own brings what it states, and what it states wrong is an error that names it.
func TestOwnSetups(t *testing.T) {
	load := func(s protocol.Setup) (*scenario.File, error) {
		reg := weft.Builtin()
		err := reg.Congestion.Add(catalog.Define("mine", "nothing", "", func(struct{}) (protocol.CongestionControl, error) {
			return protocol.CongestionControl{New: func(protocol.Env) protocol.Congestion { return endless{} }, Setup: s}, nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		return scenario.Parse("x.yaml", []byte(bringTop+"transport: {congestion: mine}\n"+bringTraffic), reg, nil)
	}
	f, err := load(protocol.Setup{})
	if err != nil {
		t.Fatal(err)
	}
	if v := f.Variants[0]; v.Transport.Balancer.Kind != "ecmp" || v.Fabric.Queue.BDPs != 1 || v.Fabric.ECN.Kind != "red" {
		t.Errorf("a control that states nothing has the balancer %s, queue %v and law %s", v.Transport.Balancer.Kind, v.Fabric.Queue, v.Fabric.ECN.Kind)
	}
	f, err = load(protocol.Setup{Balancer: protocol.State("ops", "mine"), Queue: protocol.State(protocol.Depth{BDPs: 3}, "mine")})
	if err != nil {
		t.Fatal(err)
	}
	if v := f.Variants[0]; v.Transport.Balancer.Kind != "ops" || v.Fabric.Queue.BDPs != 3 {
		t.Errorf("it has the balancer %s and the queue %v", v.Transport.Balancer.Kind, v.Fabric.Queue)
	}
	bdp := unit.Amount{BDPs: 1}
	for want, s := range map[string]protocol.Setup{
		`its balancer "walk" is not in the registry, which has ecmp`: {Balancer: protocol.State("walk", "mine")},
		`its law of marking is "codel"`:                              {Marking: protocol.State(protocol.Law{Name: "codel"}, "mine")},
		"its red marks from 1BDP":                                    {Marking: protocol.State(protocol.RED(bdp, unit.Amount{BDPs: 0.5}, 1), "mine")},
		"its queue holds nothing":                                    {Queue: protocol.State(protocol.Depth{}, "mine")},
		`its recovery is "tcp", where selective, go-back-n, irn`:     {Recovery: protocol.State("tcp", "mine")},
	} {
		if _, err := load(s); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "transport.congestion: the entry of mine in the registry") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
