package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/internal/flock"
	"weft/internal/printable"
	"weft/record"
)

// Create makes dir the folder of a plan. If dir is already the folder of the study, runs
// that both plans share are kept, and so are all other runs until they are removed. Create
// does not replace the plan of a study that is being executed. Nor does it replace the plan
// of another study, which has another name and no run in common.
func Create(dir string, p *Plan) (*Study, error) {
	before, err := occupant(dir)
	if err == nil && before != nil {
		err = another(dir, before.Plan, p)
	}
	if err != nil {
		return nil, err
	}
	return replace(dir, before, p)
}

// Replace works like Create, but also replaces another study. It is for folders that belong
// to a study by their path, such as the folders of a ledger.
func Replace(dir string, p *Plan) (*Study, error) {
	before, err := occupant(dir)
	if err != nil {
		return nil, err
	}
	return replace(dir, before, p)
}

// occupant opens the study in a folder. It returns nil if there is none and a study may
// begin there.
func occupant(dir string) (*Study, error) {
	s, err := Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Vacant(dir)
	}
	return s, err
}

// another refuses to replace the plan of another study, since its runs would be orphaned. A
// study is another one if its name and all its runs differ, or if it has the same name but
// comes from another file and has no run in common. An edited file keeps its name, and a
// new name alone changes no run.
func another(dir string, before, p *Plan) error {
	switch {
	case before.Hash() == p.Hash():
		return nil
	case before.Name != printable.Line(p.Name):
	case !otherFile(before.Source, p.Source) || before.shares(p):
		return nil
	default:
		return fmt.Errorf("%s: holds a study of %s, and %s is another file with the same name and no run in common: choose another folder with --out, "+
			"or write another name: in one of the files", dir, before.Source, p.Source)
	}
	return fmt.Errorf("%s: holds study %s, of %s, but %s is study %s: choose another folder with --out, "+
		"or, if both are the same study, call this one name: %s", dir, before.Name, before.Source, p.Source, p.Name, before.Name)
}

// otherFile reports whether two names belong to two different files that both exist.
func otherFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && !os.SameFile(one, two)
}

// shares reports whether two plans have a run in common.
func (p *Plan) shares(o *Plan) bool {
	keys := map[string]bool{}
	for _, r := range p.Runs() {
		keys[r.Key] = true
	}
	return slices.ContainsFunc(o.Runs(), func(r Run) bool { return keys[r.Key] })
}

// replace gives a folder a new plan. before is the study that it held, or nil.
func replace(dir string, before *Study, p *Plan) (*Study, error) {
	s := &Study{Dir: dir, Plan: p, store: Store{Dir: filepath.Join(dir, runsFolder)}}
	if before != nil && before.Plan.Hash() != p.Hash() {
		release, err := lock(dir, Shard{})
		switch {
		case errors.Is(err, flock.ErrNone): // without locks; Execute warns of that
		case err != nil:
			return nil, err
		default:
			defer release()
		}
	}
	if err := s.writeManifest(); err != nil {
		return nil, fmt.Errorf("%s: cannot write a study there (%w); choose another folder with --out", dir, err)
	}
	if before != nil {
		s.index, s.seen = before.index, before.seen
		return s, nil
	}
	return s, s.read()
}

// Join makes dir the folder of a plan, for one shard of it. Unlike Create it refuses the
// folder of another plan, which other shards may be executing. It looks only at the runs of
// the shard.
func Join(dir string, p *Plan, shard Shard) (*Study, error) {
	s, err := OpenShard(dir, shard)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := Create(dir, p); err != nil {
			return nil, err
		}
		s, err = OpenShard(dir, shard)
	}
	if err != nil {
		return nil, err
	}
	if err := another(dir, s.Plan, p); err != nil {
		return nil, err
	}
	if s.Plan.Hash() != p.Hash() {
		return nil, fmt.Errorf("%s: holds a study of another plan: its file was edited, its --set differ, or another program began it. "+
			"If no other shard of it is being executed, replace the plan with weft study plan %s --out %[1]s; or choose another folder with --out", dir, p.Source)
	}
	s.Plan = p
	return s, nil
}

// OpenAs opens a study's folder as if Create had given it a plan, but changes nothing. Like
// Create, it refuses the folder of another study.
func OpenAs(dir string, p *Plan) (*Study, error) {
	s, err := Open(dir)
	if err != nil {
		return nil, err
	}
	if err := another(dir, s.Plan, p); err != nil {
		return nil, err
	}
	s.Plan = p
	return s, nil
}

// writeManifest creates the folder and its study.json.
func (s *Study) writeManifest() error {
	if err := os.MkdirAll(s.store.Dir, 0o777); err != nil {
		return err
	}
	p := s.Plan
	m := manifest{
		Format: studyFormat, Version: studyVersion,
		Name: p.Name, About: p.About, Source: p.Source, Sets: p.Sets, Program: p.Program,
		Build: record.CurrentProgram(), Created: time.Now().UTC().Truncate(time.Second),
		Axes: p.Axes, Seeds: p.Seeds, Cells: p.Cells, Text: string(p.Text),
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return writeDurably(filepath.Join(s.Dir, manifestFile), text)
}

// Vacant returns an error unless a study may begin in a folder, which need not exist.
// Another shard may be about to begin the same study.
func Vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: cannot write a study there (%w); choose another folder with --out", dir, err)
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == manifestFile }) {
		return nil
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+manifestFile) {
			continue
		}
		if runs, err := os.ReadDir(filepath.Join(dir, runsFolder)); e.Name() == runsFolder && err == nil && len(runs) == 0 {
			continue
		}
		if runs, err := record.Variants(dir); err == nil && len(runs) > 0 {
			return fmt.Errorf("%s: holds a result of weft run, which uses the same folder by default; give the study its own: --out %[1]s-study", dir)
		}
		return fmt.Errorf("%s: is not empty and not a study of weft; move it away or choose another folder with --out", dir)
	}
	return nil
}
