package record

import (
	"fmt"
	"strings"
)

// Draw lists the randomly chosen targets of a fault, where the scenario leaves them to chance.
type Draw struct {
	// Fault is the fault's place in the scenario, as in "faults[0]", and Kind its kind.
	Fault string `json:"fault"`
	Kind  string `json:"kind"`
	// Hit of Matching were chosen.
	Hit      int `json:"hit"`
	Matching int `json:"matching"`
	// What they are: "links" or "switches".
	What string `json:"what"`
	// Names are theirs in the order of the topology; of very many the first.
	Names []string `json:"names"`
}

// String tells it in a line, which of many names has a few.
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
