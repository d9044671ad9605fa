package fault

import (
	"fmt"
	"slices"
	"strings"
)

// mostListed is how many links or switches are listed by name.
const mostListed = 64

// Drawn records what chance chose among the links or switches that a fault's
// patterns match. The patterns alone do not show the choice.
type Drawn struct {
	// Fault is the index of the fault in the list, from 0. NewTimeline sets it.
	Fault int
	// Hit is how many of the Matching candidates were chosen.
	Hit, Matching int
	// What names their kind: "links" or "switches".
	What string
	// Names are the names of those chosen, in the order of the topology, at most mostListed.
	Names []string
}

// list joins the names for a message.
func (d Drawn) list() string {
	names := slices.Clone(d.Names)
	if more := d.Hit - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
