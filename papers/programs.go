package papers

import (
	"slices"

	"weft/record"
	"weft/study"
)

// Programs lists what the results were made by, without doubles.
func (e *Evaluator) Programs() ([]record.Program, error) {
	var list []record.Program
	if e.other != nil {
		var err error
		if list, err = e.other.Programs(); err != nil {
			return nil, err
		}
	}
	for i := range e.Studies {
		if a := e.Analyzed[e.Studies[i].ID]; a != nil {
			for j, by := range a.By {
				if a.Results[j] != nil && !slices.Contains(list, by) {
					list = append(list, by)
				}
			}
		}
	}
	for i := range e.Studies {
		opened := e.Opened[e.Studies[i].ID]
		if opened == nil {
			continue
		}
		own := false // of those one stands for all: to ask is to read a result
		for _, r := range opened.Plan.Runs() {
			if own && !adopted(opened, r) {
				continue
			}
			if entry, ok := opened.Entry(r); !ok || entry.Status != study.Done {
				continue
			}
			own = own || !adopted(opened, r)
			by, err := madeBy(opened, r)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(list, by) {
				list = append(list, by)
			}
		}
	}
	return list, nil
}

// madeBy returns the program that made the result of a run, with a short revision.
func madeBy(s *study.Study, r study.Run) (by record.Program, err error) {
	if a, elsewhere := s.Adopted(r); elsewhere {
		by = a.By
	} else {
		result, err := s.Result(r)
		if err != nil {
			return by, err
		}
		by = result.Manifest.Program
	}
	by.Revision = by.ShortRevision()
	return by, nil
}
