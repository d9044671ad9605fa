package report

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/record"
	"weft/unit"
)

var keep = flag.String("keep", "", "write the figures of the tests below this folder, to look at them")

func demos() map[string]demo {
	us := unit.Microsecond
	faults := []record.Mark{
		{At: 100 * us, What: "tor0->spine3 down"}, {At: 200 * us, What: "tor0->spine3 up"},
		{At: 350 * us, What: "tor0->spine5 down"}, {At: 550 * us, What: "tor0->spine5 up"},
	}
	many := func(n int) (names []string) {
		for i := range n {
			names = append(names, strings.Repeat("variant ", i%3+1)+string(rune('A'+i)))
		}
		return names
	}
	crowd := make([]record.Mark, 40)
	for i := range crowd {
		crowd[i] = record.Mark{At: unit.Time(100+i*7) * us, What: "tor0->spine3 degraded to 200Gbps"}
	}
	return map[string]demo{
		"slow-uplink": slowUplink(),
		"faults":      {variants: []string{"OPS", "ARCANE"}, uplinks: 8, flows: 8, marks: faults},
		"one":         {variants: []string{"ARCANE"}, uplinks: 2, flows: 1},
		"ports-32":    {variants: []string{"OPS", "ARCANE"}, uplinks: 32, flows: 100},
		"ports-100":   {variants: []string{"OPS", "ARCANE"}, uplinks: 100, flows: 100, marks: crowd},
		"variants-10": {variants: many(10), uplinks: 4, flows: 1000, sizes: true, unfinished: true, partial: true},
		"variants-5":  {variants: many(5), uplinks: 4, flows: 10, marks: faults},
		"drops":       {variants: []string{"OPS", "ARCANE"}, uplinks: 8, flows: 8, drops: true, windows: 6, marks: faults},
		"windows-100": {variants: many(4), uplinks: 100, flows: 8, drops: true, windows: 100, marks: faults},
		"credit":      {variants: []string{"SIRD", "Homa", "DCTCP"}, uplinks: 8, flows: 8, marks: faults, credit: 2},
		"groups":      {variants: []string{"ECMP", "OPS", "ARCANE"}, uplinks: 8, flows: 300, groups: []string{"main", "background"}, sizes: true, unfinished: true},
	}
}

// TestFigures draws everything; run it with -keep DIR to look at the figures.
func TestFigures(t *testing.T) {
	for name, d := range demos() {
		t.Run(name, func(t *testing.T) {
			base, o := t.TempDir(), Options{Formats: []string{"svg"}}
			if *keep != "" {
				base, o = filepath.Join(*keep, name), Options{}
				if err := os.RemoveAll(base); err != nil {
					t.Fatal(err)
				}
			}
			drawn, err := Figures(d.write(t, base), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range drawn.Files {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if filepath.Ext(path) == ".svg" {
					checkXML(t, path, text)
				}
			}
		})
	}
}

func checkXML(t *testing.T, path string, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("%s: %v", path, err)
			return
		}
	}
}

func TestFiguresFilesAndNotices(t *testing.T) {
	whole := slowUplink()
	sizes, noSeries, noFinish := whole, whole, whole
	sizes.sizes, noSeries.noSeries, noFinish.noFinish = true, true, true
	many := whole
	many.uplinks = mostLines + 1
	manyWindows := whole
	manyWindows.windows = mostLines + 1
	offered, idle := sizes, noFinish
	offered.offered, idle.offered = true, true
	credit, someCredit := whole, whole
	noCredit := whole
	noCredit.asked = true
	credit.credit, someCredit.credit = len(whole.variants), 1
	windows := whole
	windows.windows, windows.drops = 3, true
	for _, c := range []struct {
		name    string
		demo    demo
		files   string
		notices []string
	}{
		{"one size", whole, "fct-cdf ports runtime", []string{"slowdown-cdf and slowdown-by-size: not drawn, because all messages have one size"}},
		{"windows", windows, "fct-cdf ports runtime windows", []string{"slowdown-cdf"}},
		{"credit", credit, "credit fct-cdf ports runtime", []string{"slowdown-cdf"}},
		{"credit of one", someCredit, "credit fct-cdf ports runtime", []string{"credit: no panel for ", "slowdown-cdf"}},
		{"credit of none", noCredit, "fct-cdf ports runtime", []string{"credit: not drawn, because no transport here keeps credit", "slowdown-cdf"}},
		{"sizes", sizes, "fct-cdf ports runtime slowdown-by-size slowdown-cdf", nil},
		{"no series", noSeries, "fct-cdf runtime", []string{"ports: not drawn, because no port was recorded", "slowdown-cdf"}},
		{"nothing finished", noFinish, "ports", []string{"fct-cdf: not drawn, because no message finished", "slowdown-cdf", "runtime: not drawn"}},
		{"load is offered", offered, "fct-cdf ports slowdown slowdown-by-size slowdown-cdf", nil},
		{"load is offered, nothing finished", idle, "ports", []string{"fct-cdf: not drawn, because no message finished", "slowdown-cdf", "slowdown: not drawn"}},
		{"many windows", manyWindows, "fct-cdf ports runtime windows", []string{"windows: 65 connections were recorded", "slowdown-cdf"}},
		{"many ports", many, "fct-cdf ports runtime", []string{"ports: 65 ports were recorded", "slowdown-cdf"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := c.demo.write(t, t.TempDir())
			drawn, err := Figures(dir, Options{Formats: []string{"png"}})
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, path := range drawn.Files {
				name, found := strings.CutSuffix(filepath.Base(path), ".png")
				if !found || filepath.Dir(path) != filepath.Join(dir, "figures") {
					t.Errorf("file %s", path)
				}
				names = append(names, name)
			}
			slices.Sort(names)
			if got := strings.Join(names, " "); got != c.files {
				t.Errorf("figures %s, want %s", got, c.files)
			}
			if len(drawn.Notices) != len(c.notices) {
				t.Fatalf("notices %q, want %d", drawn.Notices, len(c.notices))
			}
			for i, want := range c.notices {
				if !strings.HasPrefix(drawn.Notices[i], want) {
					t.Errorf("notice %q, want %q", drawn.Notices[i], want)
				}
			}
			entries, err := os.ReadDir(filepath.Join(dir, "figures"))
			// Beside the figures is the list of them, by which the next run knows its own.
			if err != nil || len(entries) != len(drawn.Files)+1 {
				t.Errorf("files %v, %v; want %d", entries, err, len(drawn.Files))
			}
		})
	}
}

