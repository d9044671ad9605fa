package reading

import (
	"slices"
	"strings"

	"weft/config"
	"weft/papers"
)

// firstReading is the name of the first reading.
const firstReading = "first"

// Reading is one reading of a paper.
type Reading struct {
	// Name is First, SETTING=VALUE, or the name of a combination.
	Name string `json:"name"`
	// About is what it is, and Source what makes its value admissible, empty for combinations.
	About  string `json:"about"`
	Source string `json:"source,omitempty"`
	Why    string `json:"why,omitempty"`

	// choices are the values that are not first, in the order of the settings.
	choices []choice
}

// choice is a value of a setting, by their places in the file.
type choice struct{ setting, value int }

// enumerate lists the readings.
func (f *File) enumerate() {
	f.readings = []Reading{{Name: firstReading, About: "as published"}}
	for i, s := range f.Settings {
		for j, v := range s.Values {
			if !v.First {
				f.readings = append(f.readings, Reading{Name: s.ID + "=" + v.Is, About: s.About, Source: v.Source, Why: v.Why, choices: []choice{{i, j}}})
			}
		}
	}
	for _, c := range f.Combinations {
		r := Reading{Name: c.ID, Why: c.Why}
		var words []string
		for i, s := range f.Settings {
			n := c.With.Get(s.ID)
			if n == nil {
				continue
			}
			j := slices.IndexFunc(s.Values, func(v value) bool { return v.Is == n.Text })
			r.choices = append(r.choices, choice{i, j})
			words = append(words, s.ID+"="+n.Text)
		}
		r.About = strings.Join(words, ", ")
		f.readings = append(f.readings, r)
	}
}

// Written tells whether the ledger has the file.
func (f *File) Written() bool { return f.Version > 0 }

// Readings lists the readings, the first one before all others.
func (f *File) Readings() []Reading { return f.readings }

// Setting describes an open setting of a paper.
type Setting struct {
	ID    string `json:"id"`
	About string `json:"about"`
	// First is the value of the first reading, with its source and reason.
	First  string `json:"first"`
	Source string `json:"source"`
	Why    string `json:"why"`
}

// OpenSettings lists the open settings with the values of the first reading.
func (f *File) OpenSettings() []Setting {
	var list []Setting
	for _, s := range f.Settings {
		v := s.Values[slices.IndexFunc(s.Values, func(v value) bool { return v.First })]
		list = append(list, Setting{s.ID, s.About, v.Is, v.Source, v.Why})
	}
	return list
}

// changes is what a reading changes in studies of a scale. Results are kept under the choices that
// concern the study, so that readings which do not differ in it share runs.
func (f *File) changes(r *Reading, scale string) map[string]papers.Change {
	all := map[string]papers.Change{}
	for _, of := range f.Studies {
		at := of.Quick
		if scale == papers.Full {
			at = of.Full
		}
		own, ok := f.ledger.Study(of.ID)
		if !ok || at.Skip || !own.Runs(scale) {
			continue
		}
		var set []config.Field
		var names []string
		for _, c := range r.choices {
			s := &f.Settings[c.setting]
			if !slices.Contains(of.Settings, s.ID) {
				continue
			}
			v := &s.Values[c.value]
			before := len(set)
			for _, n := range []*config.Node{v.Set, v.In.Get(of.ID)} {
				if n != nil {
					set = append(set, n.Fields...)
				}
			}
			if len(set) > before {
				names = append(names, s.ID+"="+v.Is)
			}
		}
		if len(names) == 0 {
			continue
		}
		if at.Seeds != nil {
			set = append(set, config.Field{Key: "seeds", Place: at.Seeds.Place, Value: at.Seeds})
		}
		all[of.ID] = papers.Change{Reading: strings.Join(names, ","), Set: set}
	}
	return all
}

// Under returns the ledger by a reading at a scale, and the ids of the claims that it bears on.
func (f *File) Under(r *Reading, scale string) (l *papers.Ledger, claims []string) {
	return f.ledger.Under(f.changes(r, scale))
}

// StudiesOf lists the ids of the studies that a reading changes at a scale.
func (f *File) StudiesOf(r *Reading, scale string) []string {
	changes := f.changes(r, scale)
	var ids []string
	for _, s := range f.Studies {
		if changes[s.ID].Reading != "" {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
