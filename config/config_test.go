package config_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weft/catalog"
	"weft/config"
	"weft/unit"
)

// tool stands for what the entries of a role build.
type tool struct{ name string }

type file struct {
	Version int                  `yaml:"version" doc:"Version of the format." min:"1" max:"1"`
	Name    string               `yaml:"name" default:"none" doc:"Name."`
	Wait    unit.Time            `yaml:"wait" default:"5us" doc:"Wait."`
	Limit   *unit.Bytes          `yaml:"limit" doc:"Limit; none when absent."`
	Mode    string               `yaml:"mode" default:"drop" doc:"Mode." enum:"drop,trim"`
	Data    *catalog.Path        `yaml:"data" doc:"A file; none when absent."`
	Hosts   []string             `yaml:"hosts" default:"[]" doc:"Hosts."`
	Tool    catalog.Choice[tool] `yaml:"tool" default:"hammer" doc:"Tool."`
	Ack     ack                  `yaml:"ack" default:"{}" doc:"Acknowledgements."`
	Groups  []group              `yaml:"groups" default:"[]" doc:"Groups."`
	Set     *config.Node         `yaml:"set" doc:"Anything."`
	Note    string               `yaml:"note" default:"" doc:"A note."`
}

type ack struct {
	Size  unit.Bytes `yaml:"size" default:"64B" doc:"Size."`
	Every int        `yaml:"every" default:"1" doc:"Packets." min:"1" max:"64"`
}

type group struct {
	Name string                `yaml:"name" doc:"Name."`
	Tool *catalog.Choice[tool] `yaml:"tool" doc:"Tool; none when absent."`
	Size unit.Bytes            `yaml:"size" default:"1MiB" doc:"Size."`
}

type hammerOptions struct {
	Weight unit.Ratio `yaml:"weight" default:"50%" doc:"Weight." max:"100%" known:"w,W"`
	Head   string     `yaml:"head" default:"steel" doc:"Head."`
}

func decoder(t testing.TB) config.Decoder {
	t.Helper()
	set := new(catalog.Set[tool])
	err := set.Add(
		catalog.Define("hammer", "hits", "", func(o hammerOptions) (tool, error) {
			return tool{"hammer of " + o.Head}, nil
		}),
		catalog.Define("saw", "cuts", "", func(struct{}) (tool, error) { return tool{"saw"}, nil }),
	)
	if err != nil {
		t.Fatal(err)
	}
	return config.Decoder{Rosters: []catalog.Roster{set}, Dir: "data"}
}

func decode(t testing.TB, text string) (file, config.Places, error) {
	t.Helper()
	var f file
	n, err := config.Parse("test.yaml", []byte(text))
	if err != nil {
		return f, nil, err
	}
	places, err := decoder(t).Decode(n, &f)
	return f, places, err
}

var ignoreBuild = cmpopts.IgnoreUnexported(catalog.Choice[tool]{}, config.Node{}, config.Field{})

