package scenario_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"weft"

	"github.com/google/go-cmp/cmp"

	"weft/catalog"
	"weft/config"
	"weft/fault"
	"weft/problem"
	"weft/protocol"
	"weft/route"
	"weft/scenario"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

type arcaneOptions struct {
	Buffer int    `yaml:"buffer" default:"8" doc:"Entropies." min:"1"`
	Preset string `yaml:"preset" default:"fixed" doc:"Reading." enum:"fixed,as-printed"`
}

type windowOptions struct {
	Initial unit.Amount `yaml:"initial" default:"1BDP" doc:"Window."`
}

// registry has the real networks, workloads and faults, and stand-ins for the
// cores of a transport, which loading never runs.
func registry(t testing.TB) *scenario.Registry {
	t.Helper()
	balancer := func(arcaneOptions) (protocol.Balancer, error) { return protocol.Balancer{}, nil }
	control := func(windowOptions) (protocol.CongestionControl, error) { return protocol.CongestionControl{}, nil }
	none := func(struct{}) (protocol.Balancer, error) { return protocol.Balancer{}, nil }
	r := new(scenario.Registry)
	for _, err := range []error{
		r.Topologies.Add(topo.Entries()...),
		r.Patterns.Add(workload.Patterns()...),
		r.Arrivals.Add(workload.Arrivals()...),
		r.Faults.Add(fault.Entries()...),
		r.Markings.Add(scenario.Markings()...),
		r.Admissions.Add(scenario.Admissions()...),
		r.Routings.Add(route.Entries()...),
		r.Balancers.Add(
			catalog.Define("arcane", "caches entropies", "", balancer),
			catalog.Define("ops", "random entropies", "", none),
			catalog.Define("ecmp", "one entropy", "", none)),
		r.Congestion.Add(
			catalog.Define("mprdma", "per-packet DCTCP", "", control),
			catalog.Define("dctcp", "DCTCP", "", control)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

const least = `weft: 1
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 8, spines: 8}
traffic:
  - {name: main, pattern: tornado, size: 32MiB}
`

func parse(t testing.TB, text string, sets ...string) (*scenario.File, error) {
	t.Helper()
	f, err := scenario.Parse("scenarios/x.yaml", []byte(text), registry(t), sets)
	if len(sets) == 0 {
		schemaAgrees(t, schemas.small(t), text, f, err)
	}
	return f, err
}

func parseOne(t testing.TB, text string, sets ...string) *scenario.Scenario {
	t.Helper()
	f, err := parse(t, text, sets...)
	if err != nil {
		t.Fatal(err)
	}
	return f.Variants[0]
}

func TestDefaults(t *testing.T) {
	s := parseOne(t, least)
	if s.Name != "x" || s.Variant != "x" || s.Seed != 1 || s.StuckAfter != 10*unit.Millisecond || s.Until != nil {
		t.Errorf("name %q, variant %q, seed %d, stuck_after %v, until %v", s.Name, s.Variant, s.Seed, s.StuckAfter, s.Until)
	}
	if s.Fabric.Queue != (scenario.QueueLimit{Amount: unit.Amount{BDPs: 1}}) || s.Fabric.Classes != 1 || s.Fabric.Trim != nil {
		t.Errorf("fabric %+v", s.Fabric)
	}
	m, err := s.Fabric.ECN.Build()
	if err != nil {
		t.Fatal(err)
	}
	want := protocol.Marking{On: true, KMin: unit.Amount{Share: 0.2}, KMax: unit.Amount{Share: 0.8}, PMax: 1}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	if want := (scenario.Reaction{After: 10 * unit.Millisecond}); s.Routing.Reconverge != want {
		t.Errorf("routes follow failures after %v", s.Routing.Reconverge)
	}
	tr := s.Traffic[0].Transport
	if tr.Payload != 4096 || tr.Header != 64 || tr.Ack.Every != 1 || tr.Balancer.Kind != "ecmp" || tr.Congestion.Kind != "dctcp" || tr.Recovery.Kind != "selective" || tr.RTO != nil {
		t.Errorf("transport %+v", tr)
	}
	if s.Traffic[0].Size.Fixed != 32*unit.MiB {
		t.Errorf("size %+v", s.Traffic[0].Size)
	}
}

func TestTrimHasDefaults(t *testing.T) {
	s := parseOne(t, least+"fabric: {overflow: trim, classes: 2}\ntransport: {class: 1}")
	want := &scenario.Trim{Header: 64, Victim: "arriving", Queue: unit.Amount{BDPs: 1}}
	if diff := cmp.Diff(want, s.Fabric.Trim); diff != "" {
		t.Error(diff)
	}
}

func TestGroupsInheritTheTransport(t *testing.T) {
	f, err := parse(t, least+`  - {name: bg, pattern: permutation, size: 1MiB, transport: {balancer: ecmp, ack: {every: 2}}}
  - {name: slow, pattern: permutation, size: 1MiB, transport: {balancer: {preset: fixed}, rto: null}}
transport: {payload: 1024B, rto: 70us, balancer: {kind: arcane, buffer: 4, preset: as-printed}, ack: {size: 40B}}
`, "transport.congestion=dctcp")
	if err != nil {
		t.Fatal(err)
	}
	groups := f.Variants[0].Traffic
	for i, want := range []struct {
		kind  string
		every int
		rto   bool
		arc   any
	}{
		{"arcane", 1, true, &arcaneOptions{4, "as-printed"}},
		{"ecmp", 2, true, &struct{}{}},
		{"arcane", 1, false, &arcaneOptions{4, "fixed"}},
	} {
		tr := groups[i].Transport
		if tr.Payload != 1024 || tr.Ack.Size != 40 || tr.Congestion.Kind != "dctcp" {
			t.Errorf("group %d lacks what all traffic has: %+v", i, tr)
		}
		if tr.Balancer.Kind != want.kind || tr.Ack.Every != want.every || (tr.RTO != nil) != want.rto {
			t.Errorf("group %d: %+v", i, tr)
		}
		if diff := cmp.Diff(want.arc, tr.Balancer.Options); diff != "" {
			t.Errorf("group %d: %s", i, diff)
		}
	}
}

func TestVariants(t *testing.T) {
	f, err := parse(t, least+`transport: {balancer: {kind: arcane, buffer: 4}}
compare:
  - name: ARCANE
  - name: ECMP
    set: {transport.balancer: ecmp, traffic.main.size: 1MiB}
  - {name: Nested, transport: {balancer: {buffer: 2}, ack: {every: 4}}, seed: 9}
  - name: Both
    transport.balancer.kind: ops
    set:
      seed: 3
`, "seed=5", "transport.balancer.preset=as-printed")
	if err != nil {
		t.Fatal(err)
	}
	type got struct {
		Name, Balancer string
		Seed           uint64
		Every          int
		Options        any
		Size           unit.Bytes
	}
	var list []got
	for _, s := range f.Variants {
		g := s.Traffic[0].Transport
		list = append(list, got{s.Variant, g.Balancer.Kind, s.Seed, g.Ack.Every, g.Balancer.Options, s.Traffic[0].Size.Fixed})
		if len(s.Compare) != 0 || s.Name != "x" {
			t.Errorf("variant %q of %q compares %v", s.Variant, s.Name, s.Compare)
		}
	}
	want := []got{
		{"ARCANE", "arcane", 5, 1, &arcaneOptions{4, "as-printed"}, 32 * unit.MiB},
		{"ECMP", "ecmp", 5, 1, &struct{}{}, unit.MiB},
		{"Nested", "arcane", 9, 4, &arcaneOptions{2, "as-printed"}, 32 * unit.MiB},
		{"Both", "ops", 3, 1, &struct{}{}, 32 * unit.MiB},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
	wantNotices := []string{
		`--set transport.balancer.preset=as-printed does not reach variant "ECMP", which sets transport.balancer itself`,
		`--set seed=5 does not reach variant "Nested", which sets seed itself; write --set compare.Nested.set.seed=5 for it`,
		`--set seed=5 does not reach variant "Both", which sets seed itself; write --set compare.Both.set.seed=5 for it`,
	}
	if diff := cmp.Diff(wantNotices, f.Notices); diff != "" {
		t.Error(diff)
	}
}

func TestSetReachesAVariant(t *testing.T) {
	text := least + "compare:\n  - {name: A, set: {transport.balancer: ecmp}}\n  - name: B\n"
	f, err := parse(t, text, "compare.B.seed=7")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := f.Variants[0].Seed, f.Variants[1].Seed; a != 1 || b != 7 {
		t.Errorf("the seeds are %d and %d", a, b)
	}
}

// However a variant or a level of an axis is written, the command line has the last word.
func TestSetsComeAfterVariantsAndLevels(t *testing.T) {
	for _, item := range []string{
		"{name: A, transport: {balancer: {kind: arcane, buffer: 4}, ack: {every: 2}}, traffic: [{name: main, pattern: permutation, size: 1MiB}]}",
		"{name: A, transport.balancer: arcane, transport.balancer.buffer: 4, transport.ack.every: 2, traffic.main.size: 1MiB}",
		"{name: A, set: {transport.balancer: {kind: arcane, buffer: 4}, transport: {ack: {every: 2}}}}",
		"{name: A, set: {transport.ack.every: 2}, transport: {balancer: arcane}}",
		"{name: A, set: {transport: {balancer: ops}}}",
	} {
		for _, to := range []string{"compare.A.", "compare.A.set.", "compare[0].set."} {
			sets := []string{to + "transport.balancer={buffer: 9, kind: arcane}", to + "transport.ack.every=4", to + "traffic[0].size=8KiB"}
			f, err := parse(t, least+"compare: ["+item+"]\n", sets...)
			if err != nil {
				t.Errorf("%s and %s: %v", item, sets, err)
				continue
			}
			g := f.Variants[0].Traffic[0]
			if o, ok := g.Transport.Balancer.Options.(*arcaneOptions); !ok || o.Buffer != 9 || g.Transport.Ack.Every != 4 || g.Size.Fixed != 8*unit.KiB {
				t.Errorf("%s and %s: %+v, %d, %v", item, sets, g.Transport.Balancer.Options, g.Transport.Ack.Every, g.Size.Fixed)
			}
		}
	}
	for _, item := range []string{"transport.balancer: {kind: arcane, buffer: 4}", "transport: {balancer: {kind: arcane, buffer: 4}}"} {
		f, err := parse(t, least+"compare: [{name: A, set: {"+item+"}}]\n", "compare.A.transport.balancer=arcane", "compare.A.transport.ack.every=2", "compare.A.set.transport.ack.every=2")
		if err != nil {
			t.Fatal(err)
		}
		if o, ok := f.Variants[0].Transport.Balancer.Options.(*arcaneOptions); !ok || o.Buffer != 8 {
			t.Errorf("%s: its name alone gives %+v", item, f.Variants[0].Transport.Balancer.Options)
		}
	}
	for _, level := range []string{"{transport: {balancer: arcane}}", "{transport.balancer: {kind: arcane, buffer: 4}}"} {
		m := expand(t, "matrix: [{name: x, levels: {a: "+level+"}}]\n", "matrix.x.levels.a.transport.balancer.buffer=9")
		if o, ok := m.Cells[0].Transport.Balancer.Options.(*arcaneOptions); !ok || o.Buffer != 9 {
			t.Errorf("%s: %+v", level, m.Cells[0].Transport.Balancer.Options)
		}
	}
}

// What merges with a variant's own value reaches it.
func TestSetsThatMergeWithVariants(t *testing.T) {
	const text = least + "transport: {congestion: mprdma, balancer: arcane}\ncompare:\n  - {name: A, transport.balancer: arcane}\n  - {name: B, transport.balancer.buffer: 4}\n  - {name: C d, transport.balancer: ops}\n"
	for set, want := range map[string][]string{
		"transport.balancer={kind: arcane, preset: as-printed}": {`"C d", which sets transport.balancer itself; write --set 'compare[2].set.transport.balancer={kind: arcane, preset: as-printed}' for it`},
		"transport.balancer.buffer=9": {
			`"B", which sets transport.balancer.buffer itself; write --set compare.B.set.transport.balancer.buffer=9 for it`,
			`"C d", which sets transport.balancer itself`,
		},
	} {
		f, err := parse(t, text, set)
		if err != nil {
			t.Errorf("%s: %v", set, err)
			continue
		}
		for i := range want {
			want[i] = "--set " + set + " does not reach variant " + want[i]
		}
		if diff := cmp.Diff(want, f.Notices); diff != "" {
			t.Errorf("%s: %s", set, diff)
		}
	}
}

// An option that is set before its kind would be lost without a word.
func TestOptionsBeforeTheirKind(t *testing.T) {
	for _, c := range []struct {
		text string
		sets []string
		want string
	}{
		{least, []string{"transport.congestion.initial=2BDP", "transport.congestion=dctcp"}, "--set transport.congestion=dctcp: transport.congestion comes after transport.congestion.initial and replaces it; write it before"},
		{least, []string{"transport.congestion=dctcp", "transport.congestion.initial=2BDP", "fabric.classes=2"}, ""},
		{least + "compare:\n  - {name: A, set: {transport.congestion.initial: 2BDP, transport.congestion: {kind: dctcp}}}\n", nil, "transport.congestion comes after transport.congestion.initial and replaces it; write it before"},
		{least + "compare:\n  - {name: A, set: {transport.ack.every: 2, transport: {class: 0}}}\n", nil, ""},
	} {
		_, err := parse(t, c.text, c.sets...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v and %q: %v, want %q", c.sets, c.text, err, c.want)
		}
	}
}

func TestResolvedLoadsToTheSame(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sizes.csv"), []byte("size_bytes,cdf\n1000,0.5\n2000,1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "two.cm"), []byte("Nodes 2\nConnections 1\n0->1 id 1 start 0 size 1000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{
		"least": least,
		"file": `weft: 1
topology: {kind: star, hosts: 2}
traffic:
  - {name: a, pattern: {kind: connections, file: two.cm}}
  - {name: b, pattern: ring-allreduce, size: 1MB, background: {share: 50%, transport: {balancer: ecmp}}}
`,
		"all": `weft: 1
name: a name
about: "it: is # odd"
seed: 18446744073709551615
topology: {kind: fat-tree, radix: 4}
routing: {policy: wcmp, reconverge: 25us}
fabric: {queue: 64KiB, classes: 3, ecn: {kind: threshold, k: 30KB, at: dequeue}, overflow: trim, trim: {victim: coin}}
transport: {rto: 70us, class: 1, reorder_limit: 500, ack: {class: 2, every: 4, entropies: unmarked}, connection: pair}
traffic:
  - {name: a, pattern: {kind: incast, receiver: host3}, size: {cdf: sizes.csv, rule: log, mean: 1500}, arrival: {kind: poisson, load: 60%}}
  - {name: b, pattern: uniform, size: 1MB, arrival: {kind: closed, think: 1us}, start: 5us, jitter: 1us, hosts: [host0..host3, host9], transport: {class: 2, rto: null, reorder_limit: null}}
faults:
  - {kind: link-down, at: 100us, links: "tor0->agg0", for: 100us}
  - {kind: degrade, rate: 50%, links: ["tor1->agg*", "tor2->agg0"]}
until: 10ms
measure: {from: 1ms, to: 9ms}
stuck_after: 2ms
record: {flows: sample, sample: {share: 5%}, ports: "tor0->agg*", interval: 10us}
engine: {threads: 2, domains: 8, queue: calendar}
`,
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name+".yaml")
			f, err := scenario.Parse(path, []byte(text), registry(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			first := f.Variants[0]
			resolved, err := first.Resolved()
			if err != nil {
				t.Fatal(err)
			}
			f, err = scenario.Parse("elsewhere/"+name+".yaml", resolved.YAML(), registry(t), nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, resolved.YAML())
			}
			second := f.Variants[0]
			again, err := second.Resolved()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(resolved.YAML()), string(again.YAML())); diff != "" {
				t.Error(diff)
			}
			a, err := first.Hash()
			if err != nil {
				t.Fatal(err)
			}
			b, err := second.Hash()
			if err != nil {
				t.Fatal(err)
			}
			if a != b {
				t.Error("the hashes differ")
			}
			if _, err := resolved.MarshalJSON(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHash(t *testing.T) {
	dir := t.TempDir()
	sizes := filepath.Join(dir, "sizes.csv")
	write := func(text string) {
		if err := os.WriteFile(sizes, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("size_bytes,cdf\n1000,0.5\n2000,1\n")
	hash := func(sets ...string) string {
		t.Helper()
		text := strings.Replace(least, "32MiB", "{cdf: "+sizes+"}", 1)
		h, err := parseOne(t, text, sets...).Hash()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	base := hash()
	for _, same := range []string{"name=other", "about=something", "engine.threads=4", "engine.domains=3", "transport.balancer=ecmp", "transport.congestion=dctcp", "seed=1"} {
		if hash(same) != base {
			t.Errorf("%s changes the hash", same)
		}
	}
	for _, other := range []string{"seed=2", "transport.balancer=ops", "topology.spines=4", "until=1ms", "transport.rto=1us"} {
		if hash(other) == base {
			t.Errorf("%s does not change the hash", other)
		}
	}
	write("size_bytes,cdf\n1000,0.5\n3000,1\n")
	if hash() == base {
		t.Error("another table of sizes has the same hash")
	}
}

func TestErrorf(t *testing.T) {
	s := parseOne(t, least)
	tests := []struct {
		path string
		err  error
		want string
	}{
		{"topology.tors", fmt.Errorf("too few: %w", os.ErrInvalid), "scenarios/x.yaml:2:36: topology.tors: too few: invalid argument"},
		{"topology", fmt.Errorf("leaf-spine: %w", problem.At("tors", "tors is %d", 2).Mend("use 4")), "scenarios/x.yaml:2:36: topology: leaf-spine: tors is 2; use 4"},
		{"topology", errors.New("leaf-spine: tors is 2"), "scenarios/x.yaml:2:11: topology: leaf-spine: tors is 2"},
		{"topology", problem.At("rate", "rate is 0"), "scenarios/x.yaml:2:11: topology: rate is 0"},
		{"traffic[0]", problem.At("size", "size: 0"), "scenarios/x.yaml:4:42: traffic[0]: size: 0"},
		{"traffic[0].size", problem.At("size", "0"), "scenarios/x.yaml:4:42: traffic[0].size: 0"},
		{"traffic[0].size", problem.At("size.mean", "mean is 0").Mend("write 1"), "scenarios/x.yaml:4:42: traffic[0].size: mean is 0; write 1"},
		{"faults", errors.New("none"), "scenarios/x.yaml:1:1: faults: none"},
	}
	for _, tt := range tests {
		err := s.Errorf(tt.path, "%w", tt.err)
		if got, _, _ := strings.Cut(err.Error(), "\n"); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
		if _, ok := err.(*config.Error); !ok {
			t.Errorf("the error is a %T", err)
		}
	}
}

// TestProblemsAreApart demands that the key that is wrong and the remedy stand beside the text.
func TestProblemsAreApart(t *testing.T) {
	for _, tt := range []struct{ text, path, remedy string }{
		{least + "sed: 2", "sed", `did you mean "seed"?`},
		{least + "seed: [1]", "seed", "write it as in 1"},
		{least + "until: 5", "until", `use ps, ns, us, ms or s`},
		{least + "fabric: {nic: x}", "fabric.nic", "use pull or fifo"},
		{least + "transport: {balancer: opps}", "transport.balancer", `did you mean "ops"?`},
		{least + "transport: {balancer: {buffer: 8}}", "transport.balancer.kind", "known: arcane"},
		{strings.Replace(least, "32MiB", "1B, arrival: closed", 1), "traffic[0].arrival", "set the end of the run"},
		{strings.Replace(least, "32MiB", "8TB", 1) + "transport: {payload: 64B}", "traffic[0].size", "with the payload of its packets a message has at most"},
		{strings.Replace(least, "weft: 1", "weft: 7", 1), "weft", "write weft: 1, or use a weft"},
		{least + "seeds: []", "seeds", "give at least one"},
		{least + "matrix: [{path: seed, values: []}]", "matrix", "give it at least one"},
	} {
		f, err := parse(t, tt.text)
		if err == nil {
			_, err = f.Variants[0].BuildTelling(nil)
		}
		var wrong *config.Error
		if !errors.As(err, &wrong) {
			t.Errorf("%v, of\n%s", err, tt.text)
			continue
		}
		p := wrong.Problems[0]
		if p.Path != tt.path || (tt.remedy == "") != (p.Remedy == "") || !strings.HasPrefix(p.Remedy, tt.remedy) || p.Remedy != "" && strings.Contains(p.Text, p.Remedy) {
			t.Errorf("%q: %q, %q, of\n%s", p.Path, p.Text, p.Remedy, tt.text)
		}
	}
}

// TestKeysHaveOtherNamesThanWhatIsAroundThem guards what problem.Join takes for granted.
func TestKeysHaveOtherNamesThanWhatIsAroundThem(t *testing.T) {
	var look func(path string, params []catalog.Param)
	look = func(path string, params []catalog.Param) {
		for _, p := range params {
			if path != "" && strings.HasSuffix("."+path, "."+p.Name) {
				t.Errorf("%s has a key %s", path, p.Name)
			}
			look(p.Name, p.Params)
		}
	}
	look("", catalog.Params(reflect.TypeFor[scenario.Spec]()))
	for _, s := range weft.Builtin().Sections() {
		key := strings.TrimSuffix(s.Key[strings.LastIndexByte(s.Key, '.')+1:], "[]")
		for _, name := range s.Entries.Names() {
			info, _ := s.Entries.Find(name)
			look(key, info.Params())
		}
	}
}

func TestLoadUnreadable(t *testing.T) {
	dir := t.TempDir()
	tests := map[string]string{
		filepath.Join(dir, "none.yaml"): "there is no such file",
		dir:                             "it is a folder",
	}
	for path, want := range tests {
		_, err := scenario.Load(path, registry(t), nil)
		if _, ok := err.(*config.Error); !ok || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("Load(%s) = %v", path, err)
		}
	}
}

// TestProblemsOfVariants names the variants with a problem at a place that they share, and
// passes over one that is not wanted, unless it cannot be read.
func TestProblemsOfVariants(t *testing.T) {
	const text = "weft: 1\ntopology: {kind: star, hosts: 3}\nfabric: {classes: 3}\ntransport: {ack: {class: 2}}\n" +
		"traffic:\n  - {name: main, pattern: permutation, size: 1kB}\ncompare:\n" +
		"  - {name: good}\n  - {name: bad, fabric.classes: 2}\n  - {name: high, fabric.classes: 4}\n"
	path := filepath.Join(t.TempDir(), "x.yaml")
	for _, test := range []struct {
		more string
		only []string
		want string // of the error
		left string
	}{
		{"", nil, `(in variant "bad")`, ""},
		{"", []string{"bad"}, `(in variant "bad")`, ""},
		{"", []string{"good"}, "", "good high"},
		{"  - {name: worse, fabric.classes: 2}\n", nil, `(in variants bad, worse)`, ""},
		{"  - {name: misspelt, transport.ack.clas: 2}\n", []string{"good"}, `(in variant "misspelt")`, ""},
		{"  - {name: unmeant, transport.ack.size.x: 2}\n", nil, `(in variant "unmeant")`, ""},
	} {
		if err := os.WriteFile(path, []byte(text+test.more), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := scenario.LoadOnly(path, registry(t), nil, test.only)
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q, only %q: %v, want %s", test.more, test.only, err, test.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range f.Variants {
			names = append(names, s.Variant)
		}
		if got := strings.Join(names, " "); got != test.left || len(f.VariantNames()) != 3 {
			t.Errorf("only %q: %s of %q", test.only, got, f.VariantNames())
		}
	}
}

// TestNoticesOfVariants tells of variants that the command line does not reach, of those only
// that are wanted.
func TestNoticesOfVariants(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.yaml")
	const compare = "compare:\n  - {name: one, record.credit: true}\n  - {name: two, record.credit: true}\n  - {name: three}\n"
	if err := os.WriteFile(path, []byte(least+compare), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ only, want []string }{
		{nil, []string{`variant "one"`, `variant "two"`}},
		{[]string{"two", "three"}, []string{`variant "two"`}},
		{[]string{"three"}, nil},
	} {
		f, err := scenario.LoadOnly(path, registry(t), scenario.Sets("record.credit=false"), test.only)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Notices) != len(test.want) {
			t.Fatalf("only %q: notices %q, want those of %q", test.only, f.Notices, test.want)
		}
		for i, want := range test.want {
			if !strings.Contains(f.Notices[i], want) {
				t.Errorf("only %q: notice %q, want one of %s", test.only, f.Notices[i], want)
			}
		}
	}
}
