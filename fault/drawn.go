package fault

import (
	"fmt"
	"slices"
	"strings"
)

// mostListed is how many links or switches are named one by one.
const mostListed = 64

// Drawn is what chance chose among the links or switches that a fault's patterns match,
// which the patterns do not tell.
type Drawn struct {
	// Fault is the place of the fault in the list, from 0; timelines fill it in.
	Fault int
	// Hit of Matching were chosen.
	Hit, Matching int
	// What they are: links or switches.
	What string
	// Names are theirs in the order of the topology; of very many the first.
	Names []string
}

// list names them.
func (d Drawn) list() string {
	names := slices.Clone(d.Names)
	if more := d.Hit - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
