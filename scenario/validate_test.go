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

func TestRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"no version", "name: x", []string{`scenarios/x.yaml:1:1: "weft" is missing`, "add the line weft: 1"}},
		{"other version", "weft: 2\nunknown: 3", []string{`x.yaml:1:7: this weft reads scenarios of format version 1`}},
		{"a list", "- weft: 1", []string{"a scenario is a mapping"}},
		{"empty", "", []string{"scenarios/x.yaml: the file is empty"}},
		{"bare", "weft: 1", []string{`"topology" is missing`, "known: fat-tree, leaf-spine", `"traffic" is missing`}},
		{"unknown key", least + "trafic: 1", []string{`x.yaml:5:1: unknown key "trafic"; did you mean "traffic"?`}},
		{"unknown balancer", least + "transport:\n  balancer: arcan", []string{`x.yaml:6:13: unknown balancer "arcan"; did you mean "arcane"? Known: arcane, ops, ecmp`}},
		{"name like a balancer's, of another key", least + "transport:\n  balancer: wcmp", []string{`unknown balancer "wcmp"; did you mean "ecmp"? Or it goes under routing.policy here: write routing: {policy: wcmp}. Known: arcane, ops, ecmp`}},
		{"word that several keys take", least + "transport: {balancer: none}", []string{`unknown balancer "none"; known: arcane, ops, ecmp`}},
		{"no interrupts", least + "fabric: {nic_interrupts: 0s}", []string{`x.yaml:5:26: fabric.nic_interrupts: "0s" is out of bounds; the least is 1ns; write null, or leave it out, for its default: each frame is taken at once`}},
		{"end of a link", strings.Replace(least, "kind: leaf-spine, tors: 2, hosts_per_tor: 8, spines: 8", "kind: graph, links: [{a: s, to: t}]", 1), []string{`"topology.links[0].b" is missing`, `unknown key "to" in topology.links[0]; did you mean "b"? Allowed: a, b, rate`}},
		{"unknown option", least + "transport:\n  balancer: {kind: arcane, bufer: 8}", []string{`x.yaml:6:28: unknown key "bufer" of balancer arcane; did you mean "buffer"?`}},
		{"unknown topology", strings.Replace(least, "leaf-spine", "leafspine", 1), []string{`x.yaml:2:18: unknown topology "leafspine"; did you mean "leaf-spine"?`}},
		{"unknown fault", least + "faults:\n  - {kind: link-dwon, links: x}", []string{`x.yaml:6:12: unknown kind in faults "link-dwon"; did you mean "link-down"?`}},
		{"key of two mappings", least + "transport: {classes: 2}", []string{`x.yaml:5:13: unknown key "classes" in transport; did you mean "class" or fabric.classes? Allowed`}},
		{"key of the top", strings.Replace(least, "32MiB", "1B, until: 1ms", 1), []string{`unknown key "until" in traffic[0]; did you mean until at the top? Allowed`}},
		{"workload for a size", strings.Replace(least, "32MiB", "websaerch", 1), []string{`there is no workload "websaerch"; did you mean "websearch"?`}},
		{"unit missing", least + "until: 10", []string{`x.yaml:5:8: until: time "10" has no unit`}},
		{"wrong in shared transport", least + "transport: {payload: 4096}", []string{`x.yaml:5:22: transport.payload: size "4096" has no unit`}},
		{"unknown in shared transport", least + "transport: {paylod: 4096B}", []string{`x.yaml:5:13: unknown key "paylod" in transport`}},
		{"unknown in own transport", strings.Replace(least, "32MiB", "1B, transport: {balancr: ops}", 1), []string{`unknown key "balancr" in traffic[0].transport`}},
		{"frame too large", least + "transport: {payload: 65500B}", []string{`x.yaml:5:22: transport.payload: with payload: 65500B data frames have up to 65564 bytes`, `write payload: 65471B or less`}},
		{"class beyond classes", least + "transport: {class: 1}", []string{`x.yaml:5:20: transport.class: there is no class 1: fabric.classes is 1`}},
		{"ack class beyond classes", least + "transport: {ack: {class: 1}}", []string{`transport.ack.class: there is no class 1`}},
		{"coalescing bounds", least + "transport: {ack: {every: 65}}", []string{`transport.ack.every: "65" is out of bounds; the most is 64`}},
		{"kmin above kmax", least + "fabric: {ecn: {kind: red, kmin: 90%}}", []string{`x.yaml:5:33: fabric.ecn: kmin is 90%, which is above kmax, 80%`}},
		{"option of another law", least + "fabric: {ecn: {kind: off, kmin: 90%}}", []string{`unknown key "kmin" of ecn off; it is an option of red; this kind has none`}},
		{"option of other faults", least + "faults: [{kind: missing, links: x, one_way: true}]", []string{`unknown key "one_way" of kind in faults missing; it is an option of link-down, link-up, degrade, loss, flap. Allowed: links`}},
		{"word of a fault", least + "faults: [{kind: down}]", []string{`did you mean "link-down" or "switch-down"? Known: link-down`}},
		{"letter of far-off keys", strings.Replace(least, "kind: leaf-spine, tors: 2, hosts_per_tor: 8, spines: 8", "kind: fat-tree, b: 4", 1), []string{`unknown key "b" of topology fat-tree; allowed: tiers`}},
		{"trim without trimming", least + "fabric: {trim: {header: 64B}}", []string{`x.yaml:5:16: fabric.trim: with fabric.overflow: drop`}},
		{"trimming nothing", least + "transport: {class: 1}\nfabric: {overflow: trim, classes: 2, trim: {header: 5KiB}}", []string{`fabric.trim.header: 5KiB is not less than a full data frame, 4160B`}},
		{"share of a queue", least + "fabric: {queue: 20%}", []string{`x.yaml:5:17: fabric.queue: a share of what?`}},
		{"no queue", least + "fabric: {queue: 0B}", []string{`x.yaml:5:17: fabric.queue: a queue of size 0`}},
		{"queue below a frame", least + "fabric: {queue: 4KiB}", []string{`x.yaml:5:17: fabric.queue: 4KiB does not hold a full frame of 4160B`}},
		{"timed from no queue", least + "transport: {rto_from: queue}", []string{`x.yaml:5:23: transport.rto_from: with fabric.nic: pull no packet waits`, `write fabric: {nic: fifo}`}},
		{"empty window", least + "measure: {from: 2us, to: 1us}", []string{`measure.to: 1us is not after measure.from, 2us`}},
		{"lead without ends", least + "measure: {lead: 1us}", []string{`measure.lead: 1us needs ends: true`}},
		{"window after the end", least + "until: 1us\nmeasure: {from: 2us}", []string{`measure.from: 2us is not before the end`}},
		{"window beyond the end", least + "until: 1us\nmeasure: {to: 2us}", []string{`measure.to: 2us is after the end`}},
		{"start after the end", strings.Replace(least, "32MiB", "1B, start: 2us", 1) + "until: 1us", []string{`traffic[0].start: 2us is not before the end`}},
		{"endless", strings.Replace(least, "32MiB", "1B, arrival: {kind: poisson, load: 50%}", 1), []string{`x.yaml:4:`, `traffic[0].arrival: poisson never ends; set the end of the run`}},
		{"endless loop", strings.Replace(least, "32MiB", "1B, arrival: closed", 1), []string{`closed never ends`}},
		{"no load", strings.Replace(least, "32MiB", "1B, arrival: {kind: poisson, load: 0}", 1), []string{`traffic[0].arrival: poisson: load is 0%`}},
		{"no traffic", strings.Split(least, "traffic")[0] + "traffic: []", []string{`x.yaml:3:10: traffic: no traffic`}},
		{"two groups of a name", least + "  - {name: main, pattern: tornado, size: 1B}", []string{`x.yaml:5:12: traffic[1].name: "main" is already the name of traffic[0]`}},
		{"name of a group", strings.Replace(least, "main", "a.b", 1), []string{`traffic[0].name: "a.b" cannot name a group`}},
		{"name of a scenario", least + "name: ../x", []string{`x.yaml:5:7: name: "../x" cannot name a folder`}},
		{"unreadable table", strings.Replace(least, "32MiB", "{cdf: none.csv}", 1), []string{`x.yaml:4:`, "traffic[0].size", "none.csv: there is no such file", "from the scenario"}},
		{"sample without sampling", least + "record: {sample: {share: 5%}}", []string{`record.sample: there is no sample with flows: window`}},
		{"empty sample", least + "record: {flows: sample, sample: {share: 0}}", []string{`record.sample.share: an empty sample`}},
		{"two variants of a name", least + "compare: [{name: a}, {name: a}]", []string{`compare[1].name: "a" is already the name of compare[0]`}},
		{"variant without a name", least + "compare: [{set: {seed: 2}}]", []string{`"compare[0].name" is missing`}},
		{"set of a variant", least + "compare: [{name: a, set: [seed]}]", []string{`set must be a mapping`}},
		{"unknown path of a variant", least + "compare:\n- {name: a, set: {transport.balncer: ops}}", []string{`x.yaml:6:19: unknown key "balncer" in transport; did you mean "balancer"?`}},
		{"unknown key of a variant", least + "compare:\n- {name: a, sed: 2}", []string{`x.yaml:6:13: unknown key "sed"; did you mean "seed"?`}},
		{"unknown value of a variant", least + "compare:\n- {name: a, set: {transport.balancer: opps}}", []string{`x.yaml:6:39: unknown balancer "opps"; did you mean "ops"?`}},
		{"a variant's own file", least + "compare:\n- {name: a, set: {weft: 2}}", []string{`x.yaml:6:19: a variant cannot change "weft", which is set for the whole file; remove it here`}},
		{"set within set", least + "compare:\n- {name: a, set: {set: {seed: 2}}}", []string{`x.yaml:6:19: set stands within set; write its parameters directly`}},
		{"unknown group in a variant", least + "compare:\n- {name: a, set: {traffic.man.size: 2B}}", []string{`x.yaml:6:19: there is no item man; did you mean "main"?`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parse(t, tt.text)
			if err == nil {
				t.Fatal("was accepted")
			}
			e, ok := err.(*config.Error)
			if !ok {
				t.Fatalf("the error is a %T: %v", err, err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q:\n%v", want, err)
				}
			}
			if len(e.Problems) > 2 {
				t.Errorf("one mistake is told %d times:\n%v", len(e.Problems), err)
			}
		})
	}
}

