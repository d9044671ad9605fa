package scenario

import (
	"weft/record/section"
	"weft/record/section/credits"
	"weft/record/section/deflection"
	paused "weft/record/section/pauses"
)

// Sections lists the sections that summaries of the scenario are meant to have, by name.
func (s *Spec) Sections() (names []string) {
	for _, one := range []struct {
		section section.Section
		asked   bool
	}{
		{new(credits.Places), s.Record.Credit},
		{new(paused.Sums), s.Fabric.PFC != nil},
		{new(deflection.Counts), s.Fabric.Deflect != nil},
	} {
		if one.asked {
			names = append(names, one.section.Name())
		}
	}
	return names
}
