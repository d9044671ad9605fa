package cli

import (
	"fmt"

	"weft/catalog"
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
