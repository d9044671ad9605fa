package study

import (
	"fmt"
	"io/fs"

	"weft/record"
)

// shortHash is the number of hexadecimal digits that suffice to compare hashes: 64 bits.
const shortHash = 16

// Short returns the first digits of the hash of a scenario or result. They suffice to
// compare runs from elsewhere.
func Short(hash string) string { return hash[:min(len(hash), shortHash)] }

// Adopted is a run that was executed elsewhere. Only its numbers are known.
type Adopted struct {
	// Entry is the run's entry in its index. Its hashes may be shortened; the plan supplies
	// the key.
	Entry
	// By is the program that executed the run.
	By record.Program
	// Known lists the imported metrics, including those without a number for this run; nil
	// means all.
	Known map[string]bool
}

// Knows reports whether a metric was imported.
func (a *Adopted) Knows(metric string) bool { return a.Known == nil || a.Known[metric] }

// result fails, since only the numbers of adopted runs are imported.
func (a *Adopted) result() error {
	return fmt.Errorf("%s, seed %d: its numbers are known, but its result is elsewhere: %w", a.Name, a.Seed, fs.ErrNotExist)
}

// Detached returns a study without a folder. It holds adopted runs only and cannot be executed.
func Detached(p *Plan) *Study {
	return &Study{Plan: p, index: newIndex("")}
}

// Adopt adds runs that match the plan by scenario and seed, and returns how many matched. Runs
// in the study's own store take precedence, and nothing is written to its folder. The caller
// decides whether runs of another program are acceptable.
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

// Adopted returns the adopted run behind a planned run.
func (s *Study) Adopted(r Run) (Adopted, bool) {
	a, ok := s.index.adopted[r.Key]
	return a, ok
}

// fill adds the entries of adopted runs.
func (x *index) fill() {
	for key, a := range x.adopted {
		x.entries[key] = a.Entry
	}
}
