package open

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/trace"
	"weft/trace/chakra"
	"weft/trace/collective"
	"weft/trace/goal"
)

// TestFormats: a format is told by content, whatever the name.
func TestFormats(t *testing.T) {
	var b trace.Builder
	b.Add(trace.Operation{Kind: trace.Calc, Size: 3000})
	tr := &trace.Trace{Ranks: []trace.Schedule{b.Schedule()}}
	dir := t.TempDir()
	create := func(name string, write func(f *os.File) error) string {
		t.Helper()
		path := filepath.Join(dir, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := write(f); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := func(s string) func(*os.File) error {
		return func(f *os.File) error {
			_, err := f.WriteString(s)
			return err
		}
	}
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := chakra.Write(filepath.Join(folder, "app"), tr); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		create("text.bin", func(f *os.File) error { return goal.WriteText(f, tr) }):                "GOAL text",
		create("bin.goal", func(f *os.File) error { return goal.WriteBinary(f, tr) }):              "GOAL in binary form",
		create("c.0.json", text(`{"workload_graph": [{"Id": 1, "NodeType": 4, "runtime": 3}]}`)):   "Chakra",
		create("layers.goal", text("DATA all_gpus: 1\n1\na -1 3000 NONE 0 0 NONE 0 0 NONE 0 0\n")): "layers of SimAI and ASTRA-sim 1",
		create("app.yaml", text("{kernel: {kind: fft, grid: [1, 1], compute: 3us}}")):              "a file of weft trace generate",
		create("app.goal", text("# one\nkernel: {kind: fft, grid: [1, 1], compute: 3us}\n")):       "a file of weft trace generate",
		folder:                            "Chakra",
		filepath.Join(folder, "app"):      "Chakra",
		filepath.Join(folder, "app.0.et"): "Chakra",
	} {
		got, info, err := Read(path, Options{})
		if err != nil || info.Format != want || len(got.Ranks) != 1 || got.Ranks[0].At(0).Size != 3000 {
			t.Errorf("%s is %q, %v", path, info.Format, err)
		}
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		empty:                                   "empty: the folder has no trace; weft reads Chakra (a folder with a file per rank, such as app.0.et), GOAL in binary form, layers of SimAI and ASTRA-sim 1, a file of weft trace generate, GOAL text",
		create("x.goal", text(" \n{\"a\": 5}")): "x.goal: this is JSON, and no trace that weft knows; weft reads",
		create("x.et", text("\x01\x02\x03")):    "x.et: this is no trace that weft knows; it begins with the bytes 01 02 03; weft reads",
		create("y.et", text("hello")):           `hello`,
		create("a.0.et", text("num_ranks 1")):   "(read as Chakra)",
		create("c.goal", text("DATA\n")):        "all_gpus: 64 (read as layers of SimAI and ASTRA-sim 1)",
		create("b.goal", text("num_ranks x")):   "(read as GOAL text)",
		filepath.Join(dir, "none.goal"):         "no such file",
	} {
		if _, _, err := Read(path, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestOptions: settings of collectives hold for generated traces, and what has no effect on a format is said.
func TestOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.yaml")
	if err := os.WriteFile(file, []byte("model: {kind: llama-7b, layers: 2}\nparallel: {tensor: 4}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sends := func(o Options) (n int64) {
		var m trace.Summary
		info, err := Scan(file, o, func(_ int, s *trace.Schedule) error {
			m.Add(s)
			return nil
		})
		if err != nil || len(info.Notices) > 0 {
			t.Fatal(err, info.Notices)
		}
		return m.Sends
	}
	tree, err := collective.ParseRule("all-reduce=tree")
	if err != nil {
		t.Fatal(err)
	}
	var o Options
	rings := sends(o)
	if o.Chakra.Choice = append(o.Chakra.Choice, tree); sends(o) >= rings {
		t.Errorf("%d messages with rings, %d with trees", rings, sends(o))
	}
	o.Chakra.Dims = []int{4}
	text := filepath.Join(t.TempDir(), "a.goal")
	if err := os.WriteFile(text, []byte("num_ranks 1\nrank 0 {\ncalc 5\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, info, err := Read(text, o); err != nil || len(info.Notices) != 2 {
		t.Error(err, info.Notices)
	}
}
