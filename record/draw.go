package record

import (
	"fmt"
	"strings"
)

// Draw lists the randomly chosen targets of a fault whose scenario leaves them to chance.
type Draw struct {
	// Fault is the fault's place in the scenario, as in "faults[0]", and Kind its kind.
	Fault string `json:"fault"`
	Kind  string `json:"kind"`
	// Hit is the number of targets chosen, out of Matching.
	Hit      int `json:"hit"`
	Matching int `json:"matching"`
	// What is the kind of target: "links" or "switches".
	What string `json:"what"`
	// Names lists the targets in the order of the topology. If there are very many, it has only
	// the first.
	Names []string `json:"names"`
}

// String returns a line with a few of the names.
func (d Draw) String() string {
	const most = 6
	text := fmt.Sprintf("%s, %s: %d of %d %s were chosen at random: ", d.Fault, d.Kind, d.Hit, d.Matching, d.What)
	shown := d.Names
	if len(shown) > most {
		shown = shown[:most-1]
	}
	text += strings.Join(shown, ", ")
	if more := d.Hit - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more; %s has all", more, faultsFile)
	}
	return text
}
