package scenario_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"weft"
	"weft/catalog"
	"weft/route"
	"weft/scenario"
	"weft/topo"
	"weft/unit"
)

// flappingFly is a small Slim Fly in which a switch loses half of its links for a while.
const flappingFly = `weft: 1
topology: {kind: slim-fly, order: 3, hosts_per_switch: 2, rate: 100Gbps}
fabric: {queue: 33kB}
traffic: [{name: main, pattern: tornado, size: 64KiB}]
faults:
  - {kind: link-down, links: "a0r0->b*", at: 3us, for: 60us}
routing: {reconverge: 15us}
`

// TestLayersDeliver runs every scheme of layers with balancers that choose layers in different ways,
// cut in different ways: all is delivered, and to the same bytes of result.
func TestLayersDeliver(t *testing.T) {
	for _, tt := range []struct{ policy, balancer string }{
		{"{kind: layers}", "fatpaths"},
		{"{kind: layers, layers: 4, next_hops: all, density: 50%}", "arcane"},
		{"{kind: layers, layers: 1, layer_seed: 7}", "ecmp"},
		{"{kind: layers, scheme: overlap}", "{kind: fatpaths, first: minimal, gap: 2us}"},
		{"{kind: layers, scheme: minimal, layers: 3}", "{kind: letflow, gap: 1us}"},
		{"{kind: layers, scheme: spain, layers: 5}", "ops"},
		{"{kind: layers, scheme: past, layers: 4, trees: non-minimal}", "flowlet"},
		{"{kind: layers, layers: 4}", "{kind: fatpaths, first: minimal, change: [cut, loss, timeout]}"},
		{"{kind: layers, layers: 4}", "{kind: mptcp, subflows: 4, apart: true}"},
		{"ksp", "arcane"},
		{"{kind: ksp, paths: 5, path_seed: 3}", "fatpaths"},
		{"{kind: ksp, paths: 200, stretch: 1}", "ops"},
	} {
		t.Run(tt.policy+" "+tt.balancer, func(t *testing.T) {
			t.Parallel()
			want := ""
			for _, o := range []scenario.RunOptions{
				{Domains: 1, Threads: 1, Check: true}, {Domains: 5, Threads: 1}, {Domains: 9, Threads: 2, Check: true},
			} {
				r, err := scenario.Run(t.Context(), load(t, flappingFly, "routing.policy="+tt.policy, "transport.balancer="+tt.balancer), o)
				if err != nil {
					t.Fatal(err)
				}
				s := &r.Summary
				if s.Messages != 36 || s.Unfinished != 0 || s.Drops.LinkDown == 0 {
					t.Fatalf("%d of %d messages are unfinished; %d frames met a dead link", s.Unfinished, s.Messages, s.Drops.LinkDown)
				}
				if want == "" {
					want = s.ResultHash
				}
				if s.ResultHash != want {
					t.Errorf("%d domains, %d threads: result hash %s, want %s", o.Domains, o.Threads, s.ResultHash, want)
				}
			}
		})
	}
}

