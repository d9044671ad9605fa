package study

import "testing"

// TestPresetsByAxis has presets that the variants decide on, another axis, or none alone.
func TestPresetsByAxis(t *testing.T) {
	axes := []Axis{{Name: "variant", Levels: []string{"A", "B"}}, {Name: "preset", Levels: []string{"p", "q"}}}
	for _, c := range []struct{ of, want string }{
		{"xxyy", "Presets: A → x; B → y"},
		{"xyxy", "Presets: p → x; q → y"},
		{"xxxx", "Presets: x"},
		{"xx  ", "Presets: A → x"},
		{"xyyy", "Presets: A p → x; A q / B p / B q → y"},
		{"    ", ""},
	} {
		table := Table{Axes: axes}
		for i, preset := range c.of {
			cell := Cell{Name: axes[0].Levels[i/2] + " " + axes[1].Levels[i%2], Levels: []int{i / 2, i % 2}}
			if preset != ' ' {
				cell.Preset = string(preset)
			}
			table.Cells = append(table.Cells, cell)
		}
		want := c.want
		if want != "" {
			want = "\n" + want + "\n"
		}
		if got := table.PresetsNote(); got != want {
			t.Errorf("%s: %q, want %q", c.of, got, want)
		}
	}
}
