package scenario

// Sections lists by name the sections that summaries of the scenario should have.
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
