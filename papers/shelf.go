package papers

import "weft/study"

// shelf is what a ledger has published of all its studies at both scales: by study, and by
// what was run. Studies overlap, and a run is the same whichever of them it was executed for.
type shelf struct {
	tables map[tableKey]*Published
	runs   map[shelfKey][]shelved
	// reads are the metrics that the ledger reads of each study.
	reads map[string]map[string]bool
}

// read puts what is published of a study on the shelf.
func (all *shelf) read(l *Ledger, s *Study, scale string) error {
	p, err := l.PublishedRuns(&Planned{Study: s, Scale: scale})
	if err != nil || p == nil {
		return err
	}
	all.tables[tableKey{s.Stored(), scale}] = p
	for _, a := range p.Runs {
		key := shelfKey{study.Short(a.Cell), a.Seed}
		all.runs[key] = append(all.runs[key], shelved{a, p})
	}
	return nil
}

type tableKey struct{ study, scale string }

type shelfKey struct {
	cell string // short hash of the scenario
	seed uint64
}

// shelved is a run with all that is published of its study.
type shelved struct {
	run study.Adopted
	of  *Published
}

// shelve reads what is published of all studies.
func (l *Ledger) shelve() (*shelf, error) {
	all := &shelf{map[tableKey]*Published{}, map[shelfKey][]shelved{}, l.metricsRead()}
	for i := range l.Studies {
		s := &l.Studies[i]
		if !s.executed() || s.Analyze != nil {
			continue
		}
		for _, scale := range ScaleNames() {
			if err := all.read(l, s, scale); err != nil {
				return nil, err
			}
			if s.reading == "" {
				continue
			}
			// What a reading leaves as it is was published with the ledger's own study.
			own := *s
			own.reading = ""
			if err := all.read(l, &own, scale); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// table is what is published of a study, nil if nothing is.
func (all *shelf) table(p *Planned) *Published {
	return all.tables[tableKey{p.Study.Stored(), p.Scale}]
}

// lend returns the runs of a study that are published with others only, nil if there are
// none. They have the study's measures as the ledger defines them now, and the metrics that it
// reads of the study.
func (all *shelf) lend(p *Planned) *Published {
	own := all.table(p)
	has := map[shelfKey]bool{}
	if own != nil && own.of(p.Study) {
		for i := range own.Runs {
			has[shelfKey{study.Short(own.Runs[i].Cell), own.Runs[i].Seed}] = true
		}
	}
	var lent *Published
	for _, r := range p.Plan.Runs() {
		cell := &p.Plan.Cells[r.Cell]
		key := shelfKey{study.Short(cell.Hash), r.Seed}
		if has[key] {
			continue
		}
		s, ok := newest(all.runs[key], p.Study, all.reads[p.Study.ID])
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

// newest returns one of equal runs that has a study's measures and these metrics, if possible
// not of an older revision of results.
func newest(list []shelved, of *Study, metrics map[string]bool) (found shelved, ok bool) {
	for _, s := range list {
		if s.of.of(of) && knows(&s.run, metrics) && (!ok || study.Outdated(found.run.Program)) {
			found, ok = s, true
		}
	}
	return found, ok
}
