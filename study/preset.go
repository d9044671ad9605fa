package study

import (
	"slices"

	"weft/record"
)

// Presets lists the presets of the plan's cells, as in "SIRD → sird nsdi25". If the levels
// of one axis determine the presets, it lists them by level. It is empty if there are none.
func (p *Plan) Presets() string {
	var list presets
	for _, c := range p.Cells {
		list.add(c.Name, c.Preset, c.Levels)
	}
	return list.text(p.Axes)
}

// PresetsNote lists the presets of a table's cells, as a paragraph below it.
func (t *Table) PresetsNote() string {
	var list presets
	for _, c := range t.Cells {
		list.add(c.Name, c.Preset, c.Levels)
	}
	if text := list.text(t.Axes); text != "" {
		return "\nPresets: " + text + "\n"
	}
	return ""
}

// presets collects the presets of cells.
type presets struct {
	names, of []string
	levels    [][]int
}

func (p *presets) add(name, preset string, levels []int) {
	p.names, p.of, p.levels = append(p.names, name), append(p.of, preset), append(p.levels, levels)
}

func (p *presets) text(axes []Axis) string {
	for i, a := range axes {
		byLevel := make([]string, len(a.Levels))
		seen := make([]bool, len(a.Levels))
		decides := true
		for c := range p.levels {
			l := p.levels[c][i]
			decides = decides && (!seen[l] || byLevel[l] == p.of[c])
			seen[l], byLevel[l] = true, p.of[c]
		}
		if decides && slices.Contains(seen, true) {
			return record.Presets(a.Levels, byLevel)
		}
	}
	return record.Presets(p.names, p.of)
}
