package record

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// PresetText describes the presets of a run: one preset if all groups that have any use the same,
// otherwise each group's.
func PresetText(byGroup map[string]string) string {
	groups := slices.Sorted(maps.Keys(byGroup))
	var words []string
	for _, group := range groups {
		if byGroup[group] != byGroup[groups[0]] {
			words = nil
			for _, group := range groups {
				words = append(words, group+" "+byGroup[group])
			}
			break
		}
		words = []string{byGroup[group]}
	}
	return strings.Join(words, ", ")
}

// Presets lists the presets of runs, or of other named things, as in "SIRD → sird nsdi25; Homa →
// homa sird". Those without a preset are left out. A preset that all share is given without
// names.
func Presets(names, presets []string) string {
	var order []string
	having := map[string][]string{}
	for i, preset := range presets {
		if preset == "" {
			continue
		}
		if having[preset] == nil {
			order = append(order, preset)
		}
		having[preset] = append(having[preset], names[i])
	}
	if len(order) == 1 && len(having[order[0]]) == len(names) {
		return order[0]
	}
	const most = 6 // names, for readability
	var words []string
	for _, preset := range order {
		list := having[preset]
		if n := len(list); n > most {
			list = append(slices.Clone(list[:most-1]), fmt.Sprintf("%d more", n-most+1))
		}
		words = append(words, strings.Join(list, " / ")+" → "+preset)
	}
	return strings.Join(words, "; ")
}
