package scenario

// Sections lists the sections that summaries of the scenario are meant to have, by name.
func (s *Spec) Sections() (names []string) {
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
