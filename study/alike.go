package study

import "slices"

// Alike are levels of an axis between which nothing changed.
type Alike struct {
	// Axis is the axis's name, Levels those that had the same results.
	Axis   string
	Levels []string
}

// Alike lists levels whose runs had the same result hash in every cell and with every
// seed, as far as all of these ended: what they set made no difference.
func (s *Study) Alike() (list []Alike) {
	p := s.Plan
	hashes := make([][]string, len(p.Cells)) // nil where a run is missing
	for i := range p.Cells {
		for _, seed := range p.Seeds {
			e, ok := s.index.entries[p.run(i, seed).Key]
			if !ok || e.Status != Done || e.Hash == "" {
				hashes[i] = nil
				break
			}
			hashes[i] = append(hashes[i], e.Hash)
		}
	}
	for a, axis := range p.Axes {
		taken := make([]bool, len(axis.Levels))
		for l := range axis.Levels {
			if taken[l] {
				continue
			}
			group := []string{axis.Levels[l]}
			for m := l + 1; m < len(axis.Levels); m++ {
				if !taken[m] && p.alike(a, l, m, hashes) {
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

// alike tells whether the cells at two levels of an axis have the same hashes wherever
// they differ in nothing else, and whether there are any.
func (p *Plan) alike(axis, l, m int, hashes [][]string) bool {
	met := false
	for i := range p.Cells {
		if p.Cells[i].Levels[axis] != l || hashes[i] == nil {
			continue
		}
		other := slices.Clone(p.Cells[i].Levels)
		other[axis] = m
		j := slices.IndexFunc(p.Cells, func(c PlannedCell) bool { return slices.Equal(c.Levels, other) })
		if j < 0 || hashes[j] == nil {
			continue
		}
		if !slices.Equal(hashes[i], hashes[j]) {
			return false
		}
		met = true
	}
	return met
}
