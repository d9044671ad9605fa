package scenario_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"

	"weft/scenario"
)

func schema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	text, err := json.Marshal(scenario.Schema(registry(t)))
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

func check(t *testing.T, s *jsonschema.Resolved, text string) error {
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
	} {
		if err := check(t, s, text); err == nil {
			t.Errorf("the schema accepts\n%s", text)
		}
	}
}
