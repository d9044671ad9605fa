package study

import (
	"fmt"
	"io/fs"

	"weft/record"
)

// shortHash is how many digits of a hash are enough to compare it: 64 bits.
const shortHash = 16

// Short returns the first digits of a hash of a scenario or of a result, by which those that
// were run elsewhere are compared.
func Short(hash string) string { return hash[:min(len(hash), shortHash)] }

// Adopted is a run that was executed elsewhere, and of which numbers came over.
type Adopted struct {
	// Entry is what the index there says of it. Its hashes may be short; its key is found by
	// the plan.
	Entry
	// By is the program that executed it.
	By record.Program
	// Known are the metrics that came over, whether the run has a number for them or not; nil
	// if all did.
	Known map[string]bool
}

// Knows tells whether a metric came over.
func (a *Adopted) Knows(metric string) bool { return a.Known == nil || a.Known[metric] }

// result fails: only numbers come over.
func (a *Adopted) result() error {
	return fmt.Errorf("%s, seed %d: its numbers are known, but its result is elsewhere: %w", a.Name, a.Seed, fs.ErrNotExist)
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
	type id struct {
		cell string
		seed uint64
	}
	planned := map[id]Run{}
	for _, r := range s.Plan.Runs() {
		planned[id{Short(s.Plan.Cells[r.Cell].Hash), r.Seed}] = r
	}
	if s.index.adopted == nil {
		s.index.adopted = map[string]Adopted{}
	}
	for _, a := range runs {
		r, ok := planned[id{Short(a.Cell), a.Seed}]
		if !ok {
			continue
		}
		a.Key, a.Cell = r.Key, s.Plan.Cells[r.Cell].Hash
		if _, own := s.index.entries[a.Key]; !own {
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
