package record

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
)

func TestFolderRoundTrips(t *testing.T) {
	large := sample()
	large.Flows = many(3*chunk + 1)
	for name, want := range map[string]*Result{"full": sample(), "empty": {}, "several chunks": large} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "deep", "run")
			if err := WriteFolder(dir, want); err != nil {
				t.Fatal(err)
			}
			got, err := ReadFolder(dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if d := Diff(want, got); d != nil {
				t.Errorf("differs from what was written: %v", d)
			}
			alone(t, dir)
		})
	}
}

// Folders of earlier versions of weft lack the tables that came later.
func TestOlderFoldersAreRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	want := sample()
	if err := WriteFolder(dir, want); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{nodesFile, snapshotsFile, pausesFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	want.Nodes, want.Snapshots, want.Pauses = nil, nil, nil
	got, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	write(t, filepath.Join(dir, nodesFile), "name,kind\n")
	if _, err := ReadFolder(dir); err == nil {
		t.Error("a damaged table of nodes is no error")
	}
}

// A notebook must find nulls where a run reached nothing, and slowdowns as columns.
func TestFlowColumns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := WriteFolder(dir, sample()); err != nil {
		t.Fatal(err)
	}
	type row struct {
		End      *int64   `parquet:"end_ps,optional"`
		Slowdown *float64 `parquet:"slowdown,optional"`
		Ref      *float64 `parquet:"slowdown_ref,optional"`
	}
	rows, err := parquet.ReadFile[row](filepath.Join(dir, flowsFile))
	if err != nil {
		t.Fatal(err)
	}
	if rows[1].End != nil || rows[1].Slowdown != nil || rows[1].Ref != nil {
		t.Errorf("unfinished flow: %+v, want nulls", rows[1])
	}
	if *rows[2].End != 9000000 || *rows[2].Slowdown != 1 || *rows[2].Ref != 1 {
		t.Errorf("finished flow: end %d, slowdowns %v, %v", *rows[2].End, *rows[2].Slowdown, *rows[2].Ref)
	}
}

// The names and order of columns are what notebooks rely on; change them only
// together with the format's version and docs/results.md.
func TestColumnNames(t *testing.T) {
	names := func(s *parquet.Schema) string {
		var n []string
		for _, c := range s.Columns() {
			n = append(n, strings.Join(c, "."))
		}
		return strings.Join(n, " ")
	}
	for _, c := range []struct{ got, want string }{
		{names(parquet.SchemaOf(flowRow{})), "group id measured src dst bytes packets start_ps end_ps sender_end_ps ideal_ps ideal_ref_ps ideal_bare_ps ideal_ack_ps slowdown slowdown_ref slowdown_bare slowdown_ack retransmits timeouts trims"},
		{names(parquet.SchemaOf(Port{})), "name from to rate_bps accepted_frames accepted_bytes transmitted_frames transmitted_bytes " +
			"drops_queue_full drops_header_queue_full drops_link_down drops_loss drops_no_route drops_credit_queue_full drops_headroom_full drops_pause_watchdog dropped_bytes flushed_frames flushed_bytes " +
			"ecn_marks trims trimmed_bytes queue_mean_bytes queue_max_bytes"},
		{names(parquet.SchemaOf(Series{})), "kind entity time_ps value"},
		{names(parquet.SchemaOf(Node{})), "name kind tier"},
		{names(parquet.SchemaOf(Pause{})), "port class pauses paused_ps pauses_sent resumes_sent held_max_bytes"},
		{names(parquet.SchemaOf(Snapshot{})), "time_ps port transmitted_bytes queue_bytes dropped_frames"},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// People read these files; JSON encoders like to write "->" as "-\u003e".
func TestManifestIsReadable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	want := sample()
	want.Manifest.Scenario = []byte(`{"links":"tor0-\u003espine0","path":"C:\\u003e"}`)
	if err := WriteFolder(dir, want); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{`"links": "tor0->spine0"`, `"path": "C:\\u003e"`} {
		if !strings.Contains(string(text), s) {
			t.Errorf("no %s in\n%s", s, text)
		}
	}
}

func TestWriteFolderReplacesItsOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	first, second := sample(), sample()
	second.Manifest.Name = "second"
	for _, r := range []*Result{first, second} {
		if err := WriteFolder(dir, r); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, FiguresFolder, "ports.svg"), "<svg/>")
	}
	got, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.Manifest.Name != "second" {
		t.Errorf("name %q, want the second result", got.Manifest.Name)
	}
	alone(t, dir)
}