func TestFormats(t *testing.T) {
	dir := slowUplink().write(t, t.TempDir())
	drawn, err := Figures(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	magic := map[string]string{".png": "\x89PNG", ".svg": "<?xml", ".pdf": "%PDF-"}
	count := map[string]int{}
	for _, path := range drawn.Files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ext := filepath.Ext(path)
		count[ext]++
		if !bytes.HasPrefix(text, []byte(magic[ext])) {
			t.Errorf("%s begins with %q", path, text[:5])
		}
		// Readers without the font must see the same figure.
		if ext == ".svg" && !bytes.Contains(text, []byte("@font-face")) || ext == ".pdf" && !bytes.Contains(text, []byte("/FontFile2")) {
			t.Errorf("%s has no font in it", path)
		}
	}
	if count[".png"] != 3 || count[".svg"] != 3 || count[".pdf"] != 3 {
		t.Errorf("files %v, want three of each format", count)
	}
	_, err = Figures(dir, Options{Formats: []string{"pngg"}})
	if err == nil || !strings.Contains(err.Error(), `did you mean "png"?`) || !strings.Contains(err.Error(), "png, svg, pdf") {
		t.Errorf("unknown format: %v", err)
	}
}

// Drawing again must not change a file that is kept under version control.
func TestFiguresAreTheSameAgain(t *testing.T) {
	dir := demos()["groups"].write(t, t.TempDir())
	o := Options{Formats: []string{"svg"}}
	contents := func() map[string]string {
		drawn, err := Figures(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, path := range drawn.Files {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			all[path] = string(text)
		}
		return all
	}
	if !maps.Equal(contents(), contents()) {
		t.Error("the figures of the same run differ")
	}
}

func TestFiguresOfNamesOutsideTheFont(t *testing.T) {
	d := slowUplink()
	d.variants = []string{"Größe → λ", "東京 <&>", "-"}
	drawn, err := Figures(d.write(t, t.TempDir()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(drawn.Files) != 9 {
		t.Errorf("files %v", drawn.Files)
	}
}

func TestFiguresExplain(t *testing.T) {
	empty := t.TempDir()
	if _, err := Figures(empty, Options{}); err == nil || !strings.Contains(err.Error(), "name a folder that weft run wrote") {
		t.Errorf("an empty folder: %v", err)
	}
	if entries, _ := os.ReadDir(empty); len(entries) > 0 {
		t.Errorf("left in a folder that is no run: %v", entries)
	}
	for _, c := range []struct {
		name  string
		spoil func(*record.Result)
		want  string
	}{
		{"no interval", func(r *record.Result) { r.Manifest.Interval = 0 }, "is not at a multiple of the manifest's interval"},
		{"off the grid", func(r *record.Result) { r.Series[0].Time++ }, "is not at a multiple of the manifest's interval"},
		{"too long", func(r *record.Result) { r.Series[0].Time = r.Manifest.Interval << 30 }, "record with a longer interval"},
		{"unknown group", func(r *record.Result) { r.Flows[0].Group = "other" }, `group "other"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := slowUplink()
			d.groups = []string{"main", "background"}
			r := d.result(0, "OPS")
			c.spoil(r)
			dir := filepath.Join(t.TempDir(), "run")
			if err := record.WriteFolder(dir, r); err != nil {
				t.Fatal(err)
			}
			_, err := Figures(dir, Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%v; want %q and the folder", err, c.want)
			}
		})
	}
}
