package page

import (
	"slices"
	"strings"
)

// expectedLoads are what links of the variants were expected to carry, in few words; none if that is different
// for many of them, as with an axis of loads.
func expectedLoads(variants []Variant) []string {
	var lines []string
	names := map[string][]string{}
	for _, v := range variants {
		if len(v.Runs) == 0 || v.Runs[0].summary.Load == nil {
			continue
		}
		line := v.Runs[0].summary.Load.String()
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		names[line] = append(names[line], v.Name)
	}
	if len(lines) > mostFabrics {
		return nil
	}
	for i, line := range lines {
		if len(lines) > 1 {
			lines[i] = strings.Join(names[line][:min(len(names[line]), mostFabrics)], ", ") + ": " + line
		}
	}
	return lines
}
