package scenario

import (
	"fmt"

	"weft/internal/readable"
)

// hintChoices notes balancers that expect more layers or explicit paths than routes have,
// and routing with a single layer.
func (p *plan) hintChoices(s *Spec) {
	if p.routes.policy.Wanders() { // entropies choose intermediates instead
		return
	}
	kind, routes, what := s.Routing.Policy.Kind, 0, "no layers"
	switch {
	case p.explicit():
		routes = p.routes.present.Paths().Most()
		what = fmt.Sprintf("at most %s for a pair of switches", readable.Count(routes, "path"))
	case p.layered():
		routes = len(p.routes.walks)
		what = readable.Count(routes, "layer")
	}
	told := map[string]bool{}
	for t, g := range p.transports(s) {
		if g.Balancer.Routes <= routes || told[t.Balancer.Kind] {
			continue
		}
		told[t.Balancer.Kind] = true
		text := fmt.Sprintf("routing.policy: %s has %s, so that %s %s; write routing: {policy: {kind: layers, layers: %d}}",
			kind, what, t.Balancer.Kind, g.Balancer.Fewer, max(9, g.Balancer.Routes))
		if n := g.Balancer.Subflows; n > 1 { // subflows need no layer each
			text += fmt.Sprintf(", or balancer: {kind: %s, apart: false}", t.Balancer.Kind)
		}
		p.notice(text)
	}
	if len(told) == 0 && routes == 1 && !p.explicit() {
		p.notice("routing.policy has one layer, which all packets take, so that balancers have nothing to choose; write layers: 9, or policy: ecmp")
	}
}
