package record

import (
	"fmt"
	"strings"

	"weft/internal/readable"
)

// Load is the load that traffic is expected to put on links, computed before the run from who
// sends how much to whom. Shares are relative to the capacity of links, in payload.
type Load struct {
	// Groups lists the traffic groups included, if not all are. Without lists those without a
	// rate of their own, such as collectives and closed loops.
	Groups  []string `json:"groups,omitempty"`
	Without []string `json:"without,omitempty"`
	// Routes is the assumption about paths. Each switch divides packets equally among its next
	// hops.
	Routes Routes `json:"routes"`
	// Headers is the size of data headers as a share of the payload. Acknowledgements do not
	// count.
	Headers float64 `json:"headers"`
	// Tiers lists the kinds of links from hosts inward. Detoured is the same if every packet took
	// a detour, for EitherWay.
	Tiers    []TierLoad `json:"tiers"`
	Detoured []TierLoad `json:"detoured,omitempty"`
	// Advice says how to reduce the load, if links cannot carry it.
	Advice string `json:"advice,omitempty"`
}

// Routes is an assumption about the paths of packets.
type Routes string

// Routes of loads.
const (
	// Shortest: minimal paths.
	Shortest Routes = "minimal"
	// Layered: the paths of all layers, equally often.
	Layered Routes = "layers"
	// DetoursOnly: via a random intermediate switch. If intermediates are groups, this gives a
	// bound.
	DetoursOnly Routes = "detours"
	// EitherWay: some packets take minimal paths and some detours; both extremes are computed.
	EitherWay Routes = "either"
)

// TierLoad is the load of one kind of link.
type TierLoad struct {
	// Tier is hosts, uplinks, core, local or global (within or between groups), or switches
	// (between switches without tiers or groups). Links is the number of links.
	Tier  string `json:"tier"`
	Links int    `json:"links"`
	// Load is the load of all of them together, in the busier direction.
	Load float64 `json:"load"`
	// Busiest is the load of the most loaded link, and Port its name. Busiest is nil if unknown,
	// as in very large networks.
	Busiest *float64 `json:"busiest,omitempty"`
	Port    string   `json:"port,omitempty"`
}

// tierNames holds the names of tiers for texts.
var tierNames = map[string]string{
	"hosts": "hosts' links", "uplinks": "uplinks", "core": "core links", "local": "links within groups",
	"global": "links between groups", "switches": "links between switches",
}

// TierName returns the name of a tier for texts.
func TierName(tier string) string {
	if name, ok := tierNames[tier]; ok {
		return name
	}
	return tier
}

// notEven is the ratio of the busiest link's load to the tier's above which texts mention that
// link.
const notEven = 1.01

// String returns the load in one line.
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

// Over returns the tier whose load, including headers, exceeds its capacity, and that load. ok is
// false if no tier's does.
func (l *Load) Over() (tier TierLoad, load float64, ok bool) {
	tier, load = l.Tightest()
	load *= 1 + l.Headers
	return tier, load, load > 1
}

// Tightest returns the tier with the greatest load. If packets may go around the busiest link,
// only the load of all links together counts.
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
