package papers

import (
	"slices"

	"weft/config"
)

// Change is what another reading of the paper changes in a study.
type Change struct {
	// Reading is the name under which results are kept and published, beside those of the ledger.
	Reading string
	// Set is made of paths and values, and comes after all that the ledger changes in the study.
	Set []config.Field
}

// Under returns the ledger with changes of some studies, by id, and without explanations. Studies that no
// claim about a changed study needs are not run. Of lists the ids of these claims.
func (l *Ledger) Under(changes map[string]Change) (under *Ledger, of []string) {
	copied := *l
	under = &copied
	under.Studies, under.Claims = slices.Clone(l.Studies), slices.Clone(l.Claims)
	needed := map[string]bool{}
	for i := range under.Claims {
		c := &under.Claims[i]
		c.Explanations = nil
		ids := under.studiesOf(c)
		changed := func(id string) bool { return changes[id].Reading != "" }
		if !c.Simulable() || !slices.ContainsFunc(ids, changed) {
			continue
		}
		of = append(of, c.ID)
		for _, id := range ids {
			needed[id] = true
		}
	}
	for i := range under.Studies {
		s := &under.Studies[i]
		s.Draw = nil
		switch c := changes[s.ID]; {
		case c.Reading != "":
			s.reading, s.over = c.Reading, c.Set
		case !needed[s.ID]:
			s.Quick, s.Full = &Scale{Skip: true}, &Scale{Skip: true}
		}
	}
	return under, of
}
