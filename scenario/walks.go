package scenario

import (
	"weft/route"
	"weft/unit"
)

// longestWalk returns the most links between switches that a packet passes by tables.
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
		p.routes.longest = p.routes.policy.Detours.LongestWalk(t)
		return p.routes.longest
	}
	for layer := range t.Layers() {
		p.routes.longest = max(p.routes.longest, t.Walks(layer).Longest)
	}
	return p.routes.longest
}

// planWalks resolves when packets leave minimal paths.
func (p *plan) planWalks() {
	if p.routes.policy.Minimal {
		return
	}
	d := p.routes.policy.Detours
	p.routes.beyond = max(0, p.longestWalk(p.routes.present)-p.tables.Longest())
	if d != nil && d.Threshold < 0 {
		resolved := *d
		resolved.Threshold = p.frames.data * unit.Bytes(max(1, p.tables.Longest()))
		p.routes.policy.Detours = &resolved
	}
}
