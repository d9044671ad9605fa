package papers

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"weft/config"
	"weft/internal/userfile"
	"weft/record"
	"weft/scenario"
	"weft/study"
	"weft/unit"
)

// Scales of a ledger.
const (
	Quick = "quick"
	Full  = "full"
)

// ScaleNames lists the scales.
func ScaleNames() []string { return []string{Quick, Full} }

// at returns what a scale changes.
func (s *Study) at(scale string) Scale {
	of := s.Quick
	if scale == Full {
		of = s.Full
	}
	if of == nil {
		return Scale{}
	}
	return *of
}

// Runs tells whether the study is run at a scale.
func (s *Study) Runs(scale string) bool { return s.executed() && !s.at(scale).Skip }

// executed tells whether there is anything to run for the study at all.
func (s *Study) executed() bool { return s.Scenario != "" || s.Analyze != nil }

// Sets returns what the study changes in its scenario at a scale, as --set takes it.
func (s *Study) Sets(scale string) ([]string, error) {
	fields, err := s.changes(scale)
	if err != nil {
		return nil, err
	}
	var sets []string
	for _, f := range fields {
		text, err := assignment(f)
		if err != nil {
			return nil, err
		}
		sets = append(sets, text)
	}
	return sets, nil
}

func assignment(f config.Field) (string, error) {
	text, err := f.Value.MarshalJSON()
	return f.Key + "=" + string(text), err
}

// changes lists what the study changes at a scale, with the places in the ledger.
func (s *Study) changes(scale string) ([]config.Field, error) {
	var all []config.Field
	add := func(n *config.Node) error {
		if n == nil || n.Kind == config.Null {
			return nil
		}
		if n.Kind != config.Mapping {
			return config.Problemf(n.Place, "set of study %q is a mapping of paths to values, as in {traffic.flows.size: 1MiB}, not %v", s.ID, n.Kind)
		}
		all = append(all, n.Fields...)
		return nil
	}
	of := s.at(scale)
	if err := add(s.Set); err != nil {
		return nil, err
	}
	if err := add(of.Set); err != nil {
		return nil, err
	}
	if of.Seeds != nil {
		all = append(all, config.Field{Key: "seeds", Place: of.Seeds.Place, Value: of.Seeds})
	}
	return append(all, s.over...), nil
}

// Stored is the name under which results of the study are kept and published: its id, with the
// reading that changes it, if any, as in fig13@window=pace.
func (s *Study) Stored() string {
	if s.reading == "" {
		return s.ID
	}
	return s.ID + "@" + s.reading
}

// runName is the name of the study's scenario, which can name a folder.
func (s *Study) runName(ledger, scale string) string {
	const most = 64
	name := fmt.Sprintf("%s %s %s", ledger, s.ID, scale)
	if s.reading == "" {
		return name
	}
	long := fmt.Sprintf("%s (%s)", name, strings.ReplaceAll(s.reading, ",", " "))
	if len(long) > most {
		return name
	}
	return long
}

// Planned is a study of a ledger at a scale.
type Planned struct {
	Study *Study
	Scale string
	*study.Plan
	// Groups are the names of the groups of traffic and of the classes of sizes that have
	// metrics.
	Groups []string
	// Sizes are where the classes of sizes begin, as with record.sizes, if they are the
	// same in all cells.
	Sizes []unit.Bytes
	// Sections are the names of those that summaries of some cell have.
	Sections []string
	// Recorded tells whether ports are recorded over time.
	Recorded bool

	// networks are scenarios of cells, one for each network with what is recorded of
	// it; only of studies with measures.
	networks []*scenario.Scenario
}

// StudyDir is the folder of a study, by the name under which it is stored, below the folder of the paper's results.
func StudyDir(out, scale, id string) string { return filepath.Join(out, scale, id) }

// Plan reads the scenario of a study and plans it at a scale. The program is what
// study.Program returned.
func (l *Ledger) Plan(s *Study, scale string, reg *scenario.Registry, program string) (*Planned, error) {
	path := filepath.Join(l.Dir, s.Scenario)
	fields, err := s.changes(scale)
	if err != nil {
		return nil, err
	}
	sets, err := s.Sets(scale)
	if err != nil {
		return nil, err
	}
	text, err := userfile.Read(path, config.MaxText)
	if err != nil {
		text = nil // Load tells what is wrong
	}
	given := scenario.Sets(sets...)
	for i, f := range fields {
		given[i].Given = f.Place
	}
	f, err := scenario.LoadOnly(path, reg, given, nil)
	if err != nil {
		return nil, inLedger(err)
	}
	if f.Path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	f.Name = s.runName(l.Name, scale)
	plan, err := study.NewPlan(f, text, sets, program)
	if err != nil {
		return nil, inLedger(err)
	}
	p := &Planned{Study: s, Scale: scale, Plan: plan}
	return p, p.look(f)
}

// look notes which groups of traffic cells have, and whether ports are recorded.
func (p *Planned) look(f *scenario.File) error {
	m, err := f.Matrix()
	if err != nil {
		return err
	}
	p.Recorded = true
	seen := map[string]bool{}
	if len(m.Cells) > 0 {
		p.Sizes = m.Cells[0].Record.Sizes
	}
	for _, c := range m.Cells {
		if !slices.Equal(p.Sizes, c.Record.Sizes) {
			p.Sizes = nil
		}
		if len(p.Study.Measures) > 0 {
			key, err := networkOf(c.Scenario)
			if err != nil {
				return err
			}
			if !seen[key] {
				seen[key], p.networks = true, append(p.networks, c.Scenario)
			}
		}
		p.Recorded = p.Recorded && len(c.Record.Ports) > 0
		p.Sections = append(p.Sections, c.Sections()...)
		for i := range len(c.Record.Sizes) + 1 {
			if name := record.SizeClass(i); len(c.Record.Sizes) > 0 && !slices.Contains(p.Groups, name) {
				p.Groups = append(p.Groups, name)
			}
		}
		names := c.GroupNames()
		for _, name := range names {
			if len(names) > 1 && !slices.Contains(p.Groups, name) {
				p.Groups = append(p.Groups, name)
			}
		}
	}
	return nil
}

// inLedger moves what is wrong with assignments to where the ledger has them.
func inLedger(err error) error {
	list, ok := err.(*config.Error)
	if !ok {
		return err
	}
	moved := &config.Error{More: list.More, Cut: list.Cut}
	for _, p := range list.Problems {
		if src := p.Place.Source; src != nil && src.Given.Source != nil {
			p.Place = src.Given
		}
		moved.Append(p.Err())
	}
	return moved.Err()
}