func TestWriteFolderThroughALink(t *testing.T) {
	base := t.TempDir()
	real, link := filepath.Join(base, "real"), filepath.Join(base, "link")
	if err := WriteFolder(real, sample()); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	second := sample()
	second.Manifest.Name = "second"
	if err := WriteFolder(link, second); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFolder(real); err != nil || got.Manifest.Name != "second" {
		t.Errorf("behind the link: %v, %v", got.Manifest.Name, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
}

func TestFailedWriteLeavesTheOldFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := WriteFolder(dir, sample()); err != nil {
		t.Fatal(err)
	}
	bad := sample()
	bad.Manifest.Name = "bad"
	bad.Manifest.Derived = []Derived{{Name: "rtt", Value: math.NaN()}} // JSON has no NaN
	if err := WriteFolder(dir, bad); err == nil {
		t.Fatal("a manifest that JSON cannot express was written")
	}
	got, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the old folder changed (-want +got):\n%s", diff)
	}
	alone(t, dir)
}

func TestWriteFolderRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		place func(t *testing.T, dir string)
		want  string
	}{
		{"a file", func(t *testing.T, dir string) { write(t, dir, "x") }, "is a file, not a folder"},
		{"a foreign folder", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "thesis.tex"), "x") }, "not a result of weft"},
		{"a foreign file in a table's place", func(t *testing.T, dir string) {
			if err := WriteFolder(dir, sample()); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(dir, portsFile)); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, portsFile, "notes.txt"), "x")
		}, "weft did not write " + portsFile + " there"},
		{"another program's manifest", func(t *testing.T, dir string) { write(t, filepath.Join(dir, manifestFile), `{"short_name": "app"}`) }, "not a result of weft"},
		{"a file for a parent", func(t *testing.T, dir string) { write(t, filepath.Dir(dir), "x") }, "cannot write results there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out", "run")
			c.place(t, dir)
			before := tree(t, filepath.Dir(filepath.Dir(dir)))
			for name, err := range map[string]error{"WriteFolder": WriteFolder(dir, sample()), "CheckTarget": CheckTarget(dir)} {
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--out") {
					t.Errorf("%s: %v; want an error with %q and the remedy", name, err, c.want)
				}
			}
			if diff := cmp.Diff(before, tree(t, filepath.Dir(filepath.Dir(dir)))); diff != "" {
				t.Errorf("something changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestCheckTargetLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if err := CheckTarget(dir); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, filepath.Dir(dir)); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestComparison(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	whole := sample()
	whole.Manifest.Partial = false
	names := []string{"ECMP", "OPS / host", "OPS - host", "ecmp", "..", "figures"}
	for range 2 { // the second replaces the first
		c, err := NewComparison(dir, "slow-uplink.yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			whole.Manifest.Name = name
			if err := WriteFolder(c.Variant(name), whole); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Commit(); err != nil {
			t.Fatal(err)
		}
		c.Discard()
		alone(t, dir)
	}
	variants, err := Variants(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range variants {
		r, err := ReadFolder(v.Folder)
		if err != nil {
			t.Fatal(err)
		}
		if r.Manifest.Name != v.Name {
			t.Errorf("%s holds %q, want %q", v.Folder, r.Manifest.Name, v.Name)
		}
		got = append(got, v.Name)
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("variants (-want +got):\n%s", diff)
	}
	if _, err := ReadFolder(dir); err == nil || !strings.Contains(err.Error(), "holds 6 runs; name one of them") {
		t.Errorf("reading a comparison as one run: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, comparisonFile))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"partial": false`) {
		t.Errorf("a whole comparison is partial:\n%s", text)
	}
}

func TestInterruptedComparison(t *testing.T) {
	whole := sample()
	whole.Manifest.Partial = false
	for _, c := range []struct {
		name          string
		first, second *Result
		want          string
	}{
		{"second not run", whole, nil, `"partial": true`},
		{"second partial", whole, sample(), `"partial": true`},
		{"both whole", whole, whole, `"partial": false`},
		{"none", nil, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			cmp, err := NewComparison(dir, "x.yaml")
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range []*Result{c.first, c.second} {
				if folder := cmp.Variant(string(rune('a' + i))); r != nil {
					if err := WriteFolder(folder, r); err != nil {
						t.Fatal(err)
					}
				}
			}
			err = cmp.Commit()
			if c.want == "" {
				if err == nil {
					t.Error("a comparison without a run was written")
				}
				if got := tree(t, filepath.Dir(dir)); len(got) != 0 {
					t.Errorf("left behind: %v", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(dir, comparisonFile))
			if err != nil || !strings.Contains(string(text), c.want) {
				t.Errorf("%v, want %s in\n%s", err, c.want, text)
			}
		})
	}
}

// What took long to compute is kept when, meanwhile, its place was taken.
func TestCommitKeepsResultsWhosePlaceIsTaken(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c, err := NewComparison(dir, "x.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteFolder(c.Variant("a"), sample()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "thesis.tex"), "x")
	err = c.Commit()
	if err == nil {
		t.Fatal("a foreign folder was replaced")
	}
	_, kept, found := strings.Cut(err.Error(), "the results are complete in ")
	if !found {
		t.Fatalf("%v does not say where the results are", err)
	}
	if _, err := Variants(kept); err != nil {
		t.Error(err)
	}
}

// alone fails if anything else than the folder was left beside it.
func alone(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("beside the folder: %v", entries)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// tree returns the contents of all files below dir.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
