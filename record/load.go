package record

import (
	"fmt"
	"strings"

	"weft/internal/readable"
)

// Load is what traffic is expected to bring to links, as it follows from who sends how much to whom
// before anything runs. Shares are of what links can carry, in payload.
type Load struct {
	// Groups are the groups of traffic that count, if not all do: Without are those without a rate of
	// their own, such as collectives and closed loops.
	Groups  []string `json:"groups,omitempty"`
	Without []string `json:"without,omitempty"`
	// Routes are those by which packets are taken to go, each switch dividing them equally among
	// its next hops.
	Routes Routes `json:"routes"`
	// Headers is what headers of data add, as a share of the payload. Acknowledgements do not count.
	Headers float64 `json:"headers"`
	// Tiers are the links from hosts inward, and Detoured the same if every packet took a detour, of
	// EitherWay.
	Tiers    []TierLoad `json:"tiers"`
	Detoured []TierLoad `json:"detoured,omitempty"`
	// Advice is what to write for less, if links cannot carry it.
	Advice string `json:"advice,omitempty"`
}

// Routes are ways through the network.
type Routes string

// Routes of loads.
const (
	// Shortest: on minimal paths.
	Shortest Routes = "minimal"
	// Layered: on the paths of all layers, each as often as the others.
	Layered Routes = "layers"
	// DetoursOnly: by a random intermediate switch, which is a bound if intermediates are groups.
	DetoursOnly Routes = "detours"
	// EitherWay: some packets go minimally and some take detours; both extremes are computed.
	EitherWay Routes = "either"
)

// TierLoad is the load of links of one kind.
type TierLoad struct {
	// Tier is hosts, uplinks, core, local or global (within or between groups), or switches (between
	// switches that have neither tiers nor groups), and Links how many there are.
	Tier  string `json:"tier"`
	Links int    `json:"links"`
	// Load is what all carry together, in the busier direction.
	Load float64 `json:"load"`
	// Busiest is the load of the most loaded link, and Port which that is; nil if it is not known, as
	// in very large networks.
	Busiest *float64 `json:"busiest,omitempty"`
	Port    string   `json:"port,omitempty"`
}

// tierNames are what tiers are called in texts.
var tierNames = map[string]string{
	"hosts": "hosts' links", "uplinks": "uplinks", "core": "core links", "local": "links within groups",
	"global": "links between groups", "switches": "links between switches",
}

// TierName is what a tier is called in texts.
func TierName(tier string) string {
	if name, ok := tierNames[tier]; ok {
		return name
	}
	return tier
}

// notEven is from which factor on the busiest link of a tier is told beside the tier.
const notEven = 1.01

// String returns a line that says it all.
func (l *Load) String() string {
	var b strings.Builder
	b.WriteString("expected load")
	if len(l.Groups) > 0 {
		fmt.Fprintf(&b, " of %s", strings.Join(l.Groups, ", "))
	}
	b.WriteString(": " + tierTexts(l.Tiers))
	if len(l.Detoured) > 0 {
		b.WriteString(" if all go minimally; " + tierTexts(l.Detoured[1:]) + " if all take detours")
	}
	fmt.Fprintf(&b, " (payload%s; headers add %s)", map[Routes]string{
		Shortest: " on minimal paths", Layered: " on all layers alike", DetoursOnly: " on detours, at most",
	}[l.Routes], readable.Percent(l.Headers))
	return b.String()
}

func tierTexts(tiers []TierLoad) string {
	texts := make([]string, len(tiers))
	for i, t := range tiers {
		texts[i] = TierName(t.Tier) + " " + readable.Percent(t.Load)
		if t.Busiest != nil && *t.Busiest > notEven*t.Load {
			texts[i] += fmt.Sprintf(", the busiest %s (%s)", readable.Percent(*t.Busiest), t.Port)
		}
	}
	return strings.Join(texts, "; ")
}

// Over returns the tier that cannot carry its load, if there is one, and what that load is with
// headers.
func (l *Load) Over() (tier TierLoad, load float64, ok bool) {
	tier, load = l.Tightest()
	load *= 1 + l.Headers
	return tier, load, load > 1
}

// Tightest returns the tier with the greatest load. Where packets may go around the busiest link, only
// what all links of a tier carry together counts.
func (l *Load) Tightest() (tier TierLoad, load float64) {
	for _, t := range l.Tiers {
		at := t.Load
		if t.Busiest != nil && (l.Routes != EitherWay || t.Tier == "hosts") {
			at = *t.Busiest
		}
		if at > load {
			tier, load = t, at
		}
	}
	return tier, load
}
