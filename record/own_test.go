package record

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// compared writes a folder of runs of these variants, as a command does.
func compared(t *testing.T, dir string, names ...string) {
	t.Helper()
	c, err := NewComparison(dir, "x.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Discard()
	for _, name := range names {
		r := sample()
		r.Manifest.Name = name
		if err := WriteFolder(c.Variant(name), r); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Commit(); err != nil {
		t.Fatal(err)
	}
}

// drawn puts figures into a folder of results, as report.Figures does.
func drawn(t *testing.T, dir string, names ...string) {
	t.Helper()
	figures := filepath.Join(dir, FiguresFolder)
	for _, name := range names {
		write(t, filepath.Join(figures, name), "figure")
	}
	if err := KeepFigures(figures, names); err != nil {
		t.Fatal(err)
	}
}

// users are files of a user's all over a folder of results.
var users = map[string]string{
	"notes.txt":                   "1",
	"OPS/notes.txt":               "2",
	"OPS/figures/mine.png":        "3",
	"figures/my-plot.txt":         "4",
	"figures/my-plot.png":         "5",
	"figures/paper/figure1.pdf":   "6",
	"thesis/chapters/1.tex":       "7",
	"thesis/summary.json":         "8", // no manifest, no run
	"ECMP/manifest.json.bak":      "9",
	".git/HEAD":                   "10",
	"OPS/deep/er/than/that/x.txt": "11",
}

func TestUsersFilesSurviveRuns(t *testing.T) {
	for name, again := range map[string][]string{
		"the same":  {"OPS", "ECMP"},
		"one less":  {"ECMP"},
		"others":    {"A", "B"},
		"as thesis": {"thesis"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "o")
			compared(t, dir, "OPS", "ECMP")
			drawn(t, dir, "ports.png", "ports.svg")
			drawn(t, filepath.Join(dir, "OPS"), "runtime.pdf")
			write(t, filepath.Join(dir, ReportFile), "<head>"+reportMark)
			for path, text := range users {
				write(t, filepath.Join(dir, path), text)
			}
			if err := os.Mkdir(filepath.Join(dir, "empty"), 0o700); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				compared(t, dir, again...)
			}
			for path, text := range users {
				if got, err := os.ReadFile(filepath.Join(dir, path)); err != nil || string(got) != text {
					t.Errorf("%s: %q, %v", path, got, err)
				}
			}
			if info, err := os.Stat(filepath.Join(dir, "empty")); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("the empty folder: %v, %v", info, err)
			}
			// And what weft wrote before is gone.
			variants, err := Variants(dir)
			if err != nil || len(variants) != len(again) {
				t.Errorf("variants %v, %v; want %v", variants, err, again)
			}
			left, err := foreign(dir, written(dir))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range left {
				within := false
				for path := range users {
					within = within || path == name || strings.HasPrefix(path, name+"/")
				}
				if !within && name != "empty" {
					t.Errorf("%s was left", name)
				}
			}
			alone(t, dir)
		})
	}
}

// TestUsersFilesSurviveASingleRun: also in the folder of a run, and when a comparison takes
// its place or the other way round.
func TestUsersFilesSurviveASingleRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "o")
	for i := range 3 {
		if err := WriteFolder(dir, sample()); err != nil {
			t.Fatal(err)
		}
		drawn(t, dir, "ports.png")
		write(t, filepath.Join(dir, fmt.Sprintf("a%d", i), "notes.txt"), "x")
		write(t, filepath.Join(dir, FiguresFolder, fmt.Sprintf("b%d", i)), "x")
		compared(t, dir, "OPS")
	}
	var want []string
	for _, n := range "012" {
		want = append(want, filepath.Join("a"+string(n), "notes.txt"), filepath.Join(FiguresFolder, "b"+string(n)))
	}
	for _, path := range want {
		if _, err := os.Stat(filepath.Join(dir, path)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, FiguresFolder, "ports.png")); err == nil {
		t.Error("a figure of the run before was left")
	}
	alone(t, dir)
}

