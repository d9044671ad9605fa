package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"weft/config"
	"weft/scenario"
	"weft/unit"
)

// expand returns the matrix of a file that is least and more.
func expand(t testing.TB, more string, sets ...string) *scenario.Matrix {
	t.Helper()
	f, err := parse(t, least+more, sets...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func cellNames(m *scenario.Matrix) []string {
	var names []string
	for _, c := range m.Cells {
		names = append(names, c.Variant)
	}
	return names
}

func TestAxesOfAMatrix(t *testing.T) {
	tests := []struct {
		name, text string
		axis, path string
		levels     []string
		cells      []string
		value      func(*scenario.Scenario) any
		values     []any
	}{
		{
			name: "list", text: "{path: transport.balancer, values: [ecmp, ops]}",
			axis: "balancer", path: "transport.balancer", levels: []string{"ecmp", "ops"}, cells: []string{"ecmp", "ops"},
			value: func(s *scenario.Scenario) any { return s.Transport.Balancer.Kind }, values: []any{"ecmp", "ops"},
		},
		{
			name: "labelled", text: "{name: size, path: traffic.main.size, values: {small: 4KiB, large: 1MiB}}",
			axis: "size", path: "traffic.main.size", levels: []string{"small", "large"}, cells: []string{"small", "large"},
			value: func(s *scenario.Scenario) any { return fmt.Sprint(s.Traffic[0].Size) }, values: nil,
		},
		{
			name: "choices with options", text: "{path: transport.balancer, values: [{kind: arcane, buffer: 4}, {buffer: 16, kind: arcane}, {kind: arcane, preset: as-printed}, ecmp]}",
			axis: "balancer", path: "transport.balancer", levels: []string{"arcane buffer=4", "arcane buffer=16", "arcane preset=as-printed", "ecmp"},
			cells: []string{"arcane buffer=4", "arcane buffer=16", "arcane preset=as-printed", "ecmp"},
		},
		{
			name: "lists and defaults", text: "{path: faults, values: [[], null, [{kind: degrade, links: \"tor0->spine0\", rate: 50%}]]}",
			axis: "faults", path: "faults", levels: []string{"none", "default", "#3"}, cells: []string{"faults none", "faults default", "faults #3"},
			value: func(s *scenario.Scenario) any { return len(s.Faults) }, values: []any{0, 0, 1},
		},
		{
			name: "numbers and booleans", text: "{path: transport.ack.every, values: [1, 4]}",
			axis: "every", path: "transport.ack.every", levels: []string{"1", "4"}, cells: []string{"every 1", "every 4"},
			value: func(s *scenario.Scenario) any { return s.Transport.Ack.Every }, values: []any{1, 4},
		},
		{
			name: "range by steps", text: "{path: transport.rto, range: {from: 10us, to: 25us, step: 5us}}",
			axis: "rto", path: "transport.rto", levels: []string{"10us", "15us", "20us", "25us"}, cells: []string{"rto 10us", "rto 15us", "rto 20us", "rto 25us"},
			value: func(s *scenario.Scenario) any { return *s.Transport.RTO }, values: []any{10 * unit.Microsecond, 15 * unit.Microsecond, 20 * unit.Microsecond, 25 * unit.Microsecond},
		},
		{
			name: "zipped", text: "{zip: {transport.ack.every: [1, 4], transport.rto: [50us, 100us]}}",
			axis: "every+rto", levels: []string{"1+50us", "4+100us"}, cells: []string{"every+rto 1+50us", "every+rto 4+100us"},
			value: func(s *scenario.Scenario) any { return fmt.Sprint(s.Transport.Ack.Every, *s.Transport.RTO) }, values: []any{"1 50us", "4 100us"},
		},
		{
			name: "levels", text: "{name: fault, levels: {healthy: {}, nothing: , slow: {faults: [{kind: degrade, links: \"tor0->spine0\", rate: 50%}], transport.ack.every: 2}}}",
			axis: "fault", levels: []string{"healthy", "nothing", "slow"}, cells: []string{"healthy", "nothing", "slow"},
			value: func(s *scenario.Scenario) any { return fmt.Sprint(len(s.Faults), s.Transport.Ack.Every) }, values: []any{"0 1", "0 1", "1 2"},
		},
		{
			name: "one value", text: "{path: transport.balancer, values: [ops]}",
			axis: "balancer", path: "transport.balancer", levels: []string{"ops"}, cells: []string{"ops"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := expand(t, "matrix:\n  - "+tt.text)
			want := []scenario.Dimension{{Name: tt.axis, Path: tt.path, Levels: tt.levels}}
			if diff := cmp.Diff(want, m.Dimensions); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.cells, cellNames(m)); diff != "" {
				t.Error(diff)
			}
			for i, want := range tt.values {
				if got := tt.value(m.Cells[i].Scenario); got != want {
					t.Errorf("cell %d has %v, want %v", i, got, want)
				}
			}
			if !slices.Equal(m.Seeds, []uint64{1}) || len(m.Notices) > 0 {
				t.Errorf("seeds %v, notices %v", m.Seeds, m.Notices)
			}
		})
	}
}

func TestRanges(t *testing.T) {
	tests := []struct{ path, text, want string }{
		{"measure.from", "{from: 0us, to: 2us, step: 1us}", "0us 1us 2us"},
		{"measure.from", "{from: 0, to: 0, step: 1}", "0"},
		{"transport.ack.every", "{from: 1, to: 8, factor: 2}", "1 2 4 8"},
		{"transport.ack.every", "{from: 1, to: 6, step: 2}", "1 3 5"},
		{"fabric.queue", "{from: 0.1BDP, to: 0.3BDP, step: 0.1BDP}", "0.1BDP 0.2BDP 0.3BDP"},
		{"fabric.queue", "{from: 0.5BDP, to: 1BDP, step: 0.25BDP}", "0.5BDP 0.75BDP 1BDP"},
		{"traffic.main.size", "{from: 64KiB, to: 16384KiB, factor: 4}", "64KiB 256KiB 1024KiB 4096KiB 16384KiB"},
		{"traffic.main.size", "{from: 1000B, to: 3000B, factor: 1.5}", "1000B 1500B 2250B"},
		{"traffic.main.size", "{from: 1001B, to: 3000B, factor: 1.5}", "1001B 1502B 2252B"},
		{"traffic.main.size", "{from: 1KiB, to: 6KiB, factor: 1.5}", "1KiB 1.5KiB 2.25KiB 3.375KiB 5.0625KiB"},
		{"transport.rto", "{from: 1us, to: 30us, factor: 1.7}", "1us 1.7us 2.89us 4.913us 8.352us 14.199us 24.138us"},
		{"fabric.ecn.pmax", "{from: 0.0001%, to: 0.01%, factor: 3}", "0.0001% 0.0003% 0.0009% 0.0027% 0.0081%"},
		{"transport.rto", "{from: 10 us, to: 20 us, step: 10 us}", "10us 20us"},
	}
	for _, tt := range tests {
		m := expand(t, fmt.Sprintf("transport: {rto: 1ms}\nmatrix:\n  - {path: %s, range: %s}", tt.path, tt.text))
		if got := strings.Join(m.Dimensions[0].Levels, " "); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestSeeds(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []uint64
	}{
		{"", []uint64{1}},
		{"seed: 7", []uint64{7}},
		{"seeds: ", []uint64{1}},
		{"seeds: 3", []uint64{1, 2, 3}},
		{"seed: 7\nseeds: 2", []uint64{7, 8}},
		{"seeds: 4..6", []uint64{4, 5, 6}},
		{"seeds: [10..12, 1, 11]", []uint64{1, 10, 11, 12}},
		{"seeds: [5]", []uint64{5}},
		{"seeds: [0, 18446744073709551615]", []uint64{0, 1<<64 - 1}},
		{"seed: 18446744073709551615\nseeds: 1", []uint64{1<<64 - 1}},
	} {
		m := expand(t, tt.text)
		if !slices.Equal(m.Seeds, tt.want) {
			t.Errorf("%q: seeds %v, want %v", tt.text, m.Seeds, tt.want)
		}
		if len(m.Cells) != 1 || m.Cells[0].Seed != tt.want[0] || m.Cells[0].Variant != "x" {
			t.Errorf("%q: cells %v", tt.text, cellNames(m))
		}
	}
}

func TestIsStudy(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "compare: [{name: a}]": false, "seeds: 2": true, "seeds: ": false, "matrix: []": false,
		"matrix: [{path: seed, values: [1]}]": true,
	} {
		f, err := parse(t, least+text)
		if err != nil {
			t.Fatal(err)
		}
		if f.IsStudy() != want {
			t.Errorf("%q: %v", text, f.IsStudy())
		}
	}
	f, err := parse(t, least+"seeds: 5", "seeds=null")
	if err != nil || f.IsStudy() {
		t.Errorf("without its seeds it still is a study (%v)", err)
	}
}

const twoByThree = `compare:
  - {name: ECMP, transport: {balancer: ecmp}}
  - {name: ARCANE, transport: {balancer: arcane}}
matrix:
  - {name: acks, path: transport.ack.every, values: [1, 2, 4]}
`

func TestVariantsAreTheFirstAxis(t *testing.T) {
	m := expand(t, twoByThree)
	want := []string{"ECMP, acks 1", "ECMP, acks 2", "ECMP, acks 4", "ARCANE, acks 1", "ARCANE, acks 2", "ARCANE, acks 4"}
	if diff := cmp.Diff(want, cellNames(m)); diff != "" {
		t.Error(diff)
	}
	for i, c := range m.Cells {
		kind := []string{"ecmp", "arcane"}[i/3]
		if c.Transport.Balancer.Kind != kind || c.Transport.Ack.Every != 1<<(i%3) || !slices.Equal(c.Levels, []int{i / 3, i % 3}) {
			t.Errorf("%s: %s, %d, %v", c.Variant, c.Transport.Balancer.Kind, c.Transport.Ack.Every, c.Levels)
		}
	}
	if m.Dimensions[0].Name != "variant" || m.Dimensions[0].Path != "" {
		t.Errorf("%+v", m.Dimensions[0])
	}
}

func TestExclude(t *testing.T) {
	for text, want := range map[string][]string{
		"exclude: []":                              {"ECMP, acks 1", "ECMP, acks 2", "ECMP, acks 4", "ARCANE, acks 1", "ARCANE, acks 2", "ARCANE, acks 4"},
		"exclude: [{variant: ECMP}]":               {"ARCANE, acks 1", "ARCANE, acks 2", "ARCANE, acks 4"},
		"exclude: [{variant: ECMP, acks: [2, 4]}]": {"ECMP, acks 1", "ARCANE, acks 1", "ARCANE, acks 2", "ARCANE, acks 4"},
		"exclude: [{variant: ECMP, acks: 2}, {variant: ARCANE, acks: 4}]": {"ECMP, acks 1", "ECMP, acks 4", "ARCANE, acks 1", "ARCANE, acks 2"},
		"exclude: [{acks: [1, 2]}, {variant: ECMP}]":                      {"ARCANE, acks 4"},
	} {
		if diff := cmp.Diff(want, cellNames(expand(t, twoByThree+text))); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// TestLevelsThatNeedOthers: an option may belong to what another axis chooses.
func TestLevelsThatNeedOthers(t *testing.T) {
	const text = `transport: {balancer: ecmp}
matrix:
  - {path: transport.balancer, values: [ecmp, arcane]}
  - {path: transport.balancer.buffer, values: [4, 8]}
`
	m := expand(t, text+"exclude: [{balancer: ecmp}]")
	if diff := cmp.Diff([]string{"arcane, buffer 4", "arcane, buffer 8"}, cellNames(m)); diff != "" {
		t.Error(diff)
	}
	refuses(t, text, `x.yaml:8:12: unknown key "buffer" of balancer ecmp`, `(in "ecmp, buffer 4" and 1 more combinations; if they are not wanted, list them under exclude:)`)
	// A level that loads with no other is told once, at its place.
	refuses(t, strings.Replace(text, "balancer.buffer", "balancer.bufer", 1), `x.yaml:8:12: unknown key "bufer" of balancer ecmp`, "")
	// One whose combinations are all left out harms nobody.
	if m := expand(t, text+"  - {name: x, levels: {a: {}, b: {transport.payload: 65500B}}}\nexclude: [{balancer: ecmp}, {x: b}]"); len(m.Cells) != 2 {
		t.Errorf("cells %v", cellNames(m))
	}
}

// refuses checks what is said of a file that cannot be expanded. Of wrong levels,
// nothing is said of combinations.
func refuses(t *testing.T, text string, want ...string) {
	t.Helper()
	f, err := parse(t, least+text)
	if err == nil {
		_, err = f.Matrix()
	}
	if err == nil {
		t.Fatal("was accepted")
	}
	if _, ok := err.(*config.Error); !ok {
		t.Fatalf("the error is a %T: %v", err, err)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error lacks %q:\n%v", w, err)
		}
	}
	if !strings.Contains(strings.Join(want, ""), "(in ") && strings.Contains(err.Error(), "(in ") {
		t.Errorf("the error speaks of combinations:\n%v", err)
	}
	if places := strings.Count(err.Error(), "x.yaml:"); places != 1 && !strings.Contains(t.Name(), "several") {
		t.Errorf("the error has %d places:\n%v", places, err)
	}
}

func TestMatrixRefuses(t *testing.T) {
	axis := func(text string) string { return "matrix:\n  - " + text }
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing", axis("{name: x}"), []string{"x.yaml:6:5: matrix: an axis has one of values, range, zip and levels; this one has none"}},
		{"two forms", axis("{path: seed, values: [1], range: {from: 1, to: 2, step: 1}}"), []string{"this one has values and range", "--set matrix.load.range=null"}},
		{"no path", axis("{values: [1]}"), []string{"x.yaml:6:5: matrix: an axis with values or range says by path which parameter it changes, as in path: transport.balancer"}},
		{"path of zip", axis("{path: seed, zip: {seed: [1]}}"), []string{"an axis with zip or levels has no path"}},
		{"nameless levels", axis("{levels: {a: {}}}"), []string{"an axis without a path needs a name, as in name: fault"}},
		{"unknown key", axis("{nme: x, values: [1]}"), []string{`x.yaml:6:6: unknown key "nme" in matrix[0]; did you mean "name"?`}},
		{"unknown parameter", axis("{path: transport.balncer, values: [ecmp, ops, arcane]}"), []string{`x.yaml:6:12: unknown key "balncer" in transport; did you mean "balancer"?`}},
		{"unknown group", axis("{path: traffic.man.size, values: [1KiB, 2KiB]}"), []string{`x.yaml:6:12: there is no item man; did you mean "main"?`}},
		{"no path at all", axis("{path: a..b, values: [1, 2]}"), []string{`x.yaml:6:12: "a..b" is not a path; write it as in transport.ack.every`}},
		{"no such index", axis("{path: \"faults[3].rate\", values: [1Gbps]}\nfaults: [{kind: link-down, links: \"tor0->spine0\", at: 1us}]"), []string{`x.yaml:6:12: there is no item [3]; the list has 1`}},
		{"wrong value", axis("{path: transport.balancer, values: [ecmp, opps]}"), []string{`x.yaml:6:47: unknown balancer "opps"; did you mean "ops"?`}},
		{"value out of bounds", axis("{path: transport.ack.every, values: [1, 65]}"), []string{`x.yaml:6:45: transport.ack.every: "65" is out of bounds; the most is 64`}},
		{"value without unit", axis("{path: traffic.main.size, values: [1KiB, 7]}"), []string{`x.yaml:6:46: traffic[0].size`, "no unit"}},
		{"impossible value", axis("{path: transport.payload, values: [4096B, 65500B]}"), []string{"transport.payload: payload and header are 65564 bytes"}},
		{"values of another form", axis("{path: seed, values: 5}"), []string{"x.yaml:6:26: values are a list, as in [ecmp, ops], or a mapping of labels to values, not a single value"}},
		{"empty list", axis("{path: transport.balancer, values: []}"), []string{`x.yaml:6:5: matrix: axis "balancer" has no values, so that the study would have no runs`}},
		{"empty zip", axis("{name: x, zip: {}}"), []string{`axis "x" has no values`}},
		{"empty levels", axis("{name: x, levels: {}}"), []string{`axis "x" has no values`}},
		{"duplicate labels", axis("{path: transport.balancer, values: [ecmp, ops, ecmp]}"), []string{`matrix: two values of axis "balancer" are called "ecmp"; give each a label of its own, as in values: {first: …, second: …}`}},
		{"duplicate labels of lists", axis("{zip: {transport.ack.every: [1, 1], transport.rto: [9us, 9us]}}"), []string{`two values of axis "every+rto" are called "1+9us"; write them as levels`}},
		{"duplicate levels", axis("{name: x, levels: {a: {}, a: {}}}"), []string{`duplicate key "a"`}},
		{"unequal zips", axis("{zip: {transport.ack.every: [1, 4], transport.rto: [50us]}}"), []string{"x.yaml:6:56: transport.rto: 1 values here, and 2 for transport.ack.every; zipped lists are equally long"}},
		{"zip of no lists", axis("{zip: {transport.ack.every: 4}}"), []string{"x.yaml:6:33: transport.ack.every: in zip every path has a list of values, not a single value"}},
		{"zip of another form", axis("{name: x, zip: [1]}"), []string{"zip is a mapping of paths to lists, as in {traffic.flows.size:", "not a list"}},
		{"levels of another form", axis("{name: x, levels: [a, b]}"), []string{"levels is a mapping of labels to what each level sets", "not a list"}},
		{"level of another form", axis("{name: x, levels: {a: 5}}"), []string{`x.yaml:6:27: level "a" is a mapping of paths to values, not a single value`}},
		{"unknown parameter of a level", axis("{name: x, levels: {a: {}, b: {transport.ack.evry: 3}}}"), []string{`x.yaml:6:35: unknown key "evry" in transport.ack; did you mean "every"?`}},
		{"one name twice", axis("{path: transport.ack.size, values: [64B]}\n  - {path: traffic.main.size, values: [1KiB]}"), []string{`x.yaml:7:5: matrix[1]: another axis is called "size" already; give this one a name of its own with name:`}},
		{"variants' name", "compare: [{name: a}]\n" + axis("{name: variant, path: transport.ack.size, values: [64B]}"), []string{`another axis is called "variant" already`}},
		{"seed", axis("{path: seed, values: [1, 2]}"), []string{"x.yaml:6:12: the seed is not for a variant or an axis of a study to change; list seeds under seeds:"}},
		{"seed of a level", axis("{name: x, levels: {a: {seed: 3}}}"), []string{"x.yaml:6:28: the seed is not for a variant or an axis"}},
		{"seed of a variant", "compare: [{name: a, seed: 3}]\nseeds: 2", []string{"x.yaml:5:21: the seed is not for a variant or an axis"}},
		{"the file's own", axis("{path: name, values: [a, b]}"), []string{`x.yaml:6:12: neither a variant nor an axis of a study can change "name", which is the file's`}},
		{"axis of axes", axis("{path: \"matrix[0].name\", values: [a, b]}"), []string{`neither a variant nor an axis of a study can change "matrix"`}},
		{"huge product", axis("{path: transport.ack.every, range: {from: 1, to: 64, step: 1}}\n  - {path: transport.rto, range: {from: 1us, to: 2000us, step: 1us}}"), []string{"x.yaml:6:3: matrix: the product of the axes has more than 100000 cells; leave some values out"}},
		{"huge range", axis("{path: transport.rto, range: {from: 1us, to: 1000000us, step: 1us}}"), []string{"matrix: range of transport.rto: it has more than 10000 values"}},
		{"slow range", axis("{path: transport.rto, range: {from: 1us, to: 2us, factor: 1.000000000001}}"), []string{"it has more than 1000 values; take a larger step or factor"}},
		{"huge list", axis("{path: transport.ack.every, values: [" + strings.Repeat("1, ", 10000) + "1]}"), []string{"has 10001 values, and at most 10000 make sense"}},
		{"many runs", axis("{path: transport.ack.every, values: [1, 2]}\nseeds: 600000"), []string{"x.yaml:7:8: seeds: 2 combinations with 600000 seeds each are more than 1000000 runs"}},
		{"neither step nor factor", axis("{path: transport.rto, range: {from: 1us, to: 2us}}"), []string{"x.yaml:6:34: matrix: range of transport.rto: it has either a step or a factor, as in {from: 20%, to: 80%, step: 20%}"}},
		{"step and factor", axis("{path: transport.rto, range: {from: 1us, to: 2us, step: 1us, factor: 2}}"), []string{"it has either a step or a factor"}},
		{"without an end", axis("{path: transport.rto, range: {from: 1us, step: 1us}}"), []string{`"matrix[0].range.to" is missing`}},
		{"other units", axis("{path: traffic.main.size, range: {from: 64KiB, to: 1MiB, factor: 2}}"), []string{"it goes from 64KiB to 1MiB; write both in the same unit"}},
		{"other unit of the step", axis("{path: transport.rto, range: {from: 1us, to: 2us, step: 100ns}}"), []string{"it goes from 1us to 2us by 100ns; write all in the same unit"}},
		{"factor with a unit", axis("{path: transport.rto, range: {from: 1us, to: 2us, factor: 2us}}"), []string{"a factor is a number above 1 without a unit, not 2us"}},
		{"factor of 1", axis("{path: transport.rto, range: {from: 1us, to: 2us, factor: 1}}"), []string{"a factor is a number above 1 without a unit, not 1"}},
		{"factor from 0", axis("{path: transport.rto, range: {from: 0us, to: 2us, factor: 2}}"), []string{"no factor leads away from 0us; begin above 0, or use a step"}},
		{"step of 0", axis("{path: transport.rto, range: {from: 1us, to: 2us, step: 0us}}"), []string{"a step of 0us leads nowhere"}},
		{"backwards", axis("{path: transport.rto, range: {from: 2us, to: 1us, step: 1us}}"), []string{"it begins at 2us, which is above its end, 1us"}},
		{"no number", axis("{path: transport.rto, range: {from: fast, to: 1us, step: 1us}}"), []string{`"fast" is not a number with or without a unit, as in 20%, 64KiB or 3`}},
		{"below 0", axis("{path: transport.rto, range: {from: \"-2us\", to: 1us, step: 1us}}"), []string{`"-2us" is not a number`}},
		{"range of values that are none", axis("{path: transport.balancer, range: {from: 1, to: 1, step: 1}}"), []string{`unknown balancer "1"`}},
		{"no seeds", "seeds: 0", []string{"x.yaml:5:8: seeds: without a seed the study would have no runs; give at least one"}},
		{"empty seeds", "seeds: []", []string{"without a seed"}},
		{"seeds below 0", "seeds: -3", []string{`x.yaml:5:8: seeds: write how many (seeds: 5), a range (seeds: 1..5), or a list of seeds and ranges (seeds: [1, 2, 10..12]), not "-3"`}},
		{"seeds in words", "seeds: [1, two]", []string{`x.yaml:5:12: seeds: write how many`, `not "two"`}},
		{"nested seeds", "seeds: [1, [2]]", []string{"not a list"}},
		{"mapped seeds", "seeds: {from: 1}", []string{"not a mapping"}},
		{"seeds backwards", "seeds: 5..1", []string{"seeds: the range 5..1 begins above its end"}},
		{"open range of seeds", "seeds: 5..", []string{`not "5.."`}},
		{"too many seeds", "seeds: 1000001", []string{"more than 1000000 seeds make no sense"}},
		{"all seeds", "seeds: 0..18446744073709551615", []string{"more than 1000000 seeds make no sense"}},
		{"too many together", "seeds: [1..900000, 1000000..2000000]", []string{"more than 1000000 seeds make no sense"}},
		{"seeds beyond the last", "seed: 18446744073709551615\nseeds: 2", []string{"2 seeds from 18446744073709551615 on are more than there are"}},
		{"excluded axis", twoByThree + "exclude: [{ack: 1}]", []string{`x.yaml:10:12: exclude: there is no axis "ack"; did you mean "acks"? There are variant, acks`}},
		{"excluded label", twoByThree + "exclude: [{variant: [ECMP, ARCAN]}]", []string{`x.yaml:10:28: exclude: axis "variant" has no value "ARCAN"; did you mean "ARCANE"? There are ECMP, ARCANE`}},
		{"excluded mapping", twoByThree + "exclude: [{acks: {a: 1}}]", []string{`exclude: axis "acks" has labels, or a list of labels, not a mapping; there are 1, 2, 4`}},
		{"excluded word", twoByThree + "exclude: [ECMP]", []string{"exclude: an item is a mapping of axes to labels, as in {balancer: ecmp, fault: slow}"}},
		{"excluded nothing", twoByThree + "exclude: [{}]", []string{"exclude: an item is a mapping"}},
		{"excluded all", twoByThree + "exclude: [{variant: [ECMP, ARCANE]}]", []string{"x.yaml:10:10: exclude: it leaves nothing of the matrix, so that the study would have no runs; exclude less"}},
		{"excluded without axes", "exclude: [{acks: 1}]", []string{`x.yaml:5:12: exclude: there is no axis "acks", nor any other; axes are listed under matrix:`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refuses(t, tt.text, tt.want...) })
	}
}

// TestMistakesAreFoundWhenTheFileIsRead: what needs no combination is told by
// validation already.
func TestMistakesAreFoundWhenTheFileIsRead(t *testing.T) {
	for _, text := range []string{
		"seeds: none", "matrix: [{name: x}]", "matrix: [{path: transport.rto, range: {from: 1us, to: 2us}}]", twoByThree + "exclude: [{ack: 1}]",
	} {
		if _, err := parse(t, least+text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

func TestSetReachesStudies(t *testing.T) {
	const text = twoByThree + "seeds: 2\n"
	if m := expand(t, text, "seeds=3..4", "matrix.acks.values=[8]", "traffic.main.size=4KiB"); len(m.Cells) != 2 || m.Seeds[1] != 4 || m.Cells[0].Transport.Ack.Every != 8 {
		t.Errorf("seeds %v, cells %v", m.Seeds, cellNames(m))
	}
	if m := expand(t, text, "matrix.acks.values=null", "matrix.acks.range={from: 1, to: 3, step: 1}"); len(m.Cells) != 6 || m.Cells[2].Transport.Ack.Every != 3 {
		t.Errorf("cells %v", cellNames(m))
	}
	if m := expand(t, text, "matrix=[]", "compare=[]"); len(m.Cells) != 1 {
		t.Errorf("cells %v", cellNames(m))
	}
	m := expand(t, text, "transport.ack.every=16", "transport.balancer=ops")
	want := []string{
		`--set transport.balancer=ops does not reach variant "ECMP", which sets transport.balancer itself`,
		`--set transport.balancer=ops does not reach variant "ARCANE", which sets transport.balancer itself`,
		`--set transport.ack.every=16 does not reach axis "acks", which sets transport.ack.every itself`,
	}
	if diff := cmp.Diff(want, m.Notices); diff != "" {
		t.Error(diff)
	}
}

// TestMatrixTwice: expanding a file does not change it.
func TestMatrixTwice(t *testing.T) {
	f, err := parse(t, least+twoByThree, "transport.ack.every=16")
	if err != nil {
		t.Fatal(err)
	}
	first, err := f.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	second, err := f.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(cellNames(first), cellNames(second)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(first.Notices, second.Notices); diff != "" {
		t.Error(diff)
	}
}

// TestCellsAreWhatSetMakes: of random axes there are as many cells as their product
// without what is excluded, and each is the scenario that --set makes of the file.
func TestCellsAreWhatSetMakes(t *testing.T) {
	pool := []struct {
		path   string
		values []string
	}{
		{"transport.balancer", []string{"ecmp", "ops", "arcane", "{kind: arcane, buffer: 4}"}},
		{"transport.ack.every", []string{"1", "2", "8"}},
		{"transport.rto", []string{"50us", "1ms", "null"}},
		{"traffic.main.size", []string{"4KiB", "1MiB"}},
		{"traffic[0].transport.balancer", []string{"ecmp", "ops"}},
		{"faults", []string{"[]", "[{kind: degrade, links: tor0->spine0, rate: 50%}]"}},
		{"fabric.queue", []string{"1BDP", "64KiB"}},
		{"topology.spines", []string{"4", "8"}},
	}
	reg := registry(t)
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		text.WriteString(least + "matrix:\n")
		product := 1
		type picked struct {
			path   string
			values []string
		}
		var axes []picked
		for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(pool)-1), 1, 3, rapid.ID[int]).Draw(t, "axes") {
			values := rapid.SliceOfNDistinct(rapid.SampledFrom(pool[i].values), 1, 3, rapid.ID[string]).Draw(t, "values")
			axes = append(axes, picked{pool[i].path, values})
			product *= len(values)
			fmt.Fprintf(&text, "  - {name: axis%d, path: \"%s\", values: {", len(axes), pool[i].path)
			for j, v := range values {
				fmt.Fprintf(&text, "l%d: %s, ", j, v)
			}
			text.WriteString("}}\n")
		}
		left := rapid.IntRange(0, len(axes[0].values)-1).Draw(t, "excluded")
		if left > 0 {
			text.WriteString("exclude:\n")
			for j := range left {
				fmt.Fprintf(&text, "  - {axis1: l%d}\n", j)
			}
			product = product / len(axes[0].values) * (len(axes[0].values) - left)
		}
		f, err := scenario.Parse("x.yaml", []byte(text.String()), reg, nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := f.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Cells) != product {
			t.Fatalf("%d cells, want %d:\n%s", len(m.Cells), product, text.String())
		}
		seen := map[string]bool{}
		for _, c := range m.Cells {
			var sets []string
			for i, j := range c.Levels {
				sets = append(sets, axes[i].path+"="+axes[i].values[j])
			}
			if seen[fmt.Sprint(c.Levels)] {
				t.Fatalf("%v is there twice", c.Levels)
			}
			seen[fmt.Sprint(c.Levels)] = true
			alone, err := scenario.Parse("x.yaml", []byte(least), reg, sets)
			if err != nil {
				t.Fatal(err)
			}
			want, err := alone.Variants[0].Identity(nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := c.Identity(nil); err != nil || got != want {
				t.Fatalf("%s is not what %v makes (%v)", c.Variant, sets, err)
			}
		}
	})
}

// FuzzMatrix: seeds and ranges of any text are read or refused, in bounded time.
func FuzzMatrix(f *testing.F) {
	for _, seeds := range []string{"3", "1..5", "[1, 2, 10..12]", "0", "..", "1..", "18446744073709551615", "99999999999999999999", "1e3", "~", "{a: 1}", "0x10", "[[1]]", "1...3", "-1"} {
		f.Add(seeds, "1us", "9us", "2us", "")
	}
	for _, r := range [][4]string{{"20%", "80%", "20%", ""}, {"1", "1000000", "", "1.000001"}, {"0.1BDP", "1BDP", "0.3BDP", ""}, {"1KiB", "1MiB", "", "2"}, {"1.5.5", "µ", "%", "0"}, {"999999999999999999", "999999999999999999.999999999999", "0.000000000001", ""}, {"0.000000000001B", "1B", "", "1.5"}} {
		f.Add("2", r[0], r[1], r[2], r[3])
	}
	reg := registry(f)
	f.Fuzz(func(t *testing.T, seeds, from, to, step, factor string) {
		text := fmt.Sprintf("%sseeds: %s\nmatrix:\n  - {path: transport.rto, range: {from: %q, to: %q, step: %q, factor: %q}}\n", least, seeds, from, to, step, factor)
		file, err := scenario.Parse("x.yaml", []byte(text), reg, nil)
		if err != nil {
			return
		}
		m, err := file.Matrix()
		if err != nil {
			if _, ok := err.(*config.Error); !ok {
				t.Fatalf("the error is a %T: %v", err, err)
			}
			return
		}
		if len(m.Seeds) == 0 || len(m.Cells) == 0 || !slices.IsSorted(m.Seeds) || len(slices.Compact(slices.Clone(m.Seeds))) != len(m.Seeds) {
			t.Fatalf("seeds %v, %d cells", m.Seeds, len(m.Cells))
		}
	})
}
