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
// published. Analyses are not, so that of a page about them what the ledger says is
// compared: claims, explanations, figures and studies; neither numbers nor verdicts, nor
// the order of sections.
func TestPagesAreCurrent(t *testing.T) {
	t.Chdir("..") // where the command of a page is given
	pages, err := filepath.Glob("docs/papers/*.md")
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
	want, got := string(fresh), string(text)
	remedy := fmt.Sprintf("write it again: weft %s --docs docs/papers --replace (with an empty --out, if there are runs that are not published)", command)
	if !strings.Contains(command, "--published") {
		t.Logf("%s: its results are not published, so that only what is of the ledger is compared", page)
		want, got = ofLedger(want), ofLedger(got)
		remedy = fmt.Sprintf("write it again: weft %s, and weft %s --docs docs/papers --replace", strings.Replace(command, " page ", " run ", 1), command)
	}
	if diff := firstDifference(got, want); diff != "" {
		t.Errorf("%s is stale; %s\n%s", page, remedy, diff)
	}
	for _, link := range regexp.MustCompile(`\]\((images/[^)]*)\)`).FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(page), link[1])); err != nil {
			t.Errorf("%s shows %s, which is not there; write it again", page, link[1])
		}
	}
}

// ofLedger keeps the lines of a page that the ledger decides, and of them what does not
// follow from what was run.
func ofLedger(page string) string {
	var out []string
	section := ""
	inCells := regexp.MustCompile(` \| `)
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		cells := inCells.Split(line, -1)
		if strings.HasPrefix(line, "## ") {
			section = line
		}
		switch {
		case strings.HasPrefix(line, "#"), strings.HasPrefix(line, "- **Scale**"):
		case strings.HasPrefix(line, `| <a id="`): // a claim, before what was measured
			line = strings.Join(cells[:2], " | ")
		case section == "## Explanations" && strings.HasPrefix(line, "| ["):
			line = cells[0] + " | " + cells[2]
		case section == "## Figures" && strings.HasPrefix(line, "!["):
			continue // its caption follows
		case section == "## Figures":
			line, _, _ = strings.Cut(line, " *Not drawn")
		case section == "## Studies" && len(cells) >= 5:
			line = strings.Join(cells[:3], " | ")
		default:
			continue
		}
		if line != "" {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
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
