package reading

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weft/config"
	"weft/internal/nearest"
	"weft/papers"
	"weft/problem"
)

// validName is what settings, values and combinations can be called: part of the name of a file.
var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// checker collects what is wrong with a file.
type checker struct {
	*File
	errs *config.Error
}

func (f *File) check(errs *config.Error) {
	c := checker{f, errs}
	c.settings()
	c.combinations()
	c.studies()
	for i, m := range f.Mechanism {
		if pkg, test, ok := strings.Cut(m.Test, "."); !ok || pkg == "" || !strings.HasPrefix(test, "Test") {
			errs.Report(f.at("mechanism[%d].test", i), problem.New("%q is not the name of a test", m.Test).Mend("write its package and name, as in protocol/dart.TestShares"))
		}
	}
	if errs.Err() == nil { // expectations name readings
		f.enumerate()
		c.claims()
	}
}

func (f *File) at(format string, args ...any) config.Place {
	return f.places.At(fmt.Sprintf(format, args...))
}

// once reports a name that is malformed or taken.
func (c checker) once(seen map[string]bool, what, name string, at config.Place) {
	switch {
	case !validName.MatchString(name):
		c.errs.Report(at, problem.New("%q cannot be the name of a %s", name, what).Mend("use lower-case letters, digits, dots and dashes"))
	case seen[name]:
		c.errs.Report(at, problem.New("another %s is already called %q", what, name).Mend("choose another name"))
	}
	seen[name] = true
}

func (c checker) unknown(at config.Place, what, name string, known []string) {
	remedy := "there is none"
	if len(known) > 0 {
		remedy = nearest.Remedy(name, "known:", known)
	}
	c.errs.Report(at, problem.New("there is no %s %q", what, name).Mend("%s", remedy))
}

func (c checker) settings() {
	seen := map[string]bool{firstReading: true}
	for i, s := range c.Settings {
		c.once(seen, "setting", s.ID, c.at("settings[%d].id", i))
		values, first := map[string]bool{}, 0
		for j, v := range s.Values {
			at := func(key string) config.Place { return c.at("settings[%d].values[%d].%s", i, j, key) }
			c.once(values, "value", v.Is, at("is"))
			fields := len(c.mapping(v.Set, "set"))
			for _, f := range c.mapping(v.In, "in") {
				fields += len(c.mapping(f.Value, f.Key))
				if _, ok := c.concerns(f.Key); !ok {
					c.unknown(f.Place, "study under studies:", f.Key, c.studyIDs())
				}
			}
			switch {
			case v.First:
				first++
				if fields > 0 {
					c.errs.Report(at("set"), problem.New("the first value of setting %q changes something", s.ID).Mend("the first reading is what the ledger runs; leave out set and in"))
				}
			case fields == 0:
				c.errs.Report(at("is"), problem.New("value %q of setting %q changes nothing", v.Is, s.ID).Mend("write set, or in for single studies"))
			}
		}
		if first != 1 || len(s.Values) < 2 {
			c.errs.Report(c.at("settings[%d].values", i), problem.New("setting %q has %d values, %d of them first", s.ID, len(s.Values), first).Mend("give two or more, and mark the ledger's own with first: true"))
		}
	}
}

// mapping returns the fields of a mapping, and reports what is none.
func (c checker) mapping(n *config.Node, what string) []config.Field {
	if n == nil || n.Kind == config.Null {
		return nil
	}
	if n.Kind != config.Mapping {
		c.errs.Report(n.Place, problem.New("%s is %v", what, n.Kind).Mend("write a mapping"))
		return nil
	}
	return n.Fields
}

func (c checker) combinations() {
	seen := map[string]bool{firstReading: true}
	for i, b := range c.Combinations {
		c.once(seen, "combination", b.ID, c.at("combinations[%d].id", i))
		fields := c.mapping(b.With, "with")
		if len(fields) < 2 {
			c.errs.Report(c.at("combinations[%d].with", i), problem.New("combination %q changes %d settings", b.ID, len(fields)).Mend("a reading of one setting needs no combination; name two or more"))
		}
		for _, f := range fields {
			s := slices.IndexFunc(c.Settings, func(s setting) bool { return s.ID == f.Key })
			if s < 0 {
				c.unknown(f.Place, "setting", f.Key, c.settingIDs())
				continue
			}
			var values []string
			for _, v := range c.Settings[s].Values {
				if !v.First {
					values = append(values, v.Is)
				}
			}
			if !slices.Contains(values, f.Value.Text) {
				c.unknown(f.Value.Place, "further value of setting "+f.Key, f.Value.Text, values)
			}
		}
	}
}

func (c checker) studies() {
	seen := map[string]bool{}
	for i, s := range c.Studies {
		at := c.at("studies[%d].id", i)
		if own, ok := c.ledger.Study(s.ID); !ok || own.Scenario == "" {
			c.unknown(at, "study of a scenario", s.ID, c.ledger.StudyIDs())
		}
		if seen[s.ID] {
			c.errs.Report(at, problem.New("study %q is there twice", s.ID).Mend("join the two"))
		}
		seen[s.ID] = true
		for j, id := range s.Settings {
			if !slices.Contains(c.settingIDs(), id) {
				c.unknown(c.at("studies[%d].settings[%d]", i, j), "setting", id, c.settingIDs())
			}
		}
	}
}

func (c checker) claims() {
	var ids []string
	for _, l := range c.ledger.Claims {
		ids = append(ids, l.ID)
	}
	var names []string
	for _, r := range c.readings {
		names = append(names, r.Name)
	}
	seen := map[string]bool{}
	for i := range c.Claims {
		own := &c.Claims[i]
		k := slices.Index(ids, own.ID)
		switch {
		case k < 0:
			c.unknown(c.at("claims[%d].id", i), "claim", own.ID, ids)
			continue
		case seen[own.ID]:
			c.errs.Report(c.at("claims[%d].id", i), problem.New("claim %q is there twice", own.ID).Mend("join the two"))
		}
		seen[own.ID] = true
		checks := checkNames(&c.ledger.Claims[k])
		if own.Headline != "" && !slices.Contains(checks, own.Headline) {
			c.unknown(c.at("claims[%d].headline", i), "named check of claim "+own.ID, own.Headline, checks)
		}
		for _, f := range c.mapping(own.Expects, "expects") {
			if !slices.Contains(names, f.Key) {
				c.unknown(f.Place, "reading", f.Key, names)
			}
			if f.Value.Text != expectHolds && f.Value.Text != expectFails {
				c.errs.Report(f.Value.Place, problem.New("%q is not an expectation", f.Value.Text).Mend("write %s or %s", expectHolds, expectFails))
			}
		}
	}
}

// checkNames lists the names of the checks of a claim.
func checkNames(c *papers.Claim) []string {
	var names []string
	for i := range c.Checks {
		if c.Checks[i].Name != "" {
			names = append(names, c.Checks[i].Name)
		}
	}
	return names
}

func (f *File) settingIDs() []string {
	var ids []string
	for _, s := range f.Settings {
		ids = append(ids, s.ID)
	}
	return ids
}

func (f *File) studyIDs() []string {
	var ids []string
	for _, s := range f.Studies {
		ids = append(ids, s.ID)
	}
	return ids
}

// concerns finds what the file says about a study.
func (f *File) concerns(study string) (*concerned, bool) {
	i := slices.IndexFunc(f.Studies, func(s concerned) bool { return s.ID == study })
	if i < 0 {
		return nil, false
	}
	return &f.Studies[i], true
}
