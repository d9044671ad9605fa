package study_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/scenario"
	"weft/study"
)

// inline is an engine that executes tasks one after another in this process. It
// stops after some, as if interrupted, and fails those whose name holds a word.
type inline struct {
	run      study.Runner
	stopAt   int
	fail     string
	failure  study.Failure
	executed []string
}

func newInline() *inline {
	return &inline{run: study.NewRunner(weft.Builtin(), "p"), stopAt: -1}
}

func (e *inline) Execute(ctx context.Context, tasks []study.Task, w study.Watcher) error {
	for i, t := range tasks {
		if i == e.stopAt {
			return ctx.Err()
		}
		w.Began(t.Key, "inline")
		o := study.Outcome{Key: t.Key, Worker: "inline", Attempts: 1}
		if e.fail != "" && fmt.Sprintf("%s, seed %d", t.Name, t.Seed) == e.fail {
			f := e.failure
			o.Failure = &f
		} else {
			o.Result, o.Failure = e.run(ctx, t, func(float64) {})
		}
		e.executed = append(e.executed, t.Name)
		if err := w.Ended(o); err != nil {
			return err
		}
	}
	return nil
}

const smallStudy = `weft: 1
name: small
topology: {kind: star, hosts: 4, rate: 100Gbps}
traffic: [{name: flows, pattern: permutation, size: 16KiB}]
matrix:
  - {path: transport.balancer, values: [ecmp, ops]}
  - {path: traffic.flows.size, values: [16KiB, 64KiB]}
seeds: 3
`

