package papers

import (
	"fmt"
	"slices"
	"strings"

	"weft/config"
	"weft/problem"
	"weft/record"
	"weft/scenario"
)

// measureAt is where the ledger has a key of a measure.
func (l *Ledger) measureAt(study, measure int, key string) config.Place {
	return l.places.At(fmt.Sprintf("studies[%d].measures[%d].%s", study, measure, key))
}

// checkMeasures finds measures that a study cannot have: of ports that are in none
// of its cells, or that are not recorded in any.
func (l *Ledger) checkMeasures(errs *config.Error, i int, p *Planned) {
	var networks []*scenario.Ports
	for _, s := range p.networks {
		ports, err := s.Ports()
		if err != nil {
			errs.Append(err)
			return
		}
		networks = append(networks, ports)
	}
	for j := range l.Studies[i].Measures {
		m := &l.Studies[i].Measures[j]
		at := l.measureAt(i, j, "name")
		if p.metricOfSummary(m.Name) {
			errs.Report(at, problem.New("%q is already the name of a metric", m.Name).Mend("rename the measure"))
		}
		if m.Series == record.Buffer || m.Series == record.Pace || m.Messages != "" {
			continue // which switches and connections are recorded, the run says
		}
		if m.Series != "" && !p.Recorded {
			errs.Report(at, problem.New("measure %q is of a series, but the scenario of study %q records none", m.Name, p.Study.ID).Mend("name ports under record: there"))
			continue
		}
		for k, pattern := range m.Ports {
			if err := m.unmatched(networks, pattern, nil); err != nil {
				errs.Add(l.measureAt(i, j, fmt.Sprintf("ports[%d]", k)), "measure %q: %w", m.Name, err)
			}
		}
		for k, pattern := range m.Part {
			if err := m.unmatched(networks, pattern, m.Ports); err != nil {
				errs.Add(l.measureAt(i, j, fmt.Sprintf("part[%d]", k)), "measure %q: part: %w", m.Name, err)
			}
		}
	}
}

// unmatched says why a pattern names no port of any network that the measure could
// be of; nil if it names one. If among is not nil, the port must also match one of its
// patterns.
func (m *Measure) unmatched(networks []*scenario.Ports, pattern string, among []string) error {
	exists, outside := false, false
	for _, n := range networks {
		for id, name := range n.Names {
			if !matches([]string{pattern}, name) {
				continue
			}
			exists = true
			if among != nil && !matches(among, name) {
				outside = true
				continue
			}
			if m.Series == "" || n.Recorded[id] {
				return nil
			}
		}
	}
	switch {
	case outside:
		return fmt.Errorf("%s is none of ports, %s", pattern, strings.Join(among, ", "))
	case exists:
		return problem.New("ports %s are in the scenario, but no series of them is recorded", pattern).Mend("name them under record: there")
	}
	for _, n := range slices.Backward(networks) {
		if err := n.Check(pattern); err != nil {
			return err
		}
	}
	return problem.New("no port of the scenario is called %s", pattern).Mend("write * for any characters and ? for one")
}

// networkOf tells networks apart, together with what is recorded of them.
func networkOf(s *scenario.Scenario) (string, error) {
	n, err := s.Resolved()
	if err != nil {
		return "", err
	}
	text, err := n.Get("topology").MarshalJSON()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s %q", text, s.Record.Ports), nil
}
