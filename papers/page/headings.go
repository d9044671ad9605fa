package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/papers"
)

// heading is under which figures stand.
type heading struct {
	text string
	// number is the number of the paper's figure, which orders the headings; unnumbered if there is
	// none.
	number int
}

// unnumbered puts headings behind all that have a number.
const unnumbered = 1 << 30

// headingOf is under which a figure of a study stands.
func headingOf(s *papers.Study, d *papers.Draw) heading {
	switch of := cmp.Or(d.Figure, s.Figure); {
	case of != "" && strings.HasPrefix(of, "Table"):
		return heading{of, unnumbered}
	case of != "":
		h := heading{"Figure " + of, unnumbered}
		fmt.Sscanf(of, "%d", &h.number) // a figure may have a name instead
		return h
	case s.Section != "" && strings.Trim(s.Section, ".0123456789") != "":
		return heading{s.Section, unnumbered}
	}
	return heading{"Beyond the paper", unnumbered}
}

// headings lists the headings of all figures, in the order of the paper's figures.
func headings(list []papers.Study) []heading {
	var heads []heading
	for i := range list {
		for j := range list[i].Draw {
			if head := headingOf(&list[i], &list[i].Draw[j]); !slices.Contains(heads, head) {
				heads = append(heads, head)
			}
		}
	}
	slices.SortStableFunc(heads, func(a, b heading) int { return cmp.Compare(a.number, b.number) })
	return heads
}