func TestDecode(t *testing.T) {
	data, err := filepath.Abs("data/x.csv")
	if err != nil {
		t.Fatal(err)
	}
	limit, path := 4*unit.KiB, catalog.Path(data)
	hammer := func(weight unit.Ratio, head string) catalog.Choice[tool] {
		return catalog.Choice[tool]{Kind: "hammer", Options: &hammerOptions{weight, head}}
	}
	saw := catalog.Choice[tool]{Kind: "saw", Options: &struct{}{}}
	base := file{
		Version: 1, Name: "none", Wait: 5 * unit.Microsecond, Mode: "drop",
		Tool: hammer(0.5, "steel"), Ack: ack{Size: 64, Every: 1}, Hosts: []string{}, Groups: []group{},
	}
	tests := []struct {
		name, text string
		want       func(*file)
	}{
		{"defaults", "version: 1", func(*file) {}},
		{"scalars", "version: 1\nname: 12\nwait: 1.5us\nlimit: 4KiB\nmode: trim", func(f *file) {
			f.Name, f.Wait, f.Limit, f.Mode = "12", 1500*unit.Nanosecond, &limit, "trim"
		}},
		{"empty values", "version: 1\nlimit:\nack:\ngroups:\nset:", func(f *file) {}},
		{"path", "version: 1\ndata: x.csv", func(f *file) { f.Data = &path }},
		{"list", "version: 1\nhosts: [a, 'b']", func(f *file) { f.Hosts = []string{"a", "b"} }},
		{"list of one", "version: 1\nhosts: a", func(f *file) { f.Hosts = []string{"a"} }},
		{"choice by name", "version: 1\ntool: saw", func(f *file) { f.Tool = saw }},
		{"choice with options", "version: 1\ntool: {kind: hammer, head: brass}", func(f *file) { f.Tool = hammer(0.5, "brass") }},
		{"nested", "version: 1\nack: {every: 64}", func(f *file) { f.Ack.Every = 64 }},
		{"items", "version: 1\ngroups:\n- {name: a, size: 2B}\n- {name: b, tool: saw}", func(f *file) {
			f.Groups = []group{{Name: "a", Size: 2}, {Name: "b", Tool: &saw, Size: unit.MiB}}
		}},
		{"anchors", "version: 1\nack: &a {every: 2}\ngroups:\n- &g {name: x, size: 3B}\n- {<<: *g, name: y}", func(f *file) {
			f.Ack.Every = 2
			f.Groups = []group{{Name: "x", Size: 3}, {Name: "y", Size: 3}}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := decode(t, tt.text)
			if err != nil {
				t.Fatal(err)
			}
			want := base
			tt.want(&want)
			got.Set = nil
			if diff := cmp.Diff(want, got, ignoreBuild, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if _, err := got.Tool.Build(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"unknown key", "version: 1\nnmae: x", []string{`test.yaml:2:1: unknown key "nmae"; did you mean "name"? Allowed: version, name, wait`, "    2 | nmae: x\n", "| ^"}},
		{"unknown key within", "version: 1\nack: {evry: 2}", []string{`test.yaml:2:7: unknown key "evry" in ack; did you mean "every"?`}},
		{"duplicate key", "version: 1\nname: a\nname: b", []string{`test.yaml:3:1: duplicate key "name": line 2 already sets it; remove one of them`}},
		{"escape sequence", "version: 1\nname: \"a\\e[2Jb\"", []string{`test.yaml:2:7: the text holds the control character U+001B, which terminals and pictures cannot show; write it without: a[2Jb`}},
		{"mark of direction in a key", "version: 1\n\"na\\u202eme\": x", []string{`test.yaml:2:1: the text holds the control character U+202E`}},
		{"escape sequence of one byte", "version: 1\nname: a\u009b31m", []string{`test.yaml:2:7: the text holds the control character U+009B`}},
		{"no unit", "version: 1\nwait: 500", []string{`test.yaml:2:7: wait: time "500" has no unit; use ps, ns, us, ms or s`}},
		{"wrong unit", "version: 1\nwait: 5KiB", []string{`unknown unit "KiB"`}},
		{"list for a scalar", "version: 1\nwait: [1us]", []string{`test.yaml:2:7: wait must be a time, not a list; write it as in 500ns`}},
		{"its own and of another mapping", "version: 1\nack: {sizes: 3B, wait: 1us}", []string{`unknown key "sizes" in ack; did you mean "size"? Allowed`, `unknown key "wait" in ack; did you mean wait at the top? Allowed`}},
		{"kind of a mapping", "version: 1\ngroups: [{name: a, kind: saw}]", []string{`unknown key "kind" in groups[0]; write groups: [{tool: saw}]`}},
		{"name of another key", "version: 1\ntool: Trim", []string{`test.yaml:2:7: unknown tool "Trim"; it goes under mode here: write mode: trim. Known: hammer, saw`}},
		{"name in capitals", "version: 1\ntool: SAW", []string{`unknown tool "SAW"; did you mean "saw"?`}},
		{"name for a mapping", "version: 1\ngroups: [{name: a}, saw]", []string{`test.yaml:2:21: groups[1] must be a mapping, not a single value; write groups: [{tool: saw}]`}},
		{"scalar for a mapping", "version: 1\nack: 5", []string{`ack must be a mapping, not a single value; write it as in {KEY: VALUE}, with keys such as size, every`}},
		{"mapping for a list", "version: 1\nhosts: {a: 1}", []string{`hosts must be a list of texts, not a mapping`}},
		{"scalar for a list of mappings", "version: 1\ngroups: a", []string{`groups must be a list, not a single value; write it as in [VALUE, VALUE]`}},
		{"out of bounds", "version: 1\nack: {every: 65}", []string{`test.yaml:2:14: ack.every: "65" is out of bounds; the most is 64`}},
		{"not allowed", "version: 1\nmode: dorp", []string{`mode: "dorp" is not allowed; did you mean "drop"? Use drop or trim`}},
		{"unknown choice", "version: 1\ntool: hamer", []string{`test.yaml:2:7: unknown tool "hamer"; did you mean "hammer"? Known: hammer, saw`}},
		{"unknown option", "version: 1\ntool: {kind: hammer, haed: x}", []string{`test.yaml:2:22: unknown key "haed" of tool hammer; did you mean "head"? Allowed: weight, head`}},
		{"option beside its kind", "version: 1\ntool: hammer\nhead: x", []string{`test.yaml:3:1: unknown key "head"; it is an option of hammer: write tool: {kind: hammer, head: …}`}},
		{"letter of a paper", "version: 1\ntool: {kind: hammer, w: 5%}", []string{`test.yaml:2:22: unknown key "w" of tool hammer; it is called weight here`}},
		{"option of none", "version: 1\ntool: {kind: saw, haed: x}", []string{`unknown key "haed" of tool saw; it has no options`}},
		{"option of another kind", "version: 1\ntool: {kind: saw, head: x}", []string{`unknown key "head" of tool saw; it is an option of hammer; this kind has none`}},
		{"key of another mapping", "version: 1\nevery: 2", []string{`unknown key "every"; did you mean ack.every? Allowed: version, name`}},
		{"key of another mapping for one that is missing", "version: 1\ngroups:\n- {every: 2}", []string{`unknown key "every" in groups[0]; did you mean "name"? Allowed: name, tool, size`}},
		{"key of a choice below", "version: 1\ngroups:\n- {name: a, weight: 3%}", []string{`unknown key "weight" in groups[0]; did you mean groups[0].tool.weight of hammer? Allowed: name, tool, size`}},
		{"option out of bounds", "version: 1\ntool: {kind: hammer, weight: 101%}", []string{`tool.weight: "101%" is out of bounds; the most is 100%`}},
		{"choice without kind", "version: 1\ntool: {head: x}", []string{`tool lacks the key "kind"; known: hammer, saw`}},
		{"choice from a list", "version: 1\ntool: [saw]", []string{`tool must be a name, or a mapping`}},
		{"missing key", "name: x", []string{`test.yaml:1:1: "version" is missing: version of the format; as in version: 1`}},
		{"missing key in an item", "version: 1\ngroups:\n- size: 1B", []string{`test.yaml:3:3: "groups[0].name" is missing`}},
		{"no value", "version:", []string{`test.yaml:1:1: version has no value`}},
		{"no text", "version: 1\nnote:", []string{`test.yaml:2:1: note has no value; without the key it is the empty text ""`}},
		{"after a byte order mark", "\uFEFFversion: x", []string{`test.yaml:1:10: version`}},
		{"empty choice", "version: 1\ntool:", []string{`test.yaml:2:1: tool must be a name`}},
		{"not a mapping", "- a", []string{`this must be a mapping of keys to values, not a list`}},
		{"several at once", "version: 2\nx: 1\nwait: 5", []string{"test.yaml:1:10: version", `test.yaml:2:1: unknown key "x"`, "test.yaml:3:7: wait"}},
		{"many", "version: 1\na1: 1\na2: 1\na3: 1\na4: 1\na5: 1\na6: 1\na7: 1", []string{"and 2 more"}},
		{"empty", "", []string{"test.yaml: the file is empty"}},
		{"comment only", "# nothing\n", []string{"test.yaml: the file is empty"}},
		{"two documents", "version: 1\n---\nversion: 1", []string{"test.yaml:3:8: a second document begins here, and a file holds one; remove the line ---"}},
		{"tab", "version: 1\nwait:\n\tx: 1", []string{"test.yaml:3:1: YAML cannot be indented with tabs; use spaces"}},
		{"syntax", "version: [1", []string{"test.yaml:1:", "this is not YAML", "; close the bracket or the quote"}},
		{"reserved character", "version: @1", []string{"test.yaml:1:10: this is not YAML", "; put the text into single quotes"}},
		{"colon in a text", "version: a: b", []string{"this is not YAML", "; put a text with a colon into quotes"}},
		{"no key", "version: 1\nname x", []string{"test.yaml:", "this is not YAML", "; write key: value"}},
		{"tag", "version: !!str 1", []string{"tags such as !!str are not supported"}},
		{"unknown anchor", "version: *v", []string{"there is no anchor &v"}},
		{"merging a scalar", "version: 1\nack: {<<: 5}", []string{"<< merges mappings", "; write as in <<: *base"}},
		{"garbage", "\x00\x01\xff", []string{"test.yaml: this is not text in UTF-8; give a YAML file, saved as UTF-8"}},
		{"UTF-16", "\xff\xfev\x00e\x00", []string{"test.yaml: this is not text in UTF-8 but in UTF-16; save it as UTF-8"}},
		{"large integer", "version: 1\nack: {every: 99999999999999999999}", []string{`is too large or too small for this integer; the limit is `}},
		{"deep", strings.Repeat("[", 5000), []string{"nested more than 100 deep"}},
		{"deep blocks", "a:\n" + strings.Repeat("- ", 5000), []string{"nested more than 100 deep"}},
		{"large", strings.Repeat("#", 5<<20), []string{"larger than 4MiB"}},
		{"billion laughs", laughs(), []string{"too many values"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := decode(t, tt.text)
			if err == nil {
				t.Fatal("was accepted")
			}
			if _, ok := err.(*config.Error); !ok {
				t.Errorf("the error is a %T", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error lacks %q:\n%v", want, err)
				}
			}
			if e := err.(*config.Error); tt.name == "billion laughs" && len(e.Problems) > 1 {
				t.Errorf("it is told %d times", len(e.Problems))
			}
			if lines := strings.Count(err.Error(), "\n"); lines > 24 {
				t.Errorf("the error has %d lines", lines)
			}
		})
	}
}

// laughs is a text whose aliases multiply.
func laughs() string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return b.String()
}

func TestPlaces(t *testing.T) {
	_, places, err := decode(t, "version: 1\nack:\n  every: 2\ngroups:\n- name: a\n  tool: {kind: hammer}\n")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path, at string
		given    bool
	}{
		{"ack.every", "test.yaml:3:10", true},
		{"ack.size", "test.yaml:3:3", false},
		{"groups[0].tool.kind", "test.yaml:6:16", true},
		{"groups[0].tool.head", "test.yaml:6:9", false},
		{"groups[0].size", "test.yaml:5:3", false},
		{"name", "test.yaml:1:1", false},
	}
	for _, tt := range tests {
		if got := places.At(tt.path).String(); got != tt.at {
			t.Errorf("At(%s) = %s, want %s", tt.path, got, tt.at)
		}
		if got := places.Given(tt.path); got != tt.given {
			t.Errorf("Given(%s) = %v", tt.path, got)
		}
	}
}

func TestMerge(t *testing.T) {
	const base = "version: 1\nlimit: 1B\nack: {size: 9B, every: 2}\ntool: {kind: hammer, head: brass}\n" +
		"groups:\n- {name: a, size: 1B}\n- {name: b, size: 2B}\n"
	tests := []struct {
		set  []string
		want string // the path and the value after it, or the error
	}{
		{[]string{"name=x"}, "name: x"},
		{[]string{"ack.every=3"}, "ack:\n  size: 9B\n  every: 3\n"},
		{[]string{"ack={every: 3}"}, "ack:\n  size: 9B\n  every: 3\n"},
		{[]string{"ack.every=null"}, "ack:\n  size: 9B\n  every: 1\n"},
		{[]string{"limit=null"}, "limit: null"},
		{[]string{"note=x", "note=null"}, `note: ""`},
		{[]string{"tool=saw"}, "tool:\n  kind: saw\n"},
		{[]string{"tool.kind=saw"}, "tool:\n  kind: saw\n"},
		{[]string{"tool.weight=10%"}, "tool:\n  kind: hammer\n  weight: 10%\n  head: brass\n"},
		{[]string{"tool=hammer"}, "tool:\n  kind: hammer\n  weight: 50%\n  head: brass\n"},
		{[]string{"tool=null", "tool.weight=10%"}, "tool:\n  kind: hammer\n  weight: 10%\n  head: steel\n"},
		{[]string{"tool=null"}, "tool:\n  kind: hammer\n  weight: 50%\n  head: steel\n"},
		{[]string{"tool=saw", "tool.kind=hammer", "tool.head=tin"}, "head: tin"},
		{[]string{"groups[1].size=7B"}, "- name: a\n    tool: null\n    size: 1B\n  - name: b\n    tool: null\n    size: 7B\n"},
		{[]string{"groups.b.size=7B"}, "size: 7B"},
		{[]string{"groups.b.tool=saw", "groups.b.tool.kind=hammer"}, "kind: hammer"},
		{[]string{"groups=[{name: z}]"}, "groups:\n  - name: z\n    tool: null\n    size: 1MiB\n"},
		{[]string{"hosts=[x, y]"}, "hosts:\n  - x\n  - y\n"},
		{[]string{"hosts=x"}, "hosts:\n  - x\n"},
		// Under set, a value below a key comes after paths that lead further than that key.
		{[]string{"set={tool: {kind: saw}}", "set.tool.head=tin"}, "set:\n  tool:\n    kind: saw\n    head: tin\n"},
		{[]string{"set={tool: {kind: saw}, tool.head: tin}", "set.tool.weight=10%"}, "set:\n  tool:\n    kind: saw\n  tool.head: tin\n  tool.weight: 10%\n"},
		{[]string{"set={tool.head: tin, ack.every: 2}", "set.tool.head=brass"}, "set:\n  ack.every: 2\n  tool.head: brass\n"},
		{[]string{"set={\"groups[0].size\": 1B}", "set.groups[0].size=2B"}, "set:\n  \"groups[0].size\": 2B\n"},

		{[]string{"ack.evry=3"}, `!--set ack.evry=3: unknown key "evry" in ack; did you mean "every"?`},
		{[]string{"wait=3"}, `!--set wait=3: wait: time "3" has no unit`},
		{[]string{"wait.x=3"}, `!--set wait.x=3: wait must be a time, not a mapping`},
		{[]string{"groups[2].size=3B"}, `!--set groups[2].size=3B: there is no item [2]; the list has 2, and the last is [1]`},
		{[]string{"groups.c.size=3B"}, `!--set groups.c.size=3B: there is no item c; did you mean "a"? Names: a, b`},
		{[]string{"groups.0.size=3B"}, `!--set groups.0.size=3B: there is no item 0; a place in a list is written in brackets, as in [0]`},
		{[]string{"groups.main.size=3B"}, `!there is no item main; names: a, b`},
		{[]string{"ack[0]=3"}, `!unknown key "[0]" in ack`},
		{[]string{"tool=sew"}, `!--set tool=sew: unknown tool "sew"; did you mean "saw"?`},
		{[]string{"noequals"}, `!--set noequals: this is not of the form path=value`},
		{[]string{"wait="}, `!--set wait=: wait has no value; write wait=VALUE, or wait=null for the default`},
		{[]string{"a..b=1"}, `!is not a path`},
		{[]string{"a[x]=1"}, `!is not a path`},
		{[]string{"a[1=1"}, `!is not a path`},
		{[]string{"a[1]b=1"}, `!is not a path`},
		{[]string{"ack={every: "}, `!--set ack={every: : this is not YAML`},
	}
	for _, tt := range tests {
		t.Run(strings.Join(tt.set, " "), func(t *testing.T) {
			got, err := mergeAll(t, base, tt.set)
			want, refused := strings.CutPrefix(tt.want, "!")
			if refused {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %s", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			n, err := config.Encoder{}.Encode(got)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(n.YAML()); !strings.Contains(text, want) {
				t.Errorf("want %q in\n%s", want, text)
			}
		})
	}
}

func mergeAll(t *testing.T, base string, sets []string) (file, error) {
	t.Helper()
	var f file
	d := decoder(t)
	n, err := config.Parse("test.yaml", []byte(base))
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		path, value, err := config.ParseArgument("--set", set)
		if err != nil {
			return f, err
		}
		over, err := config.Nest(path, value.Place, value)
		if err != nil {
			return f, err
		}
		before := n.YAML()
		merged, err := d.Merge(n, over, reflect.TypeFor[file]())
		if err != nil {
			return f, err
		}
		if diff := cmp.Diff(string(before), string(n.YAML())); diff != "" {
			t.Errorf("Merge changed its argument:\n%s", diff)
		}
		n = merged
	}
	_, err = d.Decode(n, &f)
	return f, err
}

