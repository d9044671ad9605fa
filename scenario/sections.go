package scenario

import "weft/record/section/credits"

// Sections lists the sections that summaries of the scenario are meant to have, by name.
func (s *Spec) Sections() (names []string) {
	if s.Record.Credit {
		names = append(names, new(credits.Places).Name())
	}
	for _, f := range features() {
		if f.section == nil {
			continue
		}
		if one := f.section(s); one != nil {
			names = append(names, one.Name())
		}
	}
	return names
}
