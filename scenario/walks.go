package scenario

import (
	"errors"
	"fmt"

	"weft/record"
	"weft/route"
)

// longestWalk returns the most links between switches on any walk of a packet by the
// tables.
func (p *plan) longestWalk(t *route.Tables) int {
	if t == p.routes.walked {
		return p.routes.longest
	}
	p.routes.walked, p.routes.longest = t, 0
	if paths := t.Paths(); paths != nil {
		p.routes.longest = max(paths.Walks().Longest, t.Longest())
		return p.routes.longest
	}
	if !t.Layered() {
		p.routes.longest = p.routes.policy.LongestWalk(t)
		return p.routes.longest
	}
	for layer := range t.Layers() {
		p.routes.longest = max(p.routes.longest, t.Walks(layer).Longest)
	}
	return p.routes.longest
}

// planWalks determines by how many links walks exceed minimal paths.
func (p *plan) planWalks() {
	if !p.routes.policy.Minimal {
		p.routes.beyond = max(0, p.longestWalk(p.routes.present)-p.tables.Longest())
	}
}

// walkRows lists the length of the longest walk, if walks are not minimal or change lanes.
func (p *plan) walkRows() []record.Derived {
	if !p.routes.policy.Wanders() && !p.changesLanes() {
		return nil
	}
	return []record.Derived{record.DerivedCount("longest_walk", float64(p.longestWalk(p.routes.present)), "links", "longest walk of a packet, between switches")}
}

// shorterWalks suggests how to get shorter walks, if that is possible. The text is the
// start of a list.
func (p *plan) shorterWalks() string {
	if d := p.routes.policy.Detours; d != nil && !d.ByGroup {
		if _, groups := route.Groups(p.graph); groups > 2 {
			return "write intermediate: group for shorter walks, "
		}
	}
	return ""
}

// Reasons why packets do not retrace each other's paths.
var (
	errStrays   = errors.New("packets take detours, each its own (routing.policy)")
	errExplicit = errors.New("the explicit paths of two switches are not the same both ways (routing.policy)")
)

// minimalPathDead explains what a message waits for if a link of its minimal path is dead.
func minimalPathDead(flow, port string) string {
	return fmt.Sprintf("%s: its minimal path is dead, and routes do not follow (reconverge): %s is down; only packets that take a detour can arrive", flow, port)
}

// always reports whether every packet takes a detour.
func (p *plan) always() bool { return p.routes.policy.Wanders() && !p.routes.policy.Adapts() }
