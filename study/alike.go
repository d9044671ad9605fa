package study

import (
	"fmt"
	"slices"
)

// Alike is a set of levels of an axis that made no difference.
type Alike struct {
	// Axis is the name of the axis. Levels are the levels with the same results.
	Axis   string
	Levels []string
}

// Alike lists levels that made no difference: in every cell and with every seed, their runs
// have the same result hash. Cells with missing runs do not count.
func (s *Study) Alike() (list []Alike) {
	p := s.Plan
	results := make([]string, len(p.Cells)) // empty where a run is missing
	for i := range p.Cells {
		results[i] = s.hashes(i)
	}
	for a, axis := range p.Axes {
		levels := make([]map[string]string, len(axis.Levels)) // results by the levels of the other axes
		equal := map[[2]string][]int{}                        // levels by the other axes' levels and the result
		for i, c := range p.Cells {
			if results[i] == "" {
				continue
			}
			l, others := c.Levels[a], fmt.Sprint(slices.Delete(slices.Clone(c.Levels), a, a+1))
			if levels[l] == nil {
				levels[l] = map[string]string{}
			}
			levels[l][others] = results[i]
			key := [2]string{others, results[i]}
			equal[key] = append(equal[key], l)
		}
		taken := make([]bool, len(axis.Levels))
		for l := range axis.Levels {
			if taken[l] {
				continue
			}
			var near []int // levels that share a result with this one
			for others, result := range levels[l] {
				near = append(near, equal[[2]string{others, result}]...)
			}
			slices.Sort(near)
			group := []string{axis.Levels[l]}
			for _, m := range slices.Compact(near) {
				if m > l && !taken[m] && agree(levels[l], levels[m]) {
					taken[m] = true
					group = append(group, axis.Levels[m])
				}
			}
			if len(group) > 1 {
				list = append(list, Alike{axis.Name, group})
			}
		}
	}
	return list
}

// hashes returns the result hashes of a cell's runs, joined. It returns "" if a run is
// missing.
func (s *Study) hashes(cell int) (all string) {
	for _, seed := range s.Plan.Seeds {
		e, ok := s.index.entries[s.Plan.run(cell, seed).Key]
		if !ok || e.Status != Done || e.Hash == "" {
			return ""
		}
		all += e.Hash
	}
	return all
}

// agree reports whether two levels have the same results wherever both have results.
func agree(a, b map[string]string) bool {
	for others, result := range a {
		if r, ok := b[others]; ok && r != result {
			return false
		}
	}
	return true
}
