package cli

import (
	"fmt"
	"slices"

	"weft/catalog"
	"weft/scenario"
	"weft/scenarios/data"
)

// workloadsKey is where a scenario names a published workload.
const workloadsKey = "traffic[].workload"

// workloads lists the published tables of message sizes.
func workloads() catalog.Roster {
	set := new(catalog.Set[string])
	for _, w := range data.Workloads() {
		about := fmt.Sprintf("%s; drawn by the rule %s", w.About, w.Rule)
		if w.Mean > 0 {
			about += fmt.Sprintf(", with a mean of %.0f bytes for loads", w.Mean)
		}
		entry := catalog.Define(w.Name, about, w.Source, func(struct{}) (string, error) { return w.Name, nil })
		if err := set.Add(entry.Alias(w.Aliases...)); err != nil {
			// The names are constants, which a test lists.
			panic(err)
		}
	}
	return set
}

// sections returns what lists show: the registry's sections, and the workloads.
func (p *program) sections() []scenario.Section {
	all := p.reg.Sections()
	at := 1 + slices.IndexFunc(all, func(s scenario.Section) bool { return s.Key == "traffic[].pattern" })
	return slices.Insert(all, at, scenario.Section{Title: "workloads", Key: workloadsKey, Entries: workloads()})
}
