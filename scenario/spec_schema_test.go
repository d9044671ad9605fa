package scenario_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"

	"weft"
	"weft/config"
	"weft/scenario"
)

func schema(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	return resolve(t, registry(t))
}

// resolve returns the schema of a registry as a program reads it that knows its text alone.
func resolve(t testing.TB, reg *scenario.Registry) *jsonschema.Resolved {
	t.Helper()
	text, err := json.Marshal(scenario.Schema(reg))
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func check(t testing.TB, s *jsonschema.Resolved, text string) error {
	t.Helper()
	asJSON, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(asJSON, &v); err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// shapes are mistakes that a schema finds: those of single keys and values.
var shapes = regexp.MustCompile(`unknown key |^unknown |is missing|has the unknown unit|is not allowed; |must be a |must be an `)

// schemaAgrees demands that the schema takes a scenario which loads, and refuses one whose
// mistakes are all of single keys and values.
func schemaAgrees(t testing.TB, s *jsonschema.Resolved, text string, f *scenario.File, err error) {
	t.Helper()
	asJSON, bad := yaml.YAMLToJSON([]byte(text))
	var v any
	if bad != nil || json.Unmarshal(asJSON, &v) != nil {
		return // the mistake is one of YAML
	}
	said := s.Validate(v)
	var wrong *config.Error
	switch {
	case err == nil && said != nil:
		if _, err := f.Matrix(); err != nil {
			return // levels of axes are read with the matrix
		}
		t.Errorf("the schema refuses what loads: %v\n%s", said, text)
	case errors.As(err, &wrong) && said == nil:
		for _, p := range wrong.Problems {
			if shapes.MatchString(p.Message()) {
				t.Errorf("the schema takes what is refused: %s\n%s", p.Message(), text)
			}
		}
	}
}

// schemas has those of the registries of this package's tests.
var schemas struct {
	small, builtin func(testing.TB) *jsonschema.Resolved
}

func init() {
	once := func(reg func(testing.TB) *scenario.Registry) func(testing.TB) *jsonschema.Resolved {
		var once sync.Once
		var s *jsonschema.Resolved
		return func(t testing.TB) *jsonschema.Resolved {
			once.Do(func() { s = resolve(t, reg(t)) })
			return s
		}
	}
	schemas.small = once(registry)
	schemas.builtin = once(func(testing.TB) *scenario.Registry { return weft.Builtin() })
}

func TestSchemaAcceptsWhatLoads(t *testing.T) {
	oneThread(t)
	s := schema(t)
	for _, text := range []string{
		least,
		least + "seed: 7\nuntil: 1ms\nmeasure: {from: 0, to: 0.5ms}\nfabric: {queue: 64KiB, ecn: off}\nrecord: {ports: a, interval: 1us}",
		least + "fabric: {ecn: {kind: threshold, k: 30%}, overflow: trim, trim: {victim: coin}, classes: 2}\ntransport: {class: 1, rto:}",
		least + "faults:\n- {kind: link-down, links: tor0->spine0, at: 1us}\n- {kind: degrade, links: [a, b], rate: 50%}\nengine: {domains: auto}",
		least + "  - {name: b, pattern: {kind: incast, receiver: host0}, size: {cdf: x.csv}, transport: {balancer: {buffer: 3}, rto: null}}",
		least + "compare:\n- {name: A}\n- {name: B, set: {transport.balancer: ops, traffic.main.size: 1KiB, traffic: {main: {size: 2B}}}}\n- {name: C, transport: {balancer: ecmp}, 'traffic[0].size': 1B}",
		// Words beside quantities.
		strings.Replace(least, "size: 32MiB", "size: websearch", 1),
		strings.Replace(least, "size: 32MiB", "size: W4", 1),
		strings.Replace(least, "size: 32MiB", "workload: Google", 1),
		strings.Replace(least, "size: 32MiB", "size: websearch, reply: {workload: wkb}", 1),
		least + "transport: {rto: path, recovery: selective}\nrouting: {reconverge: never}\nengine: {domains: 4}",
		least + "transport: {recovery: {kind: irn, rto_low: 50us}}\nfabric: {queue: infinite, ecn: off, buffer: 16MB}",
		least + "fabric: {overflow: trim, classes: 2, trim: {ratio: strict}}\nfaults:\n- {kind: degrade, links: tor0->spine0, rate: 100Gbps}",
		// Parts of the traffic, and paths through lists and choices.
		strings.Replace(least, "size: 32MiB", "size: 1MiB, background: {share: 10%, transport: {rto: null, balancer: ecmp}}", 1),
		strings.Replace(least, "size: 32MiB", "size: 1MiB, reply: {size: 1B, transport: {ack: {every: 2}}}", 1),
		least + "compare:\n- {name: A, set: {traffic.main.size: w4, traffic.main.workload: wkb, 'traffic[0].transport.balancer.kind': ops, traffic.main.arrival: once}}",
		least + "transport: {congestion: mprdma, balancer: arcane}\nfabric: {ecn: red}\ncompare:\n- {name: A, set: {transport.balancer.buffer: 4, fabric.ecn.kmin: 10%, transport.ack: {every: 4}, record.ports: ['*']}}",
		least + "faults:\n- {kind: degrade, links: tor0->spine0, rate: 50%}\ncompare:\n- {name: A, 'faults[0].rate': 10%, faults: {'[0]': {at: 1us}}}\n- {name: B, faults: null}",
	} {
		if err := check(t, s, text); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		f, err := parse(t, strings.ReplaceAll(text, "x.csv", "/dev/null"))
		if err != nil && !strings.Contains(err.Error(), "/dev/null") {
			t.Fatal(err)
		}
		if err != nil {
			continue
		}
		resolved, err := f.Variants[0].Resolved()
		if err != nil {
			t.Fatal(err)
		}
		if err := check(t, s, string(resolved.YAML())); err != nil {
			t.Errorf("resolved: %v\n%s", err, resolved.YAML())
		}
	}
}

func TestSchemaRefusesWhatIsPlainlyWrong(t *testing.T) {
	oneThread(t)
	s := schema(t)
	for _, text := range []string{
		"weft: 1",
		strings.Replace(least, "weft: 1", "weft: 2", 1),
		least + "sed: 1",
		least + "until: 10",
		least + "until: 10 minutes",
		least + "seed: x",
		least + "fabric: {classes: 9}",
		least + "fabric: {overflow: dorp}",
		least + "transport: {balancer: arcan}",
		least + "transport: {balancer: {kind: arcane, bufer: 3}}",
		least + "transport: {ack: 3}",
		strings.Replace(least, "name: main", "nam: main", 1),
		least + "compare:\n- {set: {seed: 1}}",
		least + "compare:\n- {name: a, sed: 2}",
		least + "compare:\n- {name: a, transport: {balancer: arcan}}",
		least + "compare:\n- {name: a, set: {transport.balancer: arcan}}",
		least + "compare:\n- {name: a, set: {transport.balncer: arcane}}",
		least + "compare:\n- {name: a, transport.balancer.bufer: 3}",
		least + "compare:\n- {name: a, set: {name: b}}",
		least + "compare:\n- {name: a, set: {set: {seed: 1}}}",
		least + "compare:\n- {name: a, set: {traffic.main.size: webserch}}",
		least + "compare:\n- {name: a, set: {traffic.main.siz: 1B}}",
		least + "compare:\n- {name: a, set: {'traffic[0].transport.balancer': {kind: ops, bufer: 3}}}",
		least + "compare:\n- {name: a, set: {'traffic[0].reply.transport.rtoo': 1us}}",
		least + "compare:\n- {name: a, set: {until: 10}}",
		least + "compare:\n- {name: a, set: {fabric.queue: endless}}",
		least + "matrix:\n- {name: x, levels: {a: {}, b: {transport.ack.evry: 3}}}",
		strings.Replace(least, "size: 32MiB", "size: webserch", 1),
		strings.Replace(least, "size: 32MiB", "size: 32", 1),
		least + "routing: {reconverge: nevr}",
		least + "transport: {rto: 5}",
		least + "fabric: {overflow: trim, trim: {ratio: strictly}}",
	} {
		if err := check(t, s, text); err == nil {
			t.Errorf("the schema accepts\n%s", text)
		}
	}
}
