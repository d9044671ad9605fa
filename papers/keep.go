package papers

import "weft/config"

// Keep narrows the evaluation to some claims, and to the studies that these are of.
func (e *Evaluator) Keep(wanted func(*Claim) bool) {
	e.kept = map[string]bool{}
	e.needed = map[string]bool{}
	for i := range e.Claims {
		c := &e.Claims[i]
		if !wanted(c) {
			continue
		}
		e.kept[c.ID] = true
		for _, id := range e.studiesOf(c) {
			e.needed[id] = true
		}
	}
}

// studiesOf lists the studies that a claim's checks are of.
func (l *Ledger) studiesOf(c *Claim) []string {
	ids := []string{c.Study}
	add := func(list []Check) {
		for i := range list {
			ids = append(ids, list[i].Study)
			ids = append(ids, l.studiesOfTables(list[i].Table)...)
			if list[i].Theory != nil || list[i].Table != nil {
				continue
			}
			of, over, _ := list[i].sides()
			for _, n := range []*config.Node{of, over} {
				if v := n.Get(studyKey); v != nil {
					ids = append(ids, v.Text)
				}
			}
		}
	}
	add(c.Checks)
	for _, x := range c.Explanations {
		ids = append(ids, x.Study)
		add(x.Checks)
	}
	return ids
}

// studiesOfTables lists those that the check of a table is of.
func (l *Ledger) studiesOfTables(check *TableCheck) []string {
	var ids []string
	for _, t := range check.each() {
		if named, ok := l.TableNamed(t.Of); ok {
			for _, f := range named.Of.Fields {
				ids = append(ids, f.Value.Text)
			}
		}
		for _, r := range t.Instead {
			ids = append(ids, r.Study)
		}
	}
	return ids
}
