package study_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft"
	"weft/scenario"
	"weft/study"
)

// fuzzedStudy makes the folder of a small study that was executed, once.
func fuzzedStudy(f *testing.F) (dir string, p *study.Plan, tasks []study.Task) {
	f.Helper()
	dir = filepath.Join(f.TempDir(), "s")
	file, err := scenario.Parse("study.yaml", []byte(strings.Replace(smallStudy, "seeds: 3", "seeds: 1", 1)), weft.Builtin(), nil)
	if err != nil {
		f.Fatal(err)
	}
	if p, err = study.NewPlan(file, []byte(smallStudy), nil, "p"); err != nil {
		f.Fatal(err)
	}
	s, err := study.Create(dir, p)
	if err != nil {
		f.Fatal(err)
	}
	if err := s.Execute(f.Context(), newInline(), study.ExecuteOptions{}); err != nil {
		f.Fatal(err)
	}
	var cache study.TaskCache
	for _, r := range p.Runs() {
		t, err := p.Task(r, &cache)
		if err != nil {
			f.Fatal(err)
		}
		tasks = append(tasks, t)
	}
	return dir, p, tasks
}

// look does with a study what commands that show one do.
func look(t *testing.T, s *study.Study) {
	t.Helper()
	table := s.Table()
	if err := table.WriteCSV(io.Discard); err != nil {
		t.Fatal(err)
	}
	_, _ = table.MetricsText()
	_, _ = table.Text(study.MainMetrics())
	s.Alike()
	s.Count()
	s.Failures(study.Part{})
	s.MeanTook()
	for _, text := range s.Warnings() {
		printed(t, text)
	}
	for _, e := range s.Others() {
		printed(t, e.Name)
		printed(t, e.Worker)
	}
	for _, r := range s.Plan.Runs() {
		printed(t, s.Plan.RunName(r))
		_, _ = s.Result(r)
	}
}

func printed(t *testing.T, text string) {
	t.Helper()
	if strings.ContainsAny(text, "\x1b\n\u202e\u009b") {
		t.Fatalf("%q is shown", text)
	}
}

