package catalog_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/catalog"
	"weft/unit"
)

// shape stands for what the entries of a role build.
type shape struct{ area float64 }

type square struct {
	Side  float64    `yaml:"side" default:"2" doc:"Length of a side." source:"§1" min:"0" max:"100"`
	Color string     `yaml:"color" default:"red" doc:"Color." enum:"red,blue"`
	Age   *unit.Time `yaml:"age" doc:"Age; new when absent."`
	Tags  []string   `yaml:"tags" default:"[a, b]" doc:"Words."`
	Sub   sub        `yaml:"sub" default:"{}" doc:"More."`
}

type sub struct {
	Size unit.Bytes `yaml:"size" default:"4KiB" doc:"Size." min:"1B"`
}

func entry[O any](name string, build func(O) (shape, error)) catalog.Entry[shape] {
	return catalog.Define(name, "a shape", "Euclid", build)
}

func squareEntry() catalog.Entry[shape] {
	return entry("square", func(o square) (shape, error) { return shape{o.Side * o.Side}, nil })
}

func TestSetKeepsOrder(t *testing.T) {
	var s catalog.Set[shape]
	none := func(struct{}) (shape, error) { return shape{}, nil }
	if err := s.Add(entry("zeta", none), entry("alpha", none)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"zeta", "alpha"}, s.Names()); diff != "" {
		t.Error(diff)
	}
	if _, ok := s.Lookup("beta"); ok {
		t.Error("found an entry that was not added")
	}
}

// TestRemedy prefers what a name means elsewhere to what is like it.
func TestRemedy(t *testing.T) {
	var s catalog.Set[shape]
	none := func(struct{}) (shape, error) { return shape{}, nil }
	if err := s.Add(entry("ops", none).Alias("oblivious", "per-packet"), entry("ecmp", none).Alias("oblivious")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ word, want string }{
		{"Per_Packet", `it is called "ops" here. Known: ops, ecmp`},
		{"oblivious", `it is called "ops" or "ecmp" here. Known: ops, ecmp`},
		{"emcp", `did you mean "ecmp"? Known: ops, ecmp`},
		{"", "known: ops, ecmp"},
	} {
		if got := catalog.Remedy(test.word, "known:", &s); got != test.want {
			t.Errorf("%q: %q, want %q", test.word, got, test.want)
		}
	}
	if err := s.Add(entry("link-down", none), entry("down-and-up", none)); err != nil {
		t.Fatal(err)
	}
	if got, want := catalog.Remedy("up", "known:", &s), `did you mean "down-and-up"? Known: ops, ecmp, link-down, down-and-up`; got != want {
		t.Errorf("part of a name: %q, want %q", got, want)
	}
	if err := s.Add(entry("ugal", none).Alias("ugal-l").Means("ugal-g", "{kind: ugal, information: global}")); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]string{"UGAL-G": `it is written {kind: ugal, information: global} here. `, "ugall": `it is called "ugal" here. `} {
		if got := catalog.Remedy(word, "known:", &s); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
	if _, ok := s.Lookup("oblivious"); ok {
		t.Error("an alias was chosen")
	}
}

