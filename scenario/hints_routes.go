package scenario

import "fmt"

// hintChoices tells of balancers that are for more layers or explicit paths than routes have, and of a single layer.
func (p *plan) hintChoices(s *Spec) {
	if p.policy.Detours != nil { // entropies choose intermediates
		return
	}
	kind, routes, what := s.Routing.Policy.Kind, 0, "no layers"
	switch {
	case p.explicit():
		routes = p.present.Paths().Most()
		what = fmt.Sprintf("at most %s for a pair of switches", counted(routes, "path"))
	case p.layered():
		routes = len(p.walks)
		what = counted(routes, "layer")
	}
	told := map[string]bool{}
	for t, g := range p.transports(s) {
		if g.Balancer.Routes <= routes || told[t.Balancer.Kind] {
			continue
		}
		told[t.Balancer.Kind] = true
		p.notice(fmt.Sprintf("routing.policy: %s has %s, so that %s %s; write routing: {policy: {kind: layers, layers: %d}}, or balancer: %s",
			kind, what, t.Balancer.Kind, g.Balancer.Fewer, max(9, g.Balancer.Routes), instead(g.Balancer.Subflows)))
	}
	if len(told) == 0 && routes == 1 && !p.explicit() {
		p.notice("routing.policy has one layer, which all packets take, so that balancers have nothing to choose; write layers: 9, or policy: ecmp")
	}
}

// instead is the balancer that needs no layers and does the same.
func instead(subflows int) string {
	if subflows > 1 {
		return fmt.Sprintf("{kind: mptcp, subflows: %d}", subflows)
	}
	return "flowlet"
}

// counted counts things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
