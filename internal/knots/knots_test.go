package main

import (
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestNumbersDoNotGrow compares this repository with the bounds.
func TestNumbersDoNotGrow(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the bounds are those of the files that Linux builds")
	}
	text, err := os.ReadFile("bounds.txt")
	if err != nil {
		t.Fatal(err)
	}
	bounds, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	tree, err := load(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	sets := report(tree)
	for _, complaint := range grown(sets, bounds) {
		t.Errorf("%s (go run ./internal/knots prints all; see its doc.go)", complaint)
	}
	keys := map[string]bool{}
	for _, s := range sets {
		keys[s.key()] = true
	}
	for key := range bounds {
		if kind, _, _ := strings.Cut(key, " "); kind != "knot" && kind != "unused" && !keys[key] {
			t.Errorf("there is no %s any more; remove its bound, or count what took its place", key)
		}
	}
}

// tiny is a repository of a few packages.
var tiny = map[string]string{
	"go.mod": "module tiny\n\ngo 1.24\n",
	// a and b reach each other, c is only reached, and d reaches them.
	"box/a.go": "package box\n\ntype A struct{ next *B }\n\nfunc (a *A) Get() *B { return a.next }\n",
	"box/b.go": "package box\n\ntype B struct{ Size int }\n\nfunc (b *B) back(a *A) int { return a.next.Size + limit }\n",
	"box/c.go": "package box\n\nconst limit = 3\n\n// Idle is used in this package's tests alone.\nfunc Idle() {}\n",
	"box/d.go": "package box\n\nfunc New() *A { return &A{} }\n\nvar _ = \"a key, such as fabric.deflect\"\n",
	"box/box_test.go": `package box_test

import "tiny/box"

func use() { box.Idle() }
`,
	// It names B by a field alone.
	"user/user.go": `package user

import "tiny/box"

func size() int { deflections := 1; return deflections + box.New().Get().Size }
`,
	"deflect/deflect.go": "package deflect\n\nfunc deflect() {}\n",
	"own/go.mod":         "module own\n\ngo 1.24\n",
	"own/own.go":         "package own\n\nimport \"tiny/box\"\n\nvar _ = box.A{}\n",
}

func TestReport(t *testing.T) {
	dir := t.TempDir()
	for name, text := range tiny {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	sets := report(tree)
	got, err := parse(string(format(sets)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"knot box":            {"a.go", "b.go"},
		"files deflection":    {"box/d.go", "user/user.go"},
		"packages deflection": {"box", "user"},
		"exports box":         {"A", "B", "Idle", "New"},
		"unused box":          {"Idle"},
	}
	for key, names := range want {
		if !slices.Equal(got[key], names) {
			t.Errorf("%s: %v, want %v", key, got[key], names)
		}
	}
	maps.DeleteFunc(got, func(key string, names []string) bool { return len(names) == 0 })
	if len(got) != len(want) {
		t.Errorf("it has %v, want %v", got, want)
	}

	bounds := maps.Clone(got)
	if complaints := grown(sets, bounds); len(complaints) > 0 {
		t.Errorf("its own bounds are too narrow: %q", complaints)
	}
	bounds["files deflection"] = []string{"user/user.go"}
	delete(bounds, "unused box")
	complaints := []string{
		"files deflection: 2, which may be 1 at most; new: box/d.go",
		"unused box: 1, which may be 0 at most; new: Idle",
	}
	if got := grown(sets, bounds); !slices.Equal(got, complaints) {
		t.Errorf("narrower bounds: %q, want %q", got, complaints)
	}
}

func TestFieldsOf(t *testing.T) {
	field := func(name string, of types.Type, embedded bool) *types.Var {
		return types.NewField(token.NoPos, nil, name, of, embedded)
	}
	number := types.Typ[types.Int]
	inner := types.NewStruct([]*types.Var{field("a", number, false), field("b", number, false)}, nil)
	outer := types.NewStruct([]*types.Var{field("inner", types.NewPointer(inner), true), field("other", inner, false), field("int", number, true)}, nil)
	if got := fieldsOf(outer, false); !slices.Equal(got, []string{"inner", "other", "int"}) {
		t.Errorf("fields %v", got)
	}
	if got := fieldsOf(outer, true); !slices.Equal(got, []string{"a", "b", "other", "int"}) {
		t.Errorf("with promoted ones %v", got)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"maxDeflections":                  "max deflections",
		"PFCWatchdog":                     "pfc watchdog",
		`"fabric.pfc.watchdog: 10 ms"`:    "fabric pfc watchdog ms",
		"plane":                           "plane",
		"lane_order2":                     "lane order",
		"":                                "",
		"NICInterrupts, and nicINTERRUPT": "nic interrupts and nic interrupt",
	} {
		if got := strings.Join(slices.Collect(words(text)), " "); got != want {
			t.Errorf("%q has the words %q, want %q", text, got, want)
		}
	}
}

func TestLargestKnot(t *testing.T) {
	graph := func(edges string) map[string]map[string]bool {
		g := map[string]map[string]bool{}
		for e := range strings.FieldsSeq(edges) {
			for _, n := range []string{e[:1], e[1:]} {
				if g[n] == nil {
					g[n] = map[string]bool{}
				}
			}
			g[e[:1]][e[1:]] = true
		}
		return g
	}
	for edges, want := range map[string]string{
		"ab bc cd":                "d", // all are alike, and the last is found first
		"ab bc ca ad":             "a b c",
		"ab ba bc cd de ec":       "c d e",
		"ab bc ca cd da":          "a b c d",
		"ab bc ca de ef fd cd fg": "d e f",
	} {
		knot := largestKnot(graph(edges))
		slices.Sort(knot)
		if got := strings.Join(knot, " "); got != want {
			t.Errorf("%s: %s, want %s", edges, got, want)
		}
	}
}