func TestAddRefuses(t *testing.T) {
	type noDoc struct {
		A int `yaml:"a" default:"1"`
	}
	type badDefault struct {
		A unit.Time `yaml:"a" default:"5" doc:"A."`
	}
	type outOfBounds struct {
		A int `yaml:"a" default:"9" doc:"A." max:"8"`
	}
	type noOrder struct {
		A unit.Amount `yaml:"a" default:"1BDP" doc:"A." min:"1B"`
	}
	type notInEnum struct {
		A string `yaml:"a" default:"z" doc:"A." enum:"x,y"`
	}
	type pointerDefault struct {
		A *int `yaml:"a" default:"1" doc:"A."`
	}
	type noSecond struct {
		A int `yaml:"a" default:"1" introduced:"1" doc:"A."`
	}
	type noFirst struct {
		A int `yaml:"a" introduced:"1" doc:"A."`
	}
	type badFirst struct {
		A unit.Time `yaml:"a" default:"5us" introduced:"5" doc:"A."`
	}
	type changed struct {
		A int     `yaml:"a" default:"1" introduced:"9" doc:"A." max:"8"`
		B *string `yaml:"b" introduced:"z" doc:"B." enum:"x,y"`
	}
	type twice struct {
		A int `yaml:"a" default:"1" doc:"A."`
		B int `yaml:"a" default:"1" doc:"B."`
	}
	type badKey struct {
		A int `yaml:"A b" default:"1" doc:"A."`
	}
	type nested struct {
		A []noDoc `yaml:"a" default:"[]" doc:"A."`
	}
	tests := []struct {
		entry catalog.Entry[shape]
		want  string
	}{
		{entry("Square", func(struct{}) (shape, error) { return shape{}, nil }), "lower-case"},
		{catalog.Entry[shape]{Name: "bare"}, "Define"},
		{entry("x", func(noDoc) (shape, error) { return shape{}, nil }), "doc tag"},
		{entry("x", func(badDefault) (shape, error) { return shape{}, nil }), "no unit"},
		{entry("x", func(outOfBounds) (shape, error) { return shape{}, nil }), "out of bounds"},
		{entry("x", func(noOrder) (shape, error) { return shape{}, nil }), "no order"},
		{entry("x", func(notInEnum) (shape, error) { return shape{}, nil }), "not allowed"},
		{entry("x", func(pointerDefault) (shape, error) { return shape{}, nil }), "pointer"},
		{entry("x", func(noSecond) (shape, error) { return shape{}, nil }), "introduced is for options"},
		{entry("x", func(noFirst) (shape, error) { return shape{}, nil }), "has none"},
		{entry("x", func(badFirst) (shape, error) { return shape{}, nil }), "introduced: "},
		{entry("x", func(changed) (shape, error) { return shape{}, nil }), ""}, // bounds of today
		{entry("x", func(twice) (shape, error) { return shape{}, nil }), "two fields"},
		{entry("x", func(badKey) (shape, error) { return shape{}, nil }), "lower-case word"},
		{entry("x", func(nested) (shape, error) { return shape{}, nil }), "doc tag"},
		{entry("x", func(int) (shape, error) { return shape{}, nil }), ""},
		{squareEntry(), ""},
	}
	for _, tt := range tests {
		var s catalog.Set[shape]
		err := s.Add(tt.entry)
		if tt.want == "" {
			if err != nil {
				t.Errorf("Add(%s) = %v", tt.entry.Name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Add(%v) = %v, want an error with %q", tt.entry.Options(), err, tt.want)
		}
		if len(s.Names()) != 0 {
			t.Error("a refused entry was added")
		}
	}
	var s catalog.Set[shape]
	if err := s.Add(squareEntry(), squareEntry()); err == nil || !strings.Contains(err.Error(), "two entries") {
		t.Errorf("adding a name twice gave %v", err)
	}
}

func TestDefaults(t *testing.T) {
	got, err := squareEntry().Defaults()
	if err != nil {
		t.Fatal(err)
	}
	want := &square{Side: 2, Color: "red", Tags: []string{"a", "b"}, Sub: sub{Size: 4096}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	type needs struct {
		A int `yaml:"a" doc:"A."`
	}
	if _, err := entry("n", func(needs) (shape, error) { return shape{}, nil }).Defaults(); err == nil {
		t.Error("an option without a default was filled in")
	}
}

func TestChoice(t *testing.T) {
	var s catalog.Set[shape]
	if err := s.Add(squareEntry()); err != nil {
		t.Fatal(err)
	}
	var c catalog.Choice[shape]
	if _, err := c.Build(); err == nil {
		t.Error("an empty choice was built")
	}
	if err := c.Choose(&s, "square", &square{Side: 3}); err != nil {
		t.Fatal(err)
	}
	got, err := c.Build()
	if err != nil || got.area != 9 {
		t.Errorf("Build() = %v, %v", got, err)
	}
	if err := c.Choose(&s, "circle", &square{}); err == nil {
		t.Error("chose an entry that is not there")
	}
	if err := c.Choose(&s, "square", &sub{}); err == nil {
		t.Error("chose with options of another type")
	}
	var other catalog.Set[int]
	if err := c.Choose(&other, "square", &square{}); err == nil {
		t.Error("chose from a set of another role")
	}
}

func TestParams(t *testing.T) {
	info := squareEntry().Info()
	want := []catalog.Param{
		{Name: "side", Type: "number", Default: "2", Min: "0", Max: "100", Doc: "Length of a side.", Source: "§1"},
		{Name: "color", Type: "text", Default: "red", Enum: []string{"red", "blue"}, Doc: "Color."},
		{Name: "age", Type: "time", Doc: "Age; new when absent."},
		{Name: "tags", Type: "list of texts", Default: "[a, b]", Doc: "Words."},
		{Name: "sub", Type: "mapping", Default: "{}", Doc: "More.", Params: []catalog.Param{
			{Name: "size", Type: "size", Default: "4KiB", Min: "1B", Doc: "Size."},
		}},
	}
	if diff := cmp.Diff(want, info.Params()); diff != "" {
		t.Error(diff)
	}
}

func TestFieldParse(t *testing.T) {
	fields, err := catalog.Fields(reflect.TypeFor[struct {
		Int    int8        `yaml:"int" doc:"." min:"2" max:"64"`
		Uint   uint64      `yaml:"uint" doc:"."`
		Bool   bool        `yaml:"bool" doc:"."`
		Float  float64     `yaml:"float" doc:"."`
		Time   *unit.Time  `yaml:"time" doc:"Time (default: none)." min:"1ns"`
		Share  *unit.Ratio `yaml:"share" doc:"." max:"100%"`
		Word   string      `yaml:"word" doc:"." enum:"drop,trim"`
		Struct struct{}    `yaml:"struct" doc:"."`
	}]())
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		field, text, want string
	}{
		{"int", "64", ""},
		{"int", "65", `"65" is out of bounds; the most is 64`},
		{"int", "1", `"1" is out of bounds; the least is 2`},
		{"int", "300", "too large"},
		{"int", "1.5", `"1.5" is not an integer; write only digits, as in 8`},
		{"uint", "18446744073709551615", ""},
		{"uint", "-1", `"-1" is not an integer of at least 0`},
		{"bool", "true", ""},
		{"bool", "yes", `"yes" is neither true nor false; did you mean "true"?`},
		{"bool", "Off", `"Off" is neither true nor false; did you mean "false"?`},
		{"bool", "perhaps", `"perhaps" is neither true nor false; write true or false`},
		{"float", "1e3", ""},
		{"float", "NaN", "not a number"},
		{"float", "1e999", "not a number"},
		{"time", "1us", ""},
		{"time", "1", "no unit"},
		{"time", "1ps", `"1ps" is out of bounds; the least is 1ns`},
		{"time", "0s", `"0s" is out of bounds; the least is 1ns; write null, or leave it out, for its default: none`},
		{"share", "80%", ""},
		{"share", "80", `"80" is out of bounds; the most is 100%; did you mean "80%"?`},
		{"share", "800", `"800" is out of bounds; the most is 100%`},
		{"word", "trim", ""},
		{"word", "trm", `did you mean "trim"? Use drop or trim`},
		{"struct", "x", "cannot be a mapping"},
	}
	for _, tt := range tests {
		for _, f := range fields {
			if f.Name != tt.field {
				continue
			}
			err := f.Parse(reflect.New(f.Type).Elem(), tt.text)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("%s: %q gave %v", tt.field, tt.text, err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%s: %q gave %v, want an error with %s", tt.field, tt.text, err, tt.want)
			}
		}
	}
}

func TestEmbeddedFieldsComeInPlace(t *testing.T) {
	type common struct {
		At unit.Time `yaml:"at" doc:"When."`
	}
	type whole struct {
		Name string `yaml:"name" doc:"Name."`
		common
		skipped int
		Last    int `yaml:"last" doc:"Last."`
	}
	fields, err := catalog.Fields(reflect.TypeFor[whole]())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	// An unexported embedded struct is not reachable from outside its package.
	if diff := cmp.Diff([]string{"name", "last"}, names); diff != "" {
		t.Error(diff)
	}
	_ = whole{skipped: 0}
}

// TestPatternsAcceptWhatUnitsRead keeps the patterns of schemas from refusing
// what the readers of package unit accept.
func TestPatternsAcceptWhatUnitsRead(t *testing.T) {
	tests := map[reflect.Type][]string{
		reflect.TypeFor[unit.Time]():   {"500ns", "1.5us", "2 ms", "1µs", "0", "1e3ps"},
		reflect.TypeFor[unit.Rate]():   {"400Gbps", "25 Mb/s", "10kbps", "10Kbps", "1bit/s", "0"},
		reflect.TypeFor[unit.Bytes]():  {"4096B", "64KiB", "9kB", "1.5MB", "0"},
		reflect.TypeFor[unit.Ratio]():  {"20%", "0.2", "1e-6"},
		reflect.TypeFor[unit.Amount](): {"1BDP", "20%", "64KiB", "0", "1.5 BDP"},
		reflect.TypeFor[unit.Speed]():  {"2TB/s", "1.5 GiB/s", "500MB/s", "10kB/s", "1B/s", "16Tbps", "8 Gb/s", "0"},

		reflect.TypeFor[unit.Operations](): {"312T", "312e12", "1.5 P", "7", "0"},
	}
	for typ, texts := range tests {
		pattern := regexp.MustCompile(catalog.FormOf(typ).Pattern)
		for _, text := range texts {
			v := reflect.New(typ)
			u := v.Interface().(interface{ UnmarshalText([]byte) error })
			if err := u.UnmarshalText([]byte(text)); err != nil {
				t.Errorf("%v does not read %q: %v", typ, text, err)
			}
			if !pattern.MatchString(text) {
				t.Errorf("the pattern of %v refuses %q", typ, text)
			}
		}
		if !catalog.FormOf(typ).Bare && pattern.MatchString("400") {
			t.Errorf("the pattern of %v accepts a number without its unit", typ)
		}
	}
}

// TestEmptyChoice leaves out of lists what is not written: that a word may be absent.
func TestEmptyChoice(t *testing.T) {
	list := catalog.Params(reflect.TypeFor[struct {
		Word string `yaml:"word" default:"" doc:"." enum:",drop,trim"`
	}]())
	if got := list[0].Bounds(); got != "drop | trim" {
		t.Errorf("the choices are %q", got)
	}
}
