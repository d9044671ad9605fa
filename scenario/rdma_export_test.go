package scenario

import (
	"context"

	"weft/fabric"
	"weft/record"
	"weft/topo"
)

// Paused is what a link of a run had to do with pauses.
type Paused struct {
	fabric.Pauses
	// Overrun counts the frames that the port before the link dropped for want of headroom.
	Overrun uint64
}

// RunPaused is Run that also returns what the links had to do with pauses, by name, and the bytes by
// which switches made frames longer.
func RunPaused(ctx context.Context, s *Scenario, o RunOptions) (*record.Result, map[string]Paused, uint64, error) {
	p, err := s.plan(nil)
	if err != nil {
		return nil, nil, 0, err
	}
	r, err := p.assemble(o, max(1, o.Threads), o.Domains, queueKinds[s.Engine.Queue])
	if err != nil {
		return nil, nil, 0, err
	}
	if err := r.execute(ctx); err != nil {
		return nil, nil, 0, err
	}
	links := map[string]Paused{}
	for id := range topo.PortID(2 * len(r.graph.Links)) {
		c := r.Network.Counters(id, r.Now)
		links[r.graph.PortName(id)] = Paused{r.Network.Pauses(id, r.Now), c.Drops[fabric.HeadroomFull]}
	}
	totals, _ := r.Network.Totals()
	res := r.results()
	return res, links, totals.StampedBytes, r.describe(s, res, record.Timings{})
}