// TestRunJSONDeletesNothing: a file of a stranger's can name any folder.
func TestRunJSONDeletesNothing(t *testing.T) {
	for _, folder := range []string{"thesis", "thesis/chapters", ".", "", "..", "../thesis", "figures", "link", "link/run", "/ABSOLUTE", "manifest.json", "run"} {
		t.Run(folder, func(t *testing.T) {
			base := t.TempDir()
			dir := filepath.Join(base, "o")
			compared(t, dir, "OPS")
			elsewhere := filepath.Join(base, "elsewhere", "run")
			if err := WriteFolder(elsewhere, sample()); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Dir(elsewhere), filepath.Join(dir, "link")); err != nil {
				t.Skip(err)
			}
			if err := os.Symlink(elsewhere, filepath.Join(dir, "run")); err != nil {
				t.Skip(err)
			}
			for _, path := range []string{"thesis/chapters/1.tex", "thesis/flows.parquet", "figures/mine.png", "../thesis/2.tex"} {
				write(t, filepath.Join(dir, path), "x")
			}
			named := strings.ReplaceAll(folder, "/ABSOLUTE", filepath.Join(base, "thesis"))
			text := fmt.Sprintf(`{"format": "weft-comparison", "version": 1, "variants": [{"name": "A", "folder": %q}]}`, named)
			write(t, filepath.Join(dir, comparisonFile), text)
			before := files(t, base)
			c, err := NewComparison(dir, "x.yaml")
			if err == nil {
				err = WriteFolder(c.Variant("OPS"), sample())
			}
			if err == nil {
				err = c.Commit()
			}
			if err != nil && !strings.Contains(err.Error(), "not a result of weft") {
				t.Error(err)
			}
			after := files(t, base)
			for path := range before {
				if !after[path] {
					t.Errorf("%s is gone", path)
				}
			}
		})
	}
}

// files lists all files below a folder, without following links.
func files(t *testing.T, dir string) map[string]bool {
	t.Helper()
	list := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			list[path] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestVariantsMakeRoom: a variant whose folder's name something of the user's has gets another.
func TestVariantsMakeRoom(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "o")
	compared(t, dir, "A")
	write(t, filepath.Join(dir, "B"), "a file")
	write(t, filepath.Join(dir, "C", flowsFile), "a table of the user's")
	if err := os.Symlink("C", filepath.Join(dir, "D")); err != nil {
		t.Skip(err)
	}
	for range 2 {
		compared(t, dir, "B", "C", "D")
	}
	variants, err := Variants(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range variants {
		got = append(got, filepath.Base(v.Folder))
	}
	if diff := cmp.Diff([]string{"B-2", "C-2", "D-2"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "C", flowsFile)); err != nil || string(text) != "a table of the user's" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestKilledInTheMiddle: whoever is killed while a result takes the place of another loses
// nothing; the next one that writes there finishes it.
func TestKilledInTheMiddle(t *testing.T) {
	for name, swapped := range map[string]bool{"before the new one": false, "after it": true} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			dir := filepath.Join(base, "o")
			compared(t, dir, "OPS")
			write(t, filepath.Join(dir, "OPS", "notes.txt"), "mine")
			old := filepath.Join(base, ".o.old-123-0")
			if err := os.Mkdir(old, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(dir, filepath.Join(old, "o")); err != nil {
				t.Fatal(err)
			}
			if swapped {
				compared(t, filepath.Join(base, "new"), "OPS")
				if err := os.Rename(filepath.Join(base, "new"), dir); err != nil {
					t.Fatal(err)
				}
			}
			if err := CheckTarget(dir); err != nil {
				t.Fatal(err)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "OPS", "notes.txt")); err != nil || string(text) != "mine" {
				t.Errorf("%q, %v", text, err)
			}
			if _, err := Variants(dir); err != nil {
				t.Error(err)
			}
			alone(t, dir)
		})
	}
}

func TestRemoveFolder(t *testing.T) {
	base := t.TempDir()
	dir, link := filepath.Join(base, "run"), filepath.Join(base, "link")
	if err := WriteFolder(dir, sample()); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	if err := RemoveFolder(link); err != nil {
		t.Error(err)
	}
	if _, err := ReadFolder(dir); err != nil {
		t.Errorf("behind a link: %v", err)
	}
	write(t, filepath.Join(dir, "notes.txt"), "mine")
	if err := RemoveFolder(dir); err != nil {
		t.Error(err)
	}
	if got := tree(t, dir); len(got) != 1 || got[filepath.Join(dir, "notes.txt")] != "mine" {
		t.Errorf("left: %v", got)
	}
	if err := os.Remove(filepath.Join(dir, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	if err := WriteFolder(dir, sample()); err != nil {
		t.Fatal(err)
	}
	if err := RemoveFolder(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); err == nil {
		t.Error("the folder of a run alone was left")
	}
}
