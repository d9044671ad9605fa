package record

import (
	"slices"
	"testing"

	"weft/record/section"
)

// Sections are called differently, also by numbers, and each that is shown on pages is a number.
func TestSections(t *testing.T) {
	var names, metrics []string
	for i := range kinds {
		k := &kinds[i]
		own := k.New().Metrics(Drops{})
		names = append(names, k.Name())
		for _, m := range own {
			metrics = append(metrics, m.Name)
		}
		for _, h := range k.Highlights {
			if !slices.ContainsFunc(own, func(m Metric) bool { return m.Name == h.Metric }) {
				t.Errorf("%s shows %s, which it does not have", k.Name(), h.Metric)
			}
		}
	}
	for _, list := range [][]string{names, metrics} {
		slices.Sort(list)
		if unique := slices.Compact(slices.Clone(list)); len(unique) != len(list) {
			t.Errorf("some are there twice: %q", list)
		}
	}
}

// A run without a section has none of its metrics, and the metrics that are known are those of all.
func TestMetricsOfSections(t *testing.T) {
	has := func(list []Metric, of section.Section) bool {
		name := of.Metrics(Drops{})[0].Name
		return slices.ContainsFunc(list, func(m Metric) bool { return m.Name == name })
	}
	for i := range kinds {
		own := kinds[i].New()
		if len(own.Metrics(Drops{})) == 0 {
			continue
		}
		with, without := Summary{Sections: section.Set{own}}, Summary{}
		if !has(with.Metrics(), own) || has(without.Metrics(), own) || !has(KnownMetrics(), own) {
			t.Errorf("%s: metrics of a run with it: %v, of one without: %v, known: %v", own.Name(), has(with.Metrics(), own), has(without.Metrics(), own), has(KnownMetrics(), own))
		}
	}
}
