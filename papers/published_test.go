package papers

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"weft"
	"weft/papers/ledgers"
	"weft/record"
	"weft/study"
)

// TestPublished finds published runs that the ledger of today has no use for, and repeats
// the short ones, whose results must be what was published unless they are of an older
// revision of results.
func TestPublished(t *testing.T) {
	repeated := 0
	for _, name := range Library(ledgers.All()).Names() {
		l, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range l.Studies {
			for _, scale := range ScaleNames() {
				s := &l.Studies[i]
				if _, err := os.Stat(l.publishedFile(&Planned{Study: s, Scale: scale})); err != nil {
					continue
				}
				t.Run(name+" "+s.ID+" "+scale, func(t *testing.T) { repeated += checkPublished(t, l, s, scale) })
			}
		}
	}
	if repeated < 10 {
		t.Errorf("%d runs were short enough to be repeated, which is hardly a test", repeated)
	}
}

// TestPublishedPrograms reads back a table whose rows name a program where it changes, and refuses one that begins
// without.
func TestPublishedPrograms(t *testing.T) {
	const hash = "0123456789abcdef"
	run := func(seed uint64, program, version string) study.Adopted {
		return study.Adopted{
			Entry: study.Entry{Name: "cell", Seed: seed, Status: study.Done, Program: program, Hash: hash, Cell: hash},
			By:    record.Program{Version: version, Revision: "0123456789ab", Go: "go1.26.8"},
		}
	}
	table := newRunTable(&Study{ID: "fig"}, nil)
	table.runs = []study.Adopted{run(1, "results-6", "v1"), run(2, "results-6", "v1"), run(3, "results-7", "v1"), run(4, "results-7", "v1"), run(5, "results-6", "v1")}
	text, err := table.encode()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "results-"); n != 3 {
		t.Errorf("programs are named %d times, not where they change, 3 times:\n%s", n, text)
	}
	l, p := &Ledger{Dir: t.TempDir()}, &Planned{Study: &Study{ID: "fig"}, Scale: "quick"}
	if err := publishFile(l.publishedFile(p), text); err != nil {
		t.Fatal(err)
	}
	got, err := l.PublishedRuns(p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range table.runs {
		if want := &table.runs[i]; got.Runs[i].Program != want.Program || got.Runs[i].By != want.By || got.Runs[i].Seed != want.Seed {
			t.Errorf("row %d is %+v, was %+v", i, got.Runs[i], want)
		}
	}
	lines := strings.SplitAfter(string(text), "\n")
	if err := publishFile(l.publishedFile(p), []byte(lines[0]+lines[2])); err != nil {
		t.Fatal(err)
	}
	if _, err := l.PublishedRuns(p); err == nil || !strings.Contains(err.Error(), "fig.csv:2: the first run names no cell or no program") {
		t.Errorf("a table that begins without a program: %v", err)
	}
}

// TestPublishedBesideOwnRuns gives a study that another program has begun what is published
// of it.
func TestPublishedBesideOwnRuns(t *testing.T) {
	all, p := withShelf(t, "sird", "fig3")
	published := all.table(p)
	begun := study.Detached(p.Plan)
	if got := published.adopt(p, begun); got != begun {
		t.Fatal("what was begun is left out")
	}
	for _, r := range p.Runs() {
		if _, ok := begun.Adopted(r); !ok {
			t.Errorf("%s is missing", p.RunName(r))
		}
	}
}

// withShelf returns a study at quick scale with all that its ledger has published.
func withShelf(t *testing.T, ledger, id string) (*shelf, *Planned) {
	t.Helper()
	l, err := Load(ledger)
	if err != nil {
		t.Fatal(err)
	}
	all, err := l.shelve()
	if err != nil {
		t.Fatal(err)
	}
	s, ok := l.Study(id)
	if !ok {
		t.Fatalf("%s has no study %s", ledger, id)
	}
	p, err := l.Plan(s, Quick, weft.Builtin(), "another")
	if err != nil {
		t.Fatal(err)
	}
	return all, p
}

// checkPublished checks what is published of a study, and returns how many runs it repeated,
// of those that are short.
func checkPublished(t *testing.T, l *Ledger, s *Study, scale string) (repeated int) {
	const program, short = "test", 100 * time.Millisecond
	reg := weft.Builtin()
	p, err := l.Plan(s, scale, reg, program)
	if err != nil {
		t.Fatal(err)
	}
	published, err := l.PublishedRuns(p)
	if err != nil {
		t.Fatal(err)
	}
	if !published.of(s) {
		t.Error("measures are defined otherwise than those published")
	}
	reads := l.metricsRead()[s.ID]
	for i := range published.Runs {
		if a := &published.Runs[i]; !knows(a, reads) {
			t.Errorf("%s, seed %d is published without a metric that the ledger reads", a.Name, a.Seed)
		}
	}
	outdated := map[string]bool{}
	for i := range published.Runs {
		a := &published.Runs[i]
		outdated[study.Key(program, study.Short(a.Cell), a.Seed)] = study.Outdated(a.Program)
		a.Program = program
	}
	adopting := study.Detached(p.Plan)
	if n := adopting.Adopt(published.Runs); n != len(published.Runs) {
		t.Errorf("%d of %d published runs are of another state of the ledger", len(published.Runs)-n, len(published.Runs))
	}
	var list []study.Run
	for _, r := range p.Runs() {
		if a, ok := adopting.Adopted(r); ok && a.Took <= short && !outdated[study.Key(program, study.Short(a.Cell), r.Seed)] {
			list = append(list, r)
		}
	}
	const most = 3 // of a study: the first, the last and one between
	if n := len(list); n > most {
		list = []study.Run{list[0], list[n/2], list[n-1]}
	}
	var cache study.TaskCache
	for _, r := range list {
		a, _ := adopting.Adopted(r)
		task, err := p.Task(r, &cache)
		if err != nil {
			t.Fatal(err)
		}
		packed, failure := study.NewRunner(reg, program)(context.Background(), task, func(float64) {})
		if failure != nil {
			t.Fatal(failure)
		}
		result, err := record.CheckPack(r.Key, packed)
		if err != nil {
			t.Fatal(err)
		}
		if hash := study.Short(result.Summary.ResultHash); hash != study.Short(a.Hash) {
			t.Errorf("%s: the result hash is %s, and %s is published", p.RunName(r), hash, a.Hash)
		}
		repeated++
	}
	return repeated
}