func TestEncodeRoundTrip(t *testing.T) {
	first, _, err := decode(t, `
version: 1
name: "a: b # c"
wait: 1.5us
limit: 4KiB
hosts: ["", "null", "tor0->spine*", "- x", "é\n\"", "  y ", 'x: ']
tool: {kind: hammer, weight: 12.5%}
groups:
  - {name: "1", tool: saw}
set: {a: [[1, [2]], {b: null}, []], "c d": {}}
`)
	if err != nil {
		t.Fatal(err)
	}
	n, err := config.Encoder{}.Encode(first)
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := decode(t, string(n.YAML()))
	if err != nil {
		t.Fatalf("%v\n%s", err, n.YAML())
	}
	m, err := config.Encoder{}.Encode(second)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(n.YAML()), string(m.YAML())); diff != "" {
		t.Error(diff)
	}
	a, err := n.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(a), string(b)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(first, second, cmpopts.IgnoreUnexported(catalog.Choice[tool]{}, config.Node{}, config.Field{}, config.Source{}), cmpopts.IgnoreTypes(config.Place{})); diff != "" {
		t.Error(diff)
	}
}

func TestExcerptOfALongLine(t *testing.T) {
	_, _, err := decode(t, "version: 1\nname: "+strings.Repeat("x", 300)+"\nhosts: ["+strings.Repeat("a, ", 100)+"[b]]")
	if err == nil {
		t.Fatal("was accepted")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 || len(lines[1]) > 120 {
		t.Fatalf("the excerpt is\n%v", err)
	}
	if caret := strings.IndexByte(lines[2], '^'); lines[1][caret] != '[' {
		t.Errorf("the caret is not at the place:\n%v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "version: 1", "a: [1, {b: c}]", "a: &x {b: 1}\nc: {<<: *x}", "? a\n: b", "a: |\n  b\n", "\x00", "- - - -", "{{{{", "a: 'b", "---\n---\n", "a: !!binary x", "%", "a: ...",
	} {
		f.Add(seed)
	}
	d := decoder(f)
	f.Fuzz(func(t *testing.T, text string) {
		n, err := config.Parse("fuzz.yaml", []byte(text))
		if err != nil {
			if _, ok := err.(*config.Error); !ok {
				t.Fatalf("the error is a %T", err)
			}
			_ = err.Error()
			return
		}
		var into file
		if _, err := d.Decode(n, &into); err != nil {
			_ = err.Error()
		}
		again, err := config.Parse("again.yaml", n.YAML())
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, n.YAML())
		}
		if got, want := string(again.YAML()), string(n.YAML()); got != want {
			t.Fatalf("written %q, then %q", want, got)
		}
	})
}

// TestByteOrderMark reads a file as some editors of Windows write it.
func TestByteOrderMark(t *testing.T) {
	f, _, err := decode(t, "\uFEFFversion: 1\r\nname: x\r\n")
	if err != nil || f.Version != 1 || f.Name != "x" {
		t.Errorf("%+v, %v", f, err)
	}
}
