// Package study runs many scenarios as easily as one. It expands a scenario file into the
// runs of a matrix, and hands the missing runs to an engine. It keeps results in a store,
// so that a finished run is never repeated, and sums up cells over their seeds. It knows
// nothing of figures, and knows engines only by their interface.
//
// A study is a folder:
//
//	study.json   its content: file, axes, cells, seeds, program
//	index.jsonl  one line per run, for tables; rebuilt from runs/ if it is missing
//	runs/        the store: results and failures by the hash of scenario, seed and program
//	damaged/     runs that differed from the index, and were repeated
//	lock*        held by the processes that execute the study or a shard of it
//
// A run is finished if the store has it; no other record counts. So an interrupted study
// continues where it stopped, and after a change of the file only the affected runs are
// repeated.
package study

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"weft/record"
	"weft/scenario"
)

// The files of a study's folder.
const (
	manifestFile = "study.json"
	indexFile    = "index.jsonl"
	runsFolder   = "runs"
	// damagedFolder holds runs that Execute took out of the store.
	damagedFolder = "damaged"
)

// Study is an open folder of a study.
type Study struct {
	// Dir is the path of the folder.
	Dir string
	// Plan is the content of the study.
	Plan *Plan

	store Store
	index *index
	// seen holds what reading the store found besides complete runs.
	seen seen
	// only holds the keys of the runs to look at; nil means all.
	only map[string]bool
}

// Open opens the folder of a study. If there is none, the error wraps fs.ErrNotExist.
func Open(dir string) (*Study, error) { return OpenShard(dir, Shard{}) }

// OpenShard works like Open for one shard. It reads much less of a large study that has no
// index yet.
func OpenShard(dir string, shard Shard) (*Study, error) {
	p, err := readPlan(dir)
	if err != nil {
		return nil, err
	}
	s := &Study{Dir: dir, Plan: p, store: Store{Dir: filepath.Join(dir, runsFolder)}}
	if shard.Of > 0 {
		s.only = map[string]bool{}
		for _, r := range p.In(Part{Shard: shard}) {
			s.only[r.Key] = true
		}
	}
	return s, s.read()
}

// read reads the index and updates it in memory.
func (s *Study) read() error {
	before := s.index
	var err error
	if s.index, err = readIndex(filepath.Join(s.Dir, indexFile)); err != nil {
		return err
	}
	if before != nil {
		s.index.adopted = before.adopted
	}
	s.store.describer = newDescriber(s.Plan)
	s.seen, err = s.index.refresh(s.store, s.only)
	return err
}

// Reload plans the study again from the text of its file, so that its runs can be executed.
// It fails if the program is not the one that began the study, or if the files that the
// scenario names have changed.
func (s *Study) Reload(reg *scenario.Registry, program string) error {
	if program != s.Plan.Program {
		return fmt.Errorf("%s: another program began the study (%s, and this is %s), and its results may differ; "+
			"begin again with weft study run %s --out %[1]s, which repeats all runs", s.Dir, s.Plan.Program, program, s.Plan.Source)
	}
	f, err := scenario.Parse(s.Plan.Source, s.Plan.Text, reg, s.Plan.Sets)
	if err != nil {
		return err
	}
	p, err := NewPlan(f, s.Plan.Text, s.Plan.Sets, program)
	if err != nil {
		return err
	}
	for i, c := range p.Cells {
		if i >= len(s.Plan.Cells) || s.Plan.Cells[i].Hash != c.Hash {
			return fmt.Errorf("%s: a file that the scenario names has changed since the study began; begin again with weft study run %s --out %[1]s, which repeats the affected runs", s.Dir, s.Plan.Source)
		}
	}
	s.Plan = p
	return nil
}

// Result reads the result of a run. If the result cannot be used, the error is ErrDamaged.
// If only the numbers are known, the error wraps fs.ErrNotExist.
func (s *Study) Result(r Run) (*record.Result, error) {
	if a, ok := s.index.adopted[r.Key]; ok {
		return nil, a.result()
	}
	return s.store.result(r.Key, s.index.sums[r.Key])
}

// Store returns the store of the results.
func (s *Study) Store() Store { return s.store }

// Entry returns a run's entry in the index.
func (s *Study) Entry(r Run) (Entry, bool) {
	e, ok := s.index.entries[r.Key]
	return e, ok
}

// Begun reports whether any run of the plan has ended.
func (s *Study) Begun() bool {
	return slices.ContainsFunc(s.Plan.Runs(), func(r Run) bool { _, ok := s.index.entries[r.Key]; return ok })
}

// Others lists the runs in the store that are not in the plan. They belong to an earlier
// version of the file, or to another program.
func (s *Study) Others() []Entry {
	planned := map[string]bool{}
	for _, r := range s.Plan.Runs() {
		planned[r.Key] = true
	}
	var list []Entry
	for key, e := range s.index.entries {
		if !planned[key] {
			list = append(list, e)
		}
	}
	return list
}

// Remove removes runs. It must not be called while the study is executed.
func (s *Study) Remove(keys ...string) error {
	release, err := lock(s.Dir, Shard{})
	if err != nil {
		return err
	}
	defer release()
	for _, key := range keys {
		if err := s.store.Remove(key); err != nil {
			return err
		}
		s.index.remove(key)
	}
	return s.index.rewrite()
}

// Gather updates the index from the store, to which shards on other machines may have
// added. It returns the number of runs in the index.
func (s *Study) Gather() (int, error) {
	// While this process holds the whole lock, no shard is being executed or starts.
	if release, err := lock(s.Dir, Shard{}); err == nil {
		defer release()
		if err := errors.Join(s.removeShardLocks(), s.store.sweep()); err != nil {
			return 0, err
		}
	}
	var err error
	if s.seen, err = s.index.refresh(s.store, nil); err != nil {
		return 0, err
	}
	return len(s.index.entries), s.index.rewrite()
}

func (s *Study) removeShardLocks() error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if shard, ok := shardOfLock(e.Name()); ok && shard.Of > 0 {
			if err := os.Remove(filepath.Join(s.Dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Missing counts the runs of a part that have not ended, or that may succeed if they are
// repeated.
func (s *Study) Missing(part Part) int {
	n := 0
	for _, r := range s.Plan.In(part) {
		if e, ok := s.index.entries[r.Key]; !ok || e.Status == Dead {
			n++
		}
	}
	return n
}
