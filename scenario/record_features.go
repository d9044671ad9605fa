package scenario

import (
	"weft/problem"
	"weft/record/section"
	"weft/record/section/credits"
)

// creditPlacesFeature records where the credit of receiver-driven transports is at each
// time.
var creditPlacesFeature = feature{
	name:   "record.credit",
	settle: func(p *plan, s *Spec) { p.records.Credit = s.Record.Credit },
	section: func(s *Spec) section.Section {
		if !s.Record.Credit {
			return nil
		}
		return new(credits.Places)
	},
}

// reactionFeature records how the rates of connections react to an event. Its section has
// no metrics for studies.
var reactionFeature = feature{
	name: "record.reaction_to",
	check: func(v *validation, _ []carrier) {
		if r := &v.s.Record; r.Reaction != nil && len(r.Windows) == 0 {
			v.wrong("record.reaction_to", problem.New("reaction_to is about the connections that record.windows names, and there are none").Mend("write windows: [\"*->*\"] beside it, or remove this").Due("record.windows"))
		}
	},
	settle: func(p *plan, s *Spec) { p.records.Reaction = s.Record.Reaction },
}