// TestLayersRefusals has scenarios refused, or remarked upon, that do not go with layers.
func TestLayersRefusals(t *testing.T) {
	for _, tt := range []struct {
		name string
		sets []string
		want string
	}{
		{"switches choose", []string{"transport.balancer=adaptive-roce"},
			"adaptive-roce leaves the choice of a path to switches, so that all its packets would take layer 0, but routing.policy is layers, of which the sender chooses; choose another balancer, such as fatpaths, or write policy: ecmp"},
		{"switches spray", []string{"transport.balancer={kind: ops, at: switch}"}, "ops leaves the choice of a path to switches"},
		{"data retraces credits", []string{"fabric={classes: 2, credits: {data: 4160B}}", "transport={congestion: expresspass, balancer: ecmp}"},
			"do not come back over the same links"},
		{"one switch", []string{"faults=[]", "topology={kind: star, hosts: 4}"}, "routing.policy: there is one router, "},
		{"another scheme's option", []string{"routing.policy={kind: layers, scheme: past, density: 60%}"},
			"density is an option of scheme: sample, and scheme is past; remove it, or write scheme: sample"},
		{"no density", []string{"routing.policy={kind: layers, density: 0%}"}, "density is 0; use more than 0 and at most 1, such as 0.6"},
		{"hops", []string{"routing.policy={kind: layers, scheme: overlap, min_hops: 4, max_hops: 3}"}, "scheme overlap"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sets := append([]string{"routing.policy={kind: layers}"}, tt.sets...)
			_, err := scenario.Run(t.Context(), load(t, flappingFly, sets...), scenario.RunOptions{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestSparseLayersAreNoticed has layers that leave switches apart.
func TestSparseLayersAreNoticed(t *testing.T) {
	r, err := scenario.Run(t.Context(), load(t, flappingFly, "routing.policy={kind: layers, layers: 3, density: 10%}"), scenario.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if notices := strings.Join(r.Manifest.Notices, "\n"); !strings.Contains(notices, "have no route in a layer and take minimal paths there") {
		t.Errorf("notices %s", notices)
	}
	for _, d := range r.Manifest.Derived {
		if d.Name == "layer_strays" && d.Value > 0 {
			return
		}
	}
	t.Errorf("derived values %+v", r.Manifest.Derived)
}

// shun is a policy of a user's own: no route passes a switch.
type shun struct {
	Switch string `yaml:"switch" default:"spine0" doc:"Switch to avoid."`
}

func (o shun) Build() (route.Policy, error) {
	return route.Policy{Prepare: func(g *topo.Graph, _ uint64) (route.Router, error) {
		sw, ok := g.Node(o.Switch)
		if !ok {
			return nil, fmt.Errorf("there is no switch %q", o.Switch)
		}
		return func(options route.Options) (*route.Tables, error) {
			down := options.Down
			options.Down = func(l topo.LinkID) bool {
				return g.Links[l].A == sw || g.Links[l].B == sw || down != nil && down(l)
			}
			return route.Minimal(g, options)
		}, nil
	}}, nil
}

// TestOwnRouting has a program's own policy decide where packets go.
func TestOwnRouting(t *testing.T) {
	reg := weft.Builtin()
	if err := reg.Routings.Add(catalog.Define("shun", "avoids a switch", "", shun.Build)); err != nil {
		t.Fatal(err)
	}
	f, err := scenario.Parse("own.yaml", []byte(`weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 2}
routing: {policy: shun}
traffic: [{name: main, pattern: tornado, size: 64KiB}]
`), reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Ports {
		if strings.HasPrefix(p.From, "spine0") && p.Frames > 0 {
			t.Errorf("%d frames passed the switch", p.Frames)
		}
	}
}

// TestOffDiagonalOnSlimFly sends from all hosts of each switch to those of one other on the
// Hoffman-Singleton graph, which has one path of at most two links between any two switches. With
// minimal routes the flows of a switch share it, so that they take at least as many times as long as
// alone as there are hosts per switch. Layers have other paths.
func TestOffDiagonalOnSlimFly(t *testing.T) {
	t.Parallel()
	const hosts, size, rate = 4, 256 * unit.KiB, 100 * unit.Gbps
	text := `weft: 1
topology: {kind: slim-fly, order: 5, hosts_per_switch: 4, rate: 100Gbps, delay: 100ns, switch_latency: 100ns}
fabric: {overflow: trim, queue: 72kB}
transport: {payload: 8936B, congestion: ndp, balancer: {kind: fatpaths, gap: 5us}}
traffic: [{name: main, pattern: {kind: off-diagonal, offset: 12}, size: 256KiB}]
`
	// slowest returns when the last message of each switch ended, and the mean FCT.
	slowest := func(sets ...string) (ends map[int]unit.Time, mean unit.Time) {
		r, err := scenario.Run(t.Context(), load(t, text, sets...), scenario.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ends = map[int]unit.Time{}
		for _, f := range r.Flows {
			if f.FCT() < 0 {
				t.Fatal("a message is unfinished")
			}
			host, err := strconv.Atoi(strings.TrimPrefix(f.Src, "host"))
			if err != nil {
				t.Fatal(err)
			}
			ends[host/hosts] = max(ends[host/hosts], f.FCT())
			mean += f.FCT() / unit.Time(len(r.Flows))
		}
		return ends, mean
	}
	least := hosts * rate.Transmit(size)
	shared, _ := slowest()
	if len(shared) != 50 {
		t.Errorf("%d switches sent, want 50", len(shared))
	}
	for sw, end := range shared {
		if end < least {
			t.Errorf("switch %d sent all its messages in %v, less than the %v that its one minimal path takes", sw, end, least)
		}
	}
	if _, mean := slowest("routing.policy={kind: layers}"); mean >= least {
		t.Errorf("over layers a message took %v in the mean, no less than the %v of one path", mean, least)
	}
}

// TestOneMinimalPath holds the skewed pattern of scenarios/fatpaths to what it says: each switch has one
// minimal path to the one that it sends to, so that its 7 hosts have 1/7 of a link each.
func TestOneMinimalPath(t *testing.T) {
	f, err := weft.Load("../scenarios/fatpaths/slim-fly.yaml", weft.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Variants[0].Topology.Build()
	if err != nil {
		t.Fatal(err)
	}
	tables, err := route.Minimal(g, route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const hosts, offset, perSwitch = 1022, 504, 7
	for h := 0; h < hosts; h += perSwitch {
		first, to := tables.Edge(g.Hosts[h]), tables.Edge(g.Hosts[(h+offset)%hosts])
		for i := range perSwitch {
			if tables.Edge(g.Hosts[h+i]) != first || tables.Edge(g.Hosts[(h+i+offset)%hosts]) != to {
				t.Fatalf("hosts of switch %d send to several switches", first)
			}
		}
		for sw := tables.EdgeSwitch(first); sw != tables.EdgeSwitch(to); {
			hops := tables.Hops(sw, to)
			if len(hops) != 1 {
				t.Fatalf("%s has %d minimal next hops", g.Nodes[sw].Name, len(hops))
			}
			_, sw = g.Ends(hops[0])
		}
	}
}
