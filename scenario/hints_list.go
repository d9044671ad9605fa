package scenario

// hints notes settings that are allowed but seldom meant.
func (p *plan) hints(s *Spec) {
	p.noticeCircles(s, (*plan).refuseConflicts)
	p.hintNeeds(s)
	p.hintConnections(s)
	p.hintBursts(s)
	p.hintTimeouts(s)
	p.hintSilences(s)
	p.hintSizes(s)
	p.hintDeadPorts(s)
	p.hintRoutes(s)
	p.hintReserve(s)
	p.hintEnd(s)
	p.hintLoad()
	p.hintWindow(s)
	p.times.endless = p.openEnded(s)
	for _, f := range features() {
		if f.hint != nil {
			f.hint(p, s)
		}
	}
	p.hintChoices(s)
	p.hintCounts(s)
	p.hintAdvice(s)
}