func TestSharedMistakesAreToldOnce(t *testing.T) {
	text := least + "  - {name: b, pattern: tornado, size: 1B}\n  - {name: c, pattern: tornado, size: 1B}\n"
	for _, transport := range []string{"{class: 3}", "{payload: 65500B}", "{balancer: {kind: arcane, buffer: 0}}", "{ack: {every: 0}}", "{sizes: 3}"} {
		_, err := parse(t, text+"transport: "+transport+"\ncompare: [{name: x}, {name: y}]")
		e, ok := err.(*config.Error)
		if !ok || len(e.Problems) != 1 {
			t.Errorf("transport: %s: %v", transport, err)
		}
	}
}

// TestRemediesAreApart has what to write apart from what is wrong, and each problem at its value.
func TestRemediesAreApart(t *testing.T) {
	t.Parallel()
	binary := filepath.Join(t.TempDir(), "binary.csv")
	if err := os.WriteFile(binary, []byte("\xff\xfe\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	const leafSpine = "kind: leaf-spine, tors: 2, hosts_per_tor: 8, spines: 8"
	for _, tt := range []struct{ name, text, path, what, remedy string }{
		{"negative size", strings.Replace(least, "32MiB", "-8KB", 1), "traffic[0].size", "is negative", `write it as in "64KiB"; sizes from a table`},
		{"unknown unit", strings.Replace(least, "32MiB", "9EB", 1), "traffic[0].size", `unknown unit "EB"`, "use B, KB, "},
		{"negative queue", least + "fabric: {queue: -1B}", "fabric.queue", "is negative", `write a number with its unit, as in "64KiB" or "1.5BDP", or infinite`},
		{"name", least + "name: ../../etc/x", "name", "cannot name a folder of results", "a name consists of letters"},
		{"missing table", strings.Replace(least, "32MiB", "{cdf: none.csv}", 1), "traffic[0].size.cdf", "none.csv: there is no such file", "a relative path starts"},
		{"binary table", strings.Replace(least, "32MiB", "{cdf: "+binary+"}", 1), "traffic[0].size", "this is not text", "a table has lines such as"},
		{"axis without a path", least + "matrix: [{values: [1, 2]}]", "matrix[0]", "needs a path, the parameter that it changes", "write as in path: "},
		{"list for a mapping", least + "fabric: [1]", "fabric", "must be a mapping, not a list", "write it as in {KEY: VALUE}, with keys such as "},
		{"large integer", strings.Replace(least, "tors: 2", "tors: 99999999999999999999", 1), "topology.tors", "too large or too small", "the limit is 9223372036854775807"},
		{"empty window", least + "measure: {from: 2us, to: 1us}", "measure.to", "is not after measure.from", "write a later to"},
		{"long time", least + "until: 9999999999999s", "until", "is too large", "the most is 9223372s"},
		{"missing topology", strings.Replace(least, leafSpine, "kind: graph, file: none.csv", 1), "topology.file", "none.csv: there is no such file", "a relative path starts"},
		{"negative count", strings.Replace(least, "tors: 2", "tors: -4", 1), "topology.tors", "tors is -4", "it must be from 1 to "},
		{"missing flows", strings.Replace(least, "tornado, size: 32MiB", "{kind: flow-file, file: none.txt}", 1), "traffic[0].pattern.file", "none.txt: there is no such file", "a relative path starts"},
		{"missing paths", least + "routing: {policy: {kind: paths, file: none.txt}}", "routing.policy.file", "none.txt: there is no such file", "a relative path starts"},
		{"path of a list", least + "routing: {policy: {kind: paths, list: [tor0 spine0 tor1, tor0 nix tor1]}}", "routing.policy.list[1]", `there is no switch "nix"`, ""},
	} {
		f, err := scenario.Parse("scenarios/x.yaml", []byte(tt.text), weft.Builtin(), nil)
		if err == nil && len(f.Variants) > 0 {
			_, err = f.Variants[0].Verify()
		}
		e, ok := err.(*config.Error)
		if !ok {
			t.Errorf("%s: the error is %v", tt.name, err)
			continue
		}
		if p := e.Problems[0]; p.Path != tt.path || !strings.Contains(p.Text, tt.what) || !strings.HasPrefix(p.Remedy, tt.remedy) || strings.Contains(p.Text, "stat ") {
			t.Errorf("%s: at %s, %q, remedy %q", tt.name, p.Path, p.Text, p.Remedy)
		}
	}
}

func TestSetsAreNamed(t *testing.T) {
	tests := map[string]string{
		"transport.balancer=opss": `--set transport.balancer=opss: unknown balancer "opss"; did you mean "ops"?`,
		"sed=2":                   `--set sed=2: unknown key "sed"; did you mean "seed"?`,
		"until=5":                 `--set until=5: until: time "5" has no unit`,
		"traffic[3].size=5B":      `--set traffic[3].size=5B: there is no item [3]; the list has 1, and the last is [0]`,
		"transport.class=4":       `--set transport.class=4: transport.class: there is no class 4`,
		"seed":                    `--set seed: this is not of the form path=value`,
	}
	for set, want := range tests {
		_, err := parse(t, least, set)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("--set %s: %v", set, err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"", "weft: 1", least, least + "compare:\n- {name: a, set: {transport.balancer: ops}}",
		least + "compare:\n- {name: a, transport: {balancer: {buffer: 2}}}", least + "transport: &t {class: 0}\nmeasure: {<<: *t}",
		least + "faults: [{kind: link-down, links: a}]", "weft: 1\ntraffic: {main: 1}", "\xff\x00", "[[[[[[", "weft: 1\n? [a]\n: b",
	} {
		f.Add(seed, "seed=2")
	}
	f.Add(least, "traffic.main.transport.balancer={kind: ops}")
	f.Add(least, "topology.kind=[star]")
	reg := registry(f)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text, set string) {
		// Names of devices must not be read.
		if strings.Contains(text, "cdf") || strings.Contains(set, "cdf") {
			t.Skip()
		}
		file, err := scenario.Parse(filepath.Join(dir, "f.yaml"), []byte(text), reg, []string{set})
		if err != nil {
			if e, ok := err.(*config.Error); !ok || len(e.Problems) == 0 {
				t.Fatalf("the error is a %T", err)
			}
			_ = err.Error()
			return
		}
		for _, s := range file.Variants {
			resolved, err := s.Resolved()
			if err != nil {
				t.Fatal(err)
			}
			again, err := scenario.Parse(filepath.Join(dir, "g.yaml"), resolved.YAML(), reg, nil)
			if err != nil {
				t.Fatalf("what was resolved is refused: %v\n%s", err, resolved.YAML())
			}
			a, errA := s.Hash()
			b, errB := again.Variants[0].Hash()
			if errA != nil || errB != nil || a != b {
				t.Fatalf("the hashes are %s and %s (%v, %v)", a, b, errA, errB)
			}
		}
	})
}

func TestLoadReadsBesideTheFile(t *testing.T) {
	dir := t.TempDir()
	text := strings.Replace(least, "32MiB", "{cdf: sizes.csv}", 1)
	for name, text := range map[string]string{"x.yaml": text, "sizes.csv": "size_bytes,cdf\n1,0.5\n2,oops\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, err := scenario.Load(filepath.Join(dir, "x.yaml"), registry(t), nil)
	if err == nil || !strings.Contains(err.Error(), "x.yaml:4:") || !strings.Contains(err.Error(), "sizes.csv:3:") {
		t.Errorf("a bad table of sizes: %v", err)
	}
}

// TestAllMisfitsAreFound: faults, traffic and records that do not fit the topology are
// told together, each at its place.
func TestAllMisfitsAreFound(t *testing.T) {
	_, err := parsed(t, `weft: 1
topology: {kind: fat-tree, tiers: 2, radix: 4}
traffic:
- {name: main, pattern: permutation, size: 1MB, hosts: host9*}
faults:
- {kind: link-down, links: tor0->spin0}
- {kind: link-down, links: tor0->spine0, at: 1us, for: 1us}
- {kind: degrade, links: tor1->spine1, rate: 900Gbps}
record: {ports: [tor7->spine0]}
`).Verify()
	var list *config.Error
	if !errors.As(err, &list) {
		t.Fatalf("not a list of problems: %v", err)
	}
	var lines []int
	for _, p := range list.Problems {
		lines = append(lines, p.Place.Line)
	}
	if want := []int{4, 6, 8, 9}; !slices.Equal(lines, want) {
		t.Errorf("problems in lines %v, want %v:\n%v", lines, want, list.All())
	}
}
