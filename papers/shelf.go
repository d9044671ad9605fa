package papers

import "weft/study"

// shelf is what a ledger has published of all its studies at both scales: by study, and by
// what was run. Studies overlap, and a run is the same whichever of them it was executed for.
type shelf struct {
	tables map[tableKey]*Published
	runs   map[shelfKey][]shelved
}

type tableKey struct{ study, scale string }

type shelfKey struct {
	cell string // hash of the scenario
	seed uint64
}

// shelved is a run with all that is published of its study.
type shelved struct {
	run study.Adopted
	of  *Published
}

// shelve reads what is published of all studies.
func (l *Ledger) shelve() (*shelf, error) {
	all := &shelf{map[tableKey]*Published{}, map[shelfKey][]shelved{}}
	for i := range l.Studies {
		s := &l.Studies[i]
		if !s.executed() || s.Analyze != nil {
			continue
		}
		for _, scale := range ScaleNames() {
			p, err := l.PublishedRuns(&Planned{Study: s, Scale: scale})
			if err != nil {
				return nil, err
			}
			if p == nil {
				continue
			}
			all.tables[tableKey{s.ID, scale}] = p
			for _, a := range p.Runs {
				key := shelfKey{a.Cell, a.Seed}
				all.runs[key] = append(all.runs[key], shelved{a, p})
			}
		}
	}
	return all, nil
}

// table is what is published of a study, nil if nothing is.
func (all *shelf) table(p *Planned) *Published { return all.tables[tableKey{p.Study.ID, p.Scale}] }

// lend returns the runs of a study that are published with others only, nil if there are
// none. They have the study's measures as the ledger defines them now.
func (all *shelf) lend(p *Planned) *Published {
	own := all.table(p)
	has := map[shelfKey]bool{}
	if own != nil && own.of(p.Study) {
		for i := range own.Runs {
			has[shelfKey{own.Runs[i].Cell, own.Runs[i].Seed}] = true
		}
	}
	var lent *Published
	for _, r := range p.Plan.Runs() {
		cell := &p.Plan.Cells[r.Cell]
		key := shelfKey{cell.Hash, r.Seed}
		if has[key] {
			continue
		}
		s, ok := newest(all.runs[key], p.Study)
		if !ok {
			continue
		}
		if lent == nil {
			lent = &Published{measures: s.of.measures}
		}
		a := s.run
		a.Name = cell.Name
		lent.Runs = append(lent.Runs, a)
	}
	return lent
}

// newest returns one of equal runs that has a study's measures, if possible not of an older
// revision of results.
func newest(list []shelved, of *Study) (found shelved, ok bool) {
	for _, s := range list {
		if s.of.of(of) && (!ok || study.Outdated(found.run.Program)) {
			found, ok = s, true
		}
	}
	return found, ok
}
