package transport

import (
	"math/rand/v2"

	"weft/protocol"
	"weft/sim"
)

// This file chooses the entropies of the data that host transports send.

// chooser chooses the entropies of a group's data to one host.
type chooser struct {
	protocol.Runs
	rng rand.PCG
	// active counts the incomplete messages to the host.
	active int32
}

// chooser returns the chooser for a group's data to a host, and makes it if needed.
func (e *Endpoint) chooser(now sim.Time, h *host, group, dst int32) *chooser {
	t := h.hosted
	if t.routes[group] == nil {
		t.routes[group] = make([]*chooser, len(e.t.net.Names))
	}
	if r := t.routes[group][dst]; r != nil {
		return r
	}
	r := &chooser{}
	g := &e.t.net.Groups[group]
	name := sim.Mix(sim.Mix(h.Name+sim.Mix(uint64(group))) + sim.Mix(e.t.net.Names[dst]))
	sim.SeedStream(&r.rng, e.t.net.Seed, name, "entropy")
	env := g.Env
	env.Rand, env.Untimed = &r.rng, true
	r.Entropy = g.Balancer.New(env)
	r.Start(now)
	e.pathList = e.t.net.Tell(r.Entropy, h.ID, dst, e.pathList)
	t.routes[group][dst] = r
	return r
}

// reacted sets Reacted for the groups with a chooser that has reacted.
func (t *hosted) reacted(list []Acted) {
	for g, peers := range t.routes {
		for _, c := range peers {
			if c == nil {
				continue
			}
			if r, ok := c.Entropy.(protocol.Reactive); ok && r.Reacted() {
				list[g].Reacted = true
				break
			}
		}
	}
}

// Reroute informs all senders that explicit paths have changed. Call it between two
// calls of the network's Run.
func (t *Transport) Reroute() {
	if t.net.Paths == nil {
		return
	}
	t.net.Reroutes++
	for _, e := range t.endpoints {
		e.Sending.Reroute()
		for h := range e.hosts {
			if t := e.hosts[h].hosted; t != nil {
				for _, row := range t.routes {
					for dst, c := range row {
						if c != nil {
							e.pathList = e.t.net.Tell(c.Entropy, e.hosts[h].ID, int32(dst), e.pathList)
							c.End()
						}
					}
				}
			}
		}
	}
}
