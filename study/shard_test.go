package study_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"weft"
	"weft/scenario"
	"weft/study"
)

const small = `
weft: 1
name: small
topology: {kind: star, hosts: 2}
traffic:
  - {name: main, pattern: permutation, size: 4KiB}
matrix:
  - {path: traffic.main.size, values: [4KiB, 8KiB, 16KiB]}
seeds: 4
`

func plan(t *testing.T, text, program string) *study.Plan {
	t.Helper()
	f, err := scenario.Parse("/small.yaml", []byte(text), weft.Builtin(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := study.NewPlan(f, []byte(text), nil, program)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// here executes tasks in this process, one after another, after a call of before.
type here struct{ before func() }

func (e here) Execute(ctx context.Context, tasks []study.Task, w study.Watcher) error {
	if e.before != nil {
		e.before()
	}
	run := study.NewRunner(weft.Builtin(), "program")
	for _, task := range tasks {
		packed, failure := run(ctx, task, func(float64) {})
		o := study.Outcome{Key: task.Key, Result: packed, Failure: failure, Worker: "here", Attempts: 1, Started: time.Now(), Took: time.Millisecond}
		if err := w.Ended(o); err != nil {
			return err
		}
	}
	return nil
}

func execute(t *testing.T, s *study.Study, e study.Engine, shard study.Shard) {
	t.Helper()
	if err := s.Execute(t.Context(), e, study.ExecuteOptions{Part: study.Part{Shard: shard}}); err != nil {
		t.Fatal(err)
	}
}

// TestShardsAreParts: each run is in one shard, shards are equal, and none has one
// cell only.
func TestShardsAreParts(t *testing.T) {
	const cells, seeds = 12, 10
	for n := 1; n <= 40; n++ {
		counts := make([]int, n)
		distinct := make([]map[int]bool, n)
		for place := range cells * seeds {
			i := study.ShardOf(place, n)
			counts[i]++
			if distinct[i] == nil {
				distinct[i] = map[int]bool{}
			}
			distinct[i][place%cells] = true
		}
		for i, c := range counts {
			if fair := cells * seeds / n; c < fair || c > fair+1 {
				t.Errorf("shard %d of %d has %d runs", i, n, c)
			}
			if counts[i] >= 4 && len(distinct[i]) < 2 || counts[i] >= 10 && len(distinct[i]) < 4 {
				t.Errorf("shard %d of %d has %d runs of only %d cells", i, n, counts[i], len(distinct[i]))
			}
		}
	}
}

// TestShardsMakeAStudy executes shards at the same time, each beginning the folder,
// and compares with the study executed at once.
func TestShardsMakeAStudy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "study")
	const n = 4
	var shards sync.WaitGroup
	for i := range n {
		p := plan(t, small, "program")
		shards.Go(func() {
			shard := study.Shard{Index: i, Of: n}
			s, err := study.Join(dir, p, shard)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Execute(t.Context(), here{}, study.ExecuteOptions{Part: study.Part{Shard: shard}}); err != nil {
				t.Error(err)
			}
		})
	}
	shards.Wait()
	got, err := study.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := study.Create(filepath.Join(t.TempDir(), "whole"), plan(t, small, "program"))
	if err != nil {
		t.Fatal(err)
	}
	execute(t, whole, here{}, study.Shard{})
	for _, r := range whole.Plan.Runs() {
		a, _ := whole.Entry(r)
		b, ok := got.Entry(r)
		if !ok || a.Hash == "" || a.Hash != b.Hash {
			t.Errorf("run %s of seed %d: %q executed at once, %q by a shard", a.Name, a.Seed, a.Hash, b.Hash)
		}
	}
	if n, err := got.Gather(); n != 12 || err != nil {
		t.Errorf("gathered %d runs, %v", n, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "lock.*")); len(left) > 0 {
		t.Errorf("left after gathering: %v", left)
	}
}

func TestJoinRefusesAnotherPlan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "study")
	shard := study.Shard{Index: 0, Of: 2}
	if _, err := study.Join(dir, plan(t, small, "program"), shard); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "study.json"))
	if err != nil {
		t.Fatal(err)
	}
	for what, p := range map[string]*study.Plan{
		"another program": plan(t, small, "other"),
		"more seeds":      plan(t, strings.Replace(small, "seeds: 4", "seeds: 5", 1), "program"),
		"another level":   plan(t, strings.Replace(small, "16KiB", "32KiB", 1), "program"),
		"another order":   plan(t, strings.Replace(small, "4KiB, 8KiB", "8KiB, 4KiB", 1), "program"),
	} {
		if _, err := study.Join(dir, p, shard); err == nil || !strings.Contains(err.Error(), "another plan") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if after, err := os.ReadFile(filepath.Join(dir, "study.json")); err != nil || string(after) != string(before) {
		t.Error("the study was changed")
	}
	renamed := strings.Replace(small, "name: small", "name: large", 1)
	if _, err := study.Join(dir, plan(t, renamed, "program"), shard); err != nil {
		t.Errorf("another name, which changes no run: %v", err)
	}
}

func TestJoinNeedsAVacantFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "runs", "of-something-else"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := study.Join(dir, plan(t, small, "program"), study.Shard{Index: 0, Of: 2}); err == nil {
		t.Error("a study began in a folder that holds other runs")
	}
}

// TestLocks: a shard and the whole study exclude each other, a shard excludes itself,
// and two shards do not.
func TestLocks(t *testing.T) {
	p := plan(t, small, "program")
	dir := filepath.Join(t.TempDir(), "study")
	open := func() *study.Study {
		t.Helper()
		s, err := study.Create(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	try := func(shard study.Shard) error {
		return open().Execute(t.Context(), here{}, study.ExecuteOptions{Part: study.Part{Shard: shard}})
	}
	holders := func() []study.Holder {
		t.Helper()
		list, err := open().Holders()
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	first, second, all := study.Shard{Index: 0, Of: 2}, study.Shard{Index: 1, Of: 2}, study.Shard{}
	execute(t, open(), here{func() {
		if err := try(first); err == nil || !strings.Contains(err.Error(), "is executing this study") {
			t.Errorf("the same shard: %v", err)
		}
		if err := try(all); err == nil || !strings.Contains(err.Error(), "shards of this study are being executed") {
			t.Errorf("the whole study beside a shard: %v", err)
		}
		if err := open().Remove(); err == nil {
			t.Error("runs could be removed beside a shard")
		}
		if list := holders(); len(list) != 1 || list[0].Shard != first || list[0].Process == "" {
			t.Errorf("holders are %v", list)
		}
		if err := try(second); err != nil {
			t.Errorf("another shard: %v", err)
		}
		if _, err := open().Gather(); err != nil {
			t.Errorf("gathering meanwhile: %v", err)
		}
		if list := holders(); len(list) != 1 {
			t.Errorf("after gathering holders are %v", list)
		}
	}}, first)
	if list := holders(); len(list) != 0 {
		t.Errorf("after the end holders are %v", list)
	}
	if err := open().Remove(p.Runs()[0].Key); err != nil {
		t.Fatal(err)
	}
	execute(t, open(), here{func() {
		if err := try(second); err == nil || !strings.Contains(err.Error(), "is executing this study") {
			t.Errorf("a shard beside the whole study: %v", err)
		}
		if list := holders(); len(list) != 1 || list[0].Shard != all {
			t.Errorf("holders are %v", list)
		}
	}}, all)
}

// TestStatus counts while runs are missing, and what refreshing brings.
func TestStatus(t *testing.T) {
	p := plan(t, small, "program")
	dir := filepath.Join(t.TempDir(), "study")
	s, err := study.Create(dir, p)
	if err != nil {
		t.Fatal(err)
	}
	shard := study.Shard{Index: 1, Of: 4}
	other, err := study.Join(dir, p, shard)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, other, here{}, shard)
	if all, _ := s.Count(); all != (study.Counts{Runs: 12, Missing: 12}) {
		t.Errorf("before: %+v", all)
	}
	if err := s.Refresh(); err != nil {
		t.Fatal(err)
	}
	all, cells := s.Count()
	if all != (study.Counts{Runs: 12, Done: 3, Missing: 9}) {
		t.Errorf("after: %+v", all)
	}
	done := 0
	for _, c := range cells {
		done += c.Done
	}
	if len(cells) != 3 || done != 3 {
		t.Errorf("by cell: %+v", cells)
	}
	rest := s.Remaining(false)
	for _, place := range rest {
		if study.ShardOf(place, 4) == 1 {
			t.Errorf("place %d remains", place)
		}
	}
	if len(rest) != 9 {
		t.Errorf("%d runs remain", len(rest))
	}
	if s.MeanTook() <= 0 {
		t.Error("it is not known how long runs took")
	}
}
