package papers

import (
	"fmt"
	"slices"
	"strings"

	"weft/config"
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
			errs.Add(at, "%q is already the name of a metric; rename the measure", m.Name)
		}
		if m.Series == record.Buffer || m.Series == record.Pace || m.Messages != "" {
			continue // which switches and connections are recorded, the run says
		}
		if m.Series != "" && !p.Recorded {
			errs.Add(at, "measure %q is of a series, but the scenario of study %q records none; name ports under record: there", m.Name, p.Study.ID)
			continue
		}
		for k, pattern := range m.Ports {
			if why := m.unmatched(networks, pattern, nil); why != "" {
				errs.Add(l.measureAt(i, j, fmt.Sprintf("ports[%d]", k)), "measure %q: %s", m.Name, why)
			}
		}
		for k, pattern := range m.Part {
			if why := m.unmatched(networks, pattern, m.Ports); why != "" {
				errs.Add(l.measureAt(i, j, fmt.Sprintf("part[%d]", k)), "measure %q: part: %s", m.Name, why)
			}
		}
	}
}

// unmatched says why a pattern names no port of any network that the measure could
// be of; empty if it names one. Among, if there are any, are the patterns of which
// the port must also fit one.
func (m *Measure) unmatched(networks []*scenario.Ports, pattern string, among []string) string {
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
				return ""
			}
		}
	}
	switch {
	case outside:
		return fmt.Sprintf("%s is none of ports, %s", pattern, strings.Join(among, ", "))
	case exists:
		return fmt.Sprintf("ports %s are in the scenario, but no series of them is recorded; name them under record: there", pattern)
	}
	for _, n := range slices.Backward(networks) {
		if err := n.Check(pattern); err != nil {
			return err.Error()
		}
	}
	return fmt.Sprintf("no port of the scenario is called %s; write * for any characters and ? for one", pattern)
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