// FuzzPlan opens folders with any study.json.
func FuzzPlan(f *testing.F) {
	from, _, _ := fuzzedStudy(f)
	text, err := os.ReadFile(filepath.Join(from, "study.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format": "weft-study", "version": 1, "axes": [{"name": "a", "levels": ["x"]}], "seeds": [1, 1], "cells": [{"name": "\u001b", "levels": [0]}, {"levels": [0]}]}`))
	f.Add([]byte(`{"format": "weft-study", "version": 1, "seeds": [1], "cells": [{}]}`))
	f.Add([]byte(`{"format": "weft-study", "version": 1, "seeds": [1], "cells": [{"levels": [-1]}], "axes": [{"levels": ["0.5BDP"], "numbers": [1e308]}]}`))
	f.Add([]byte(`{"format": "weft-study", "version": 2}`))
	f.Add([]byte(`null`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, "study.json"), text, 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := study.Open(dir)
		if err != nil {
			if !strings.Contains(err.Error(), dir) {
				t.Fatalf("%v does not name the folder", err)
			}
			return
		}
		const few = 10_000
		if len(s.Plan.Cells)*len(s.Plan.Seeds) > few {
			return
		}
		look(t, s)
		_ = s.Reload(weft.Builtin(), s.Plan.Program)
	})
}

// FuzzStore opens a study with any index and any file among its runs.
func FuzzStore(f *testing.F) {
	from, p, _ := fuzzedStudy(f)
	index, err := os.ReadFile(filepath.Join(from, "index.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	key := p.Runs()[0].Key
	packed, err := os.ReadFile(filepath.Join(from, "runs", key[:2], key+".zip"))
	if err != nil {
		f.Fatal(err)
	}
	failed := `{"key": "` + key + `", "cell": "` + p.Cells[0].Hash + `", "seed": 1, "program": "p", "status": "failed", "message": "\u001b[2J\u202e"}`
	f.Add(index, key+".zip", packed)
	f.Add(index, key+".zip", packed[:len(packed)-1])
	f.Add([]byte(failed+"\n"), key+".failed.json", []byte(failed))
	f.Add([]byte{}, key+".failed.json", []byte(failed))
	f.Add([]byte("{}\n{\"key\": 3}\n\xff"), key, []byte("a file"))
	f.Add(index[:len(index)/2], "x.zip", []byte{})
	f.Add(index, ".zip", []byte{})
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, index []byte, name string, content []byte) {
		if strings.ContainsAny(name, "/\\\x00") || len(name) > 100 || name == "" || name == "." || name == ".." {
			return
		}
		group := filepath.Join(dir, "runs", key[:2])
		if err := errors.Join(os.RemoveAll(filepath.Join(dir, "runs")), os.MkdirAll(group, 0o777)); err != nil {
			t.Fatal(err)
		}
		manifest, err := os.ReadFile(filepath.Join(from, "study.json"))
		if err != nil {
			t.Fatal(err)
		}
		for path, text := range map[string][]byte{
			filepath.Join(dir, "study.json"): manifest, filepath.Join(dir, "index.jsonl"): index, filepath.Join(group, name): content,
		} {
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s, err := study.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		look(t, s)
		// Whatever it was, going on leaves a study in which nothing is damaged.
		if err := s.Reload(weft.Builtin(), "p"); err != nil {
			t.Fatal(err)
		}
		nobody := engineFunc(func(context.Context, []study.Task, study.Watcher) error { return nil })
		if err := s.Execute(t.Context(), nobody, study.ExecuteOptions{}); err != nil {
			t.Fatal(err)
		}
		again, err := study.Open(dir)
		if err != nil || len(again.Damaged()) > 0 {
			t.Fatalf("damaged %v, %v", again.Damaged(), err)
		}
		look(t, again)
	})
}

// FuzzResult hands a study any bytes as the result of a run.
func FuzzResult(f *testing.F) {
	from, p, tasks := fuzzedStudy(f)
	for _, t := range tasks[:2] {
		packed, err := os.ReadFile(filepath.Join(from, "runs", t.Key[:2], t.Key+".zip"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(packed)
		f.Add(packed[:len(packed)/2])
	}
	f.Add([]byte("PK\x05\x06"))
	dir := filepath.Join(f.TempDir(), "s")
	s, err := study.Create(dir, p)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		if err := s.Remove(tasks[0].Key); err != nil {
			t.Fatal(err)
		}
		err := s.Execute(t.Context(), engineFunc(func(_ context.Context, _ []study.Task, w study.Watcher) error {
			return w.Ended(study.Outcome{Key: tasks[0].Key, Result: packed})
		}), study.ExecuteOptions{})
		if err != nil && !errors.Is(err, study.ErrNotResult) {
			t.Fatal(err)
		}
		if err == nil {
			if _, err := s.Result(p.Runs()[0]); err != nil {
				t.Fatalf("what was kept cannot be read: %v", err)
			}
		}
	})
}

// FuzzTask hands a worker any scenario, with and without a file among its inputs.
func FuzzTask(f *testing.F) {
	_, _, tasks := fuzzedStudy(f)
	f.Add(string(tasks[0].Scenario), uint64(1), "sizes.csv")
	f.Add(`{"weft": 1, "name": "x", "topology": {"kind": "graph", "file": "/etc/passwd"}, "traffic": []}`, uint64(1), "/etc/passwd")
	f.Add(`{"weft": 1, "compare": [{"name": "a"}]}`, uint64(0), "")
	run := study.NewRunner(weft.Builtin(), "p")
	f.Fuzz(func(t *testing.T, text string, seed uint64, input string) {
		task := study.Task{Key: tasks[0].Key, Cell: tasks[0].Cell, Name: "x", Scenario: []byte(text), Seed: seed, Inputs: []study.Input{{Path: input}}}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if packed, failure := run(ctx, task, func(float64) {}); packed != nil || failure == nil || strings.Contains(failure.Message, "panicked") {
			t.Fatalf("%d bytes, %v", len(packed), failure)
		}
	})
}
