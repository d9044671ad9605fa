package record

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"weft/record/section"
	"weft/record/section/convergence"
	"weft/record/section/credits"
	"weft/record/section/deflection"
	"weft/record/section/detours"
	"weft/record/section/jobs"
	"weft/record/section/lateness"
	"weft/record/section/pauses"
	"weft/record/section/reactions"
)

// kinds lists the sections that a summary can have, in the order of their metrics. Their orders
// in summary.json and on pages differ for historical reasons, and stay as readers know them.
var kinds = []known{
	{credits.PlacesKind(), 1, 6},
	{credits.PacketsKind(), 2, 4},
	{pauses.Kind(), 3, 1},
	{deflection.Kind(), 5, 2},
	{detours.Kind(), 4, 3},
	{reactions.Kind(), 6, 5},
	{lateness.Kind(), 7, 7},
	{convergence.Kind(), 8, 8},
	{jobs.Kind(), 9, 0},
}

// known is a section that a summary can have, with its positions in the file and on pages.
type known struct {
	section.Kind
	inFile, onPage int
}

// SectionNames lists the names of the sections that a summary can have, in the order of their
// metrics.
func SectionNames() (names []string) {
	for i := range kinds {
		names = append(names, kinds[i].Name())
	}
	return names
}

// Highlights lists the sections' highlights in the order of pages.
func Highlights() (list []section.Highlight) {
	inOrder := slices.Clone(kinds)
	slices.SortFunc(inOrder, func(a, b known) int { return cmp.Compare(a.onPage, b.onPage) })
	for _, k := range inOrder {
		list = append(list, k.Highlights...)
	}
	return list
}

// LeadingMetrics lists the metrics of sections that tables and figures of studies begin with.
func LeadingMetrics() (list []string) {
	for i := range kinds {
		list = append(list, kinds[i].Leading...)
	}
	return list
}

// EmptySections returns empty sections with the given names. Their metrics have the same names as
// in runs.
func EmptySections(names ...string) (set section.Set) {
	for i := range kinds {
		if slices.Contains(names, kinds[i].Name()) {
			set = append(set, kinds[i].New())
		}
	}
	return set
}

func (s *Summary) sectionMetrics() (list []Metric) {
	for i := range kinds {
		if own := s.Sections.Get(kinds[i].Name()); own != nil {
			list = append(list, own.Metrics(s.Drops)...)
		}
	}
	return list
}

// sectionsOfGroup returns what sections have of a group of traffic.
func (s *Summary) sectionsOfGroup(group string) (list []Metric) {
	for i := range kinds {
		own, ok := s.Sections.Get(kinds[i].Name()).(section.Grouped)
		if !ok {
			continue
		}
		for _, m := range own.GroupMetrics(group) {
			m.Name, m.Group = group+"."+m.Name, group
			list = append(list, m)
		}
	}
	return list
}

// sectionKeys is a struct type with a key for each section. The standard encoding reads and
// writes it, so that errors name the place in the section.
var sectionKeys = func() reflect.Type {
	inOrder := slices.Clone(kinds)
	slices.SortFunc(inOrder, func(a, b known) int { return cmp.Compare(a.inFile, b.inFile) })
	var fields []reflect.StructField
	for i, k := range inOrder {
		fields = append(fields, reflect.StructField{
			Name: fmt.Sprint("Section", i), Type: reflect.TypeOf(k.New()),
			Tag: reflect.StructTag(fmt.Sprintf(`json:"%s,omitempty"`, k.Name())),
		})
	}
	return reflect.StructOf(fields)
}()

// keyed returns a pointer to a struct of type sectionKeys with the sections in a set.
func keyed(set section.Set) reflect.Value {
	keys := reflect.New(sectionKeys)
	for _, s := range set {
		v := reflect.ValueOf(s)
		for i := range sectionKeys.NumField() {
			if sectionKeys.Field(i).Type == v.Type() {
				keys.Elem().Field(i).Set(v)
			}
		}
	}
	return keys
}

// sectionsOf is the inverse of keyed.
func sectionsOf(keys reflect.Value) (set section.Set) {
	for i := range sectionKeys.NumField() {
		if f := keys.Elem().Field(i); !f.IsNil() {
			set = append(set, f.Interface().(section.Section))
		}
	}
	return set
}
