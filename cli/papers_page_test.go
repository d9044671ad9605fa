package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/papers/ledgers"
)

// madeBy is the command that a page names in its first lines.
var madeBy = regexp.MustCompile("This page is made by `weft (papers page [^`]*)`")

// TestPagesAreCurrent writes the pages about papers again by the command that each names,
// and holds the committed ones to them. Nothing is simulated or drawn: what was run is
// published.
func TestPagesAreCurrent(t *testing.T) {
	t.Chdir("..") // where the command of a page is given
	pages, err := filepath.Glob("docs/papers/*.md")
	pages = slices.DeleteFunc(pages, func(page string) bool { return filepath.Base(page) == "testbeds.md" }) // of no ledger
	if err != nil || len(pages) < 3 {
		t.Fatalf("found %v, %v", pages, err)
	}
	for _, page := range pages {
		t.Run(page, func(t *testing.T) { checkPage(t, page) })
	}
}

func checkPage(t *testing.T, page string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := madeBy.FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s does not say which command makes it; write it with weft papers page", page)
	}
	command := string(found[1])
	// Beside a guide, as the committed ones, and without runs of one's own.
	docs := filepath.Join(t.TempDir(), "papers")
	if err := os.WriteFile(filepath.Join(filepath.Dir(docs), "papers.md"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	p := &program{reg: weft.Builtin(), library: ledgers.All(), stdout: io.Discard, stderr: &stderr}
	args := append(strings.Fields(command), "--docs", docs, "--figures=false", "--out", filepath.Join(docs, "none"))
	if code := p.execute(t.Context(), args); code != ok {
		t.Fatalf("weft %s ends with %d: %s", command, code, stderr.String())
	}
	fresh, err := os.ReadFile(filepath.Join(docs, filepath.Base(page)))
	if err != nil {
		t.Fatal(err)
	}
	remedy := fmt.Sprintf("write it again: weft %s --docs docs/papers --replace (with an empty --out, if there are runs that are not published)", command)
	if strings.Contains(command, "--published") {
		if diff := firstDifference(string(text), string(fresh)); diff != "" {
			t.Errorf("%s is stale; %s\n%s", page, remedy, diff)
		}
	} else {
		t.Logf("%s: its results are not published, so that only what is of the ledger is compared", page)
		want := claimRows(string(fresh))
		for _, row := range claimRows(string(text)) {
			if !slices.Contains(want, row) {
				t.Errorf("%s is stale, the ledger has no claim as in %q; %s", page, row, remedy)
			}
		}
	}
	checkReader(t, page, string(text))
}

// checkReader holds a page to what its readers need: it is short, each claim that is not reproduced
// has a reason that people wrote, and its images are there and small.
func checkReader(t *testing.T, page, text string) {
	lines := strings.Split(text, "\n")
	if len(lines) > 200 {
		t.Errorf("%s has %d lines, and at most 200 are read; --details is for the rest", page, len(lines))
	}
	section := ""
	for i, line := range lines {
		if strings.HasPrefix(line, "## ") {
			section = line
		}
		if len(line) > 700 {
			t.Errorf("%s:%d: a line of %d bytes; shorten what the ledger says", page, i+1, len(line))
		}
		if section == "## Not reproduced" && (strings.Contains(line, "| Holds with a change:") || strings.HasSuffix(line, "… |")) {
			t.Errorf("%s:%d: the ledger does not say why this claim is not reproduced; write its because: %s", page, i+1, line)
		}
	}
	var shown []string
	for _, link := range regexp.MustCompile(`\]\((images/[^)]*)\)`).FindAllStringSubmatch(text, -1) {
		file := filepath.Join(filepath.Dir(page), filepath.FromSlash(link[1]))
		shown = append(shown, file)
		switch info, err := os.Stat(file); {
		case err != nil:
			t.Errorf("%s shows %s, which is not there; write it again", page, link[1])
		case info.Size() > 100_000:
			t.Errorf("%s has %d bytes; images of pages have at most 100 kB", file, info.Size())
		}
	}
	name := strings.TrimSuffix(filepath.Base(page), ".md")
	files, err := filepath.Glob(filepath.Join(filepath.Dir(page), "images", name, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.Contains(shown, file) {
			t.Errorf("%s shows no %s; remove it", page, file)
		}
	}
}

// claimRows lists what the tables of a page say of claims, before what was measured.
func claimRows(page string) []string {
	var out []string
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if (len(cells) == 4 || len(cells) == 5) && strings.HasPrefix(line, "| ") && strings.Contains(cells[0], ")*") {
			out = append(out, cells[0]+" | "+cells[1])
		}
	}
	return out
}

// firstDifference says where two texts differ first, and by how many lines; "" if nowhere.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	lacking := func(of, in []string) int {
		n := 0
		for _, line := range of {
			if !slices.Contains(in, line) {
				n++
			}
		}
		return n
	}
	for i := range max(len(a), len(b)) {
		x, y := "the end", "the end"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x == y {
			continue
		}
		at := 0
		for at < min(len(x), len(y)) && x[at] == y[at] {
			at++
		}
		shown := func(s string) string {
			from, to := max(0, at-40), min(len(s), at+160)
			return fmt.Sprintf("%q", s[from:to])
		}
		return fmt.Sprintf("line %d is\n\t%s\nand should be\n\t%s\n%d lines are no more, and %d are new", i+1, shown(x), shown(y), lacking(a, b), lacking(b, a))
	}
	return ""
}
