package cli

import (
	"fmt"

	"weft/explain"
	"weft/unit"
)

// slowLinks names the slow link of a message's way, and is empty if little of its time went there.
func slowLinks(a *explain.Account, name func(port int32) string) string {
	const least = 1 // percent of the time
	took := unit.Time(0)
	for _, l := range a.Slow {
		took += l.Took
	}
	if share(took, a.Total) < least {
		return ""
	}
	first := &a.Slow[0]
	links := "slow link " + name(first.Port)
	if more := len(a.Slow) - 1; more > 0 {
		links = fmt.Sprintf("slow links %s and %d more", name(first.Port), more)
	}
	return fmt.Sprintf("%s: %v where the host's link has %v; %s µs (%.1f %%) went to queueing, serialisation and losses there",
		links, first.Rate, first.Host, micros(took), share(took, a.Total))
}
