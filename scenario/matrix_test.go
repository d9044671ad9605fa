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
			value: func(s *scenario.Scenario) any { return s.Transport.RTO.Fixed }, values: []any{10 * unit.Microsecond, 15 * unit.Microsecond, 20 * unit.Microsecond, 25 * unit.Microsecond},
		},
		{
			name: "zipped", text: "{zip: {transport.ack.every: [1, 4], transport.rto: [50us, 100us]}}",
			axis: "every+rto", levels: []string{"1+50us", "4+100us"}, cells: []string{"every+rto 1+50us", "every+rto 4+100us"},
			value: func(s *scenario.Scenario) any { return fmt.Sprint(s.Transport.Ack.Every, s.Transport.RTO.Fixed) }, values: []any{"1 50us", "4 100us"},
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
	refuses(t, text, `x.yaml:8:12: unknown key "buffer" of balancer ecmp`, `(in "ecmp, buffer 4" and 1 more; to leave them out, list them under exclude:)`)
	// A level that loads with no other is told once, at its place.
	refuses(t, strings.Replace(text, "balancer.buffer", "balancer.bufer", 1), `x.yaml:8:12: unknown key "bufer" of balancer ecmp`, "")
	// One whose combinations are all left out harms nobody.
	if m := expand(t, text+"  - {name: x, levels: {a: {}, b: {transport.payload: 65500B}}}\nexclude: [{balancer: ecmp}, {x: b}]"); len(m.Cells) != 2 {
		t.Errorf("cells %v", cellNames(m))
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
		`--set transport.balancer=ops does not reach variant "ECMP", which sets transport.balancer itself; write --set compare.ECMP.set.transport.balancer=ops for it`,
		`--set transport.balancer=ops does not reach variant "ARCANE", which sets transport.balancer itself; write --set compare.ARCANE.set.transport.balancer=ops for it`,
		`--set transport.ack.every=16 does not reach axis "acks", which sets transport.ack.every itself`,
	}
	if diff := cmp.Diff(want, m.Notices); diff != "" {
		t.Error(diff)
	}
}

func TestSchemaOfStudies(t *testing.T) {
	oneThread(t)
	s := schema(t)
	for _, text := range []string{
		twoByThree + "seeds: 3\nexclude: [{variant: ECMP, acks: [1, 2]}]",
		"seeds: 1..4\nmatrix:\n  - {path: transport.rto, range: {from: 1us, to: 8us, factor: 2}}\n  - {name: size, path: traffic.main.size, values: {small: 1KiB, large: 1MiB}}",
		"seeds: [1, 5..7]\nmatrix:\n  - zip: {transport.ack.every: [1, 4], fabric.queue: [1BDP, 2BDP]}\n  - {name: fault, levels: {healthy: {}, none: , slow: {\"faults\": []}}}",
	} {
		if err := check(t, s, least+text); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		expand(t, text)
	}
	for _, text := range []string{
		"seeds: {from: 1}", "matrix: [{nme: x, levels: {}}]", "matrix: {}", "exclude: [ecmp]", "matrix: [{path: seed, values: 5}]",
		"compare: [{name: a, set: {seeds: 5}}]", "compare: [{name: a, matrix: []}]",
	} {
		if check(t, s, least+text) == nil {
			t.Errorf("%q is fine to the schema", text)
		}
	}
}

// TestExamplesOfTheReference: what the reference shows loads, and is as large as it
// says.
func TestExamplesOfTheReference(t *testing.T) {
	var b strings.Builder
	if err := scenario.WriteReference(&b, registry(t)); err != nil {
		t.Fatal(err)
	}
	var cells []int
	for _, block := range strings.Split(b.String(), "```yaml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		f, err := parse(t, text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		m, err := f.Matrix()
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		cells = append(cells, len(m.Cells)*len(m.Seeds))
	}
	if !slices.Equal(cells, []int{3, 110}) {
		t.Errorf("the examples have %v runs", cells)
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
				t.Fatalf("%v is given twice", c.Levels)
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
