package cli

import (
	"fmt"
	"slices"
	"strings"

	"weft/record"
)

// remaining tells what an interrupted run leaves, what a command keeps of it, and what that runs again; all is how many variants the file
// has. A variant runs again as a whole, on wire with its simulation.
func remaining(done []record.Summary, tasks []task, flags runFlags, path, out string, all int) error {
	var keeps, again, simulated []string
	runs, complete := "variants", 0
	for _, t := range tasks {
		whole := slices.ContainsFunc(done, func(d record.Summary) bool { return d.Name == t.name && !d.Partial })
		if whole {
			complete++
		}
		if t.wire {
			runs = "runs"
		}
		variant := t.scenario.Variant
		switch last := len(keeps) - 1; {
		case whole && !t.wire:
			keeps = append(keeps, variant)
		case whole: // with its simulation
		case last >= 0 && keeps[last] == variant: // which was simulated, and not carried
			keeps, simulated = keeps[:last], append(simulated, variant)
			again = append(again, variant)
		case !slices.Contains(again, variant):
			again = append(again, variant)
		}
	}
	if len(again) == 0 {
		return interruptedf(": %d of %d %s complete, nothing is left to run", complete, len(tasks), runs)
	}
	kept := "nothing is kept"
	if len(done) > 0 {
		kept = "the rest is missing or marked as partial in " + out
	}
	flags.variants = nil
	if len(again) < all {
		flags.variants = again
	}
	also := ""
	if len(simulated) > 0 {
		also = ", the simulation too"
	}
	left := fmt.Sprintf(": %d of %d %s complete, %s", complete, len(tasks), runs, kept)
	if len(keeps) == 0 {
		return interruptedf("%s; run it again from the beginning%s, with %s", left, also, flags.command(path))
	}
	return interruptedf("%s; continue with %s (keeps %s; runs %s from the beginning%s)",
		left, flags.command(path), strings.Join(keeps, ", "), strings.Join(again, ", "), also)
}
