package study

import (
	"fmt"
	"io/fs"

	"weft/record"
)

// Adopted is a run that was executed elsewhere, and of which the numbers came over.
type Adopted struct {
	// Entry is what the index there says of it; its key is found by the plan.
	Entry
	// By is the program that executed it.
	By record.Program
	// Path is where its packed result is, empty if that did not come over.
	Path string
}

func (a *Adopted) result() (*record.Result, error) {
	if a.Path == "" {
		return nil, fmt.Errorf("%s, seed %d: its numbers are known, but its result is elsewhere: %w", a.Name, a.Seed, fs.ErrNotExist)
	}
	r, err := ReadResult(a.Path)
	if err != nil {
		return nil, err
	}
	// Its manifest may call the scenario by what another program knew it by.
	if r.Manifest.Hashes.Result != a.Hash || r.Manifest.Seed != a.Seed {
		return nil, fmt.Errorf("%s: it holds the result of another run than %s, seed %d; publish the run again", a.Path, a.Name, a.Seed)
	}
	return r, nil
}

// Detached returns a study without a folder: it has what it adopts, and cannot be
// executed.
func Detached(p *Plan) *Study {
	return &Study{Plan: p, index: newIndex("")}
}

// Adopt takes in runs of the plan by their scenarios and seeds, and returns how many that
// were. Those that the study has itself stay its own; of the others its folder keeps
// nothing. Whether runs of another program than the study's will do, its caller knows.
func (s *Study) Adopt(runs []Adopted) int {
	planned := map[string]bool{}
	for _, r := range s.Plan.Runs() {
		planned[r.Key] = true
	}
	if s.index.adopted == nil {
		s.index.adopted = map[string]Adopted{}
	}
	for _, a := range runs {
		a.Key = Key(s.Plan.Program, a.Cell, a.Seed)
		if _, own := s.index.entries[a.Key]; planned[a.Key] && !own {
			s.index.adopted[a.Key] = a
		}
	}
	s.index.fill()
	return len(s.index.adopted)
}

// Adopted returns a run as it was adopted.
func (s *Study) Adopted(r Run) (Adopted, bool) {
	a, ok := s.index.adopted[r.Key]
	return a, ok
}

// fill sets the entries of adopted runs.
func (x *index) fill() {
	for key, a := range x.adopted {
		x.entries[key] = a.Entry
	}
}