// planOf expands a scenario's text.
func planOf(t *testing.T, text, program string, sets ...string) *study.Plan {
	t.Helper()
	path := filepath.Join(t.TempDir(), "study.yaml")
	f, err := scenario.Parse(path, []byte(text), weft.Builtin(), sets)
	if err != nil {
		t.Fatal(err)
	}
	p, err := study.NewPlan(f, []byte(text), sets, program)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// executeMissing executes what is missing of a study and returns what it was.
func executeMissing(t *testing.T, dir string, p *study.Plan, e *inline, o study.ExecuteOptions) *study.Study {
	t.Helper()
	s, err := study.Create(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	e.executed = nil
	if err := s.Execute(t.Context(), e, o); err != nil {
		t.Fatal(err)
	}
	return s
}

// hashes returns the result hashes of a study's runs by name.
func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	s, err := study.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range s.Plan.Runs() {
		e, ok := s.Entry(r)
		if !ok || e.Status != study.Done {
			t.Errorf("%s: %v", s.Plan.RunName(r), e.Status)
		}
		got[s.Plan.RunName(r)] = e.Hash
	}
	return got
}

func same(t *testing.T, a, b map[string]string) {
	t.Helper()
	if len(a) != len(b) {
		t.Errorf("%d runs and %d", len(a), len(b))
	}
	for name, hash := range a {
		if b[name] != hash {
			t.Errorf("%s: %s and %s", name, hash, b[name])
		}
	}
}

func TestFinishedRunsAreNotRepeated(t *testing.T) {
	dir, e := filepath.Join(t.TempDir(), "s"), newInline()
	executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if len(e.executed) != 12 {
		t.Fatalf("%d runs, not 12", len(e.executed))
	}
	first := hashes(t, dir)
	executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if len(e.executed) != 0 {
		t.Errorf("repeated: %v", e.executed)
	}
	same(t, first, hashes(t, dir))
}

func TestInterruptedStudyGoesOn(t *testing.T) {
	whole, dir, e := filepath.Join(t.TempDir(), "w"), filepath.Join(t.TempDir(), "s"), newInline()
	executeMissing(t, whole, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	e.stopAt = 5
	s := executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if n := s.Missing(study.Part{}); n != 7 {
		t.Errorf("%d are missing after 5 of 12", n)
	}
	if done := s.Table().Cells[0]; done.Done == 0 || done.Done == done.Runs {
		t.Errorf("a partial table has %d of %d runs of the first cell", done.Done, done.Runs)
	}
	e.stopAt = -1
	executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if len(e.executed) != 7 {
		t.Errorf("executed %v", e.executed)
	}
	same(t, hashes(t, whole), hashes(t, dir))
}

func TestEditedFileRepeatsOnlyWhatChanges(t *testing.T) {
	dir, e := filepath.Join(t.TempDir(), "s"), newInline()
	executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	for _, c := range []struct {
		what, old, new string
		runs           int
	}{
		{"another value", "[16KiB, 64KiB]", "[16KiB, 32KiB]", 6},
		{"back again", "", "", 0},
		{"more seeds", "seeds: 3", "seeds: 4", 4},
		{"a label", "[ecmp, ops]", "{hash: ecmp, spray: ops}", 0},
		{"its name", "name: small", "name: other", 0},
		{"its old name", "", "", 0},
		{"what is recorded", "seeds: 3", "seeds: 3\nrecord: {ports: [host0->*]}", 12},
	} {
		executeMissing(t, dir, planOf(t, strings.Replace(smallStudy, c.old, c.new, 1), "p"), e, study.ExecuteOptions{})
		if len(e.executed) != c.runs {
			t.Errorf("%s: %d runs, not %d: %v", c.what, len(e.executed), c.runs, e.executed)
		}
	}
	e.run = study.NewRunner(weft.Builtin(), "another")
	s := executeMissing(t, dir, planOf(t, smallStudy, "another"), e, study.ExecuteOptions{})
	if len(e.executed) != 12 || len(s.Others()) == 0 {
		t.Errorf("another program: %d runs, and %d of the others", len(e.executed), len(s.Others()))
	}
}

func TestFailuresAreKeptAndDoNotStopTheStudy(t *testing.T) {
	dir, e := filepath.Join(t.TempDir(), "s"), newInline()
	e.fail, e.failure = "ops, size 16KiB, seed 2", study.Failure{Message: "boom", Permanent: true}
	s := executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if f := s.Failures(study.Part{}); len(f) != 1 || f[0].Message != "boom" || f[0].Status != study.Failed {
		t.Fatalf("failures: %+v", f)
	}
	// One that comes again is not repeated, also after the index is made again.
	if err := os.Remove(filepath.Join(dir, "index.jsonl")); err != nil {
		t.Fatal(err)
	}
	e.fail = ""
	s = executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if len(e.executed) != 0 || len(s.Failures(study.Part{})) != 1 {
		t.Errorf("executed %v, failures %+v", e.executed, s.Failures(study.Part{}))
	}
	s = executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{Retry: true})
	if len(e.executed) != 1 || len(s.Failures(study.Part{})) != 0 {
		t.Errorf("told to retry: executed %v, failures %+v", e.executed, s.Failures(study.Part{}))
	}
	hashes(t, dir)

	// One that may pass is repeated.
	dir = filepath.Join(t.TempDir(), "t")
	e.fail, e.failure = "ops, size 16KiB, seed 2", study.Failure{Message: "its process died"}
	s = executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if n := s.Missing(study.Part{}); n != 1 {
		t.Errorf("%d runs are missing", n)
	}
	e.fail = ""
	executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if len(e.executed) != 1 {
		t.Errorf("executed %v", e.executed)
	}
}

func TestStuckRunsArePartial(t *testing.T) {
	dir, e := filepath.Join(t.TempDir(), "s"), newInline()
	text := strings.Replace(smallStudy, "seeds: 3", "stuck_after: 1ms\nfaults: [{kind: link-down, links: host0->*, allow_cutoff: true}]", 1)
	s := executeMissing(t, dir, planOf(t, text, "p"), e, study.ExecuteOptions{})
	f := s.Failures(study.Part{})
	if len(f) != 4 || f[0].Status != study.Partial || f[0].Message == "" {
		t.Fatalf("%+v", f)
	}
	if c := s.Table().Cells[0]; c.Partial != 1 || c.Done != 0 {
		t.Errorf("%+v", c)
	}
	executeMissing(t, dir, planOf(t, text, "p"), e, study.ExecuteOptions{})
	if len(e.executed) != 0 {
		t.Errorf("stuck runs get stuck again, and were repeated: %v", e.executed)
	}
}

func TestIndexIsMadeAgainFromTheStore(t *testing.T) {
	dir, e := filepath.Join(t.TempDir(), "s"), newInline()
	s := executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	index := filepath.Join(dir, "index.jsonl")
	want := csv(t, s)
	text, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"cut off":  text[:len(text)*2/3],
		"nonsense": []byte("{}\nnot JSON\n{\"key\": 3}\n\x00\xff"),
		"empty":    {},
	} {
		if err := os.WriteFile(index, content, 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := study.Open(dir)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := csv(t, s); got != want {
			t.Errorf("%s: the table differs:\n%s\n%s", name, got, want)
		}
		if n, err := s.Gather(); err != nil || n != 12 {
			t.Errorf("%s: gathered %d, %v", name, n, err)
		}
	}
}

func csv(t *testing.T, s *study.Study) string {
	t.Helper()
	var b strings.Builder
	if err := s.Table().WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDamagedRunsAreRepeated(t *testing.T) {
	dir, e := filepath.Join(t.TempDir(), "s"), newInline()
	s := executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	first := hashes(t, dir)
	path, err := s.Store().Path(s.Plan.Runs()[3].Key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "index.jsonl")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Result(s.Plan.Runs()[3]); !errors.Is(err, study.ErrDamaged) {
		t.Errorf("reading it: %v", err)
	}
	opened, err := study.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := opened.Damaged(); len(d) != 1 || d[0].Path != path || !strings.Contains(strings.Join(opened.Warnings(), "\n"), "weft study resume "+dir) {
		t.Errorf("damaged: %v", d)
	}
	executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if len(e.executed) != 1 {
		t.Errorf("executed %v", e.executed)
	}
	same(t, first, hashes(t, dir))
}

// TestLeftOversAreSwept leaves behind what a killed writer does: who executes the study
// next removes it, even if no run is missing, and nothing else.
func TestLeftOversAreSwept(t *testing.T) {
	dir, e := filepath.Join(t.TempDir(), "s"), newInline()
	s := executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	first := hashes(t, dir)
	files := func() []string {
		names, err := filepath.Glob(filepath.Join(dir, "runs", "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	want := files()
	path, err := s.Store().Path(s.Plan.Runs()[3].Key)
	if err != nil {
		t.Fatal(err)
	}
	group, base := filepath.Split(path)
	if err := os.WriteFile(filepath.Join(group, "."+base+".5f3a"), []byte("half"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(group, "."+base+".tmp-7-0", "flows"), 0o777); err != nil {
		t.Fatal(err)
	}
	executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{Part: study.Part{Shard: study.Shard{Index: 0, Of: 2}}})
	if got := files(); len(got) != len(want)+2 {
		t.Errorf("a shard removed what another may be writing: %v", got)
	}
	executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if got := files(); !slices.Equal(got, want) {
		t.Errorf("the store has %v, want %v", got, want)
	}
	if len(e.executed) != 0 {
		t.Errorf("executed %v", e.executed)
	}
	same(t, first, hashes(t, dir))
}

func TestShardsTogetherAreTheStudy(t *testing.T) {
	whole, dir, e := filepath.Join(t.TempDir(), "w"), filepath.Join(t.TempDir(), "s"), newInline()
	executeMissing(t, whole, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	total := 0
	for i := range 5 {
		executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{Part: study.Part{Shard: study.Shard{Index: i, Of: 5}}})
		total += len(e.executed)
	}
	if total != 12 {
		t.Errorf("the shards executed %d runs", total)
	}
	s, err := study.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := s.Gather(); err != nil || n != 12 {
		t.Errorf("gathered %d: %v", n, err)
	}
	same(t, hashes(t, whole), hashes(t, dir))
}

func TestOneProcessAtATime(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	p := planOf(t, smallStudy, "p")
	s, err := study.Create(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Execute(t.Context(), engineFunc(func(context.Context, []study.Task, study.Watcher) error {
		other, err := study.Open(dir)
		if err != nil {
			return err
		}
		err = other.Execute(t.Context(), newInline(), study.ExecuteOptions{})
		if err == nil || !strings.Contains(err.Error(), "is executing this study") {
			t.Errorf("a second process: %v", err)
		}
		if !errors.Is(err, study.ErrBusy) {
			t.Errorf("a second process: %v is not ErrBusy", err)
		}
		if _, err := study.Create(dir, planOf(t, smallStudy, "another")); !errors.Is(err, study.ErrBusy) {
			t.Errorf("another plan meanwhile: %v", err)
		}
		if now, err := study.Open(dir); err != nil || now.Plan.Program != "p" {
			t.Errorf("the plan was replaced while the study was executed: %v", err)
		}
		if err := other.Remove(p.Runs()[0].Key); err == nil {
			t.Error("runs could be removed meanwhile")
		}
		return nil
	}), study.ExecuteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Execute(t.Context(), newInline(), study.ExecuteOptions{}); err != nil {
		t.Errorf("after it: %v", err)
	}
}

type engineFunc func(context.Context, []study.Task, study.Watcher) error

func (f engineFunc) Execute(ctx context.Context, tasks []study.Task, w study.Watcher) error {
	return f(ctx, tasks, w)
}

func TestRemovedRunsAreGone(t *testing.T) {
	dir, e := filepath.Join(t.TempDir(), "s"), newInline()
	s := executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	key := s.Plan.Runs()[0].Key
	if err := s.Remove(key); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store().Path(key); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its file: %v", err)
	}
	if n := s.Missing(study.Part{}); n != 1 {
		t.Errorf("%d runs are missing", n)
	}
	executeMissing(t, dir, planOf(t, smallStudy, "p"), e, study.ExecuteOptions{})
	if len(e.executed) != 1 {
		t.Errorf("executed %v", e.executed)
	}
}

func TestForeignFoldersAreLeftAlone(t *testing.T) {
	p := planOf(t, smallStudy, "p")
	for name, content := range map[string]string{
		"notes.txt":  "mine",
		"study.json": `{"format": "another", "version": 1}`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := study.Create(dir, p); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("%s: something was written: %v", name, entries)
		}
	}
}

func TestReloadDemandsTheSameProgramAndFiles(t *testing.T) {
	folder := t.TempDir()
	sizes := filepath.Join(folder, "sizes.csv")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(sizes, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("size_bytes,cdf\n1000,0.5\n2000,1\n")
	text := strings.Replace(smallStudy, "size: 16KiB", "size: {cdf: "+sizes+"}", 1)
	text = strings.Replace(text, "  - {path: traffic.flows.size, values: [16KiB, 64KiB]}\n", "", 1)
	dir, e := filepath.Join(folder, "s"), newInline()
	executeMissing(t, dir, planOf(t, text, "p"), e, study.ExecuteOptions{})
	s, err := study.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(weft.Builtin(), "other"); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("another program: %v", err)
	}
	if err := s.Reload(weft.Builtin(), "p"); err != nil {
		t.Error(err)
	}
	write("size_bytes,cdf\n1000,0.5\n3000,1\n")
	if err := s.Reload(weft.Builtin(), "p"); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("a changed file: %v", err)
	}
}

func TestRunnerTellsFailuresApart(t *testing.T) {
	tasks := trivialTasks(t, 1)
	run := study.NewRunner(weft.Builtin(), "test")
	refused := tasks[0]
	refused.Cell, refused.Scenario = "x", []byte(`{"weft": 1, "topology": {"kind": "star", "hosts": 0}}`)
	if _, f := run(t.Context(), refused, func(float64) {}); f == nil || !f.Permanent {
		t.Errorf("a scenario that is refused: %+v", f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, f := run(ctx, tasks[0], func(float64) {}); f == nil || f.Permanent {
		t.Errorf("an interrupted run: %+v", f)
	}
	if packed, f := run(t.Context(), tasks[0], func(float64) {}); f != nil || len(packed) == 0 {
		t.Errorf("a run: %d bytes, %v", len(packed), f)
	}
}

func TestShards(t *testing.T) {
	for text, want := range map[string]study.Shard{"0/1": {Index: 0, Of: 1}, "3/4": {Index: 3, Of: 4}} {
		if got, err := study.ParseShard(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "4/4", "-1/4", "a/b", "1/0", "0/4x"} {
		if _, err := study.ParseShard(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestVerifyLooksAtEachLevelFirst stops early: of what is looked at by then, each level of
// each axis is a part, and it is told in the order of the cells.
func TestVerifyLooksAtEachLevelFirst(t *testing.T) {
	p := planOf(t, `weft: 1
name: odd
topology: {kind: star, hosts: 4, rate: 100Gbps}
fabric: {queue: infinite, classes: 2, ecn: {kind: threshold, k: 1.25BDP}}
transport: {balancer: ecmp}
traffic: [{name: flows, pattern: permutation, size: 16KiB}]
compare:
  - {name: Swift, set: {transport.congestion: swift}}
  - {name: SIRD, set: {transport.congestion: {kind: sird, b: 0.5BDP}}}
matrix:
  - {path: traffic.flows.size, values: [16KiB, 64KiB, 256KiB]}
`, "test")
	for _, test := range []struct {
		most       int
		seen, told []int // cells
	}{
		{0, nil, nil},
		{3, []int{0, 1, 2}, nil},
		{4, []int{0, 1, 2, 3}, []int{3}},
		{6, []int{0, 1, 2, 3, 4, 5}, []int{3, 4, 5}},
	} {
		list, err := p.Verify(func(done int) bool { return done < test.most })
		if err != nil {
			t.Fatal(err)
		}
		var seen, told []int
		for _, v := range list {
			seen = append(seen, v.Cell)
			if len(v.Notices) == 1 && strings.Contains(v.Notices[0], "below 1 BDP") {
				told = append(told, v.Cell)
			}
		}
		if !slices.Equal(seen, test.seen) || !slices.Equal(told, test.told) {
			t.Errorf("%d at most: looked at %v, want %v; told of %v, want %v", test.most, seen, test.seen, told, test.told)
		}
	}
}
