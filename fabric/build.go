package fabric

import (
	"cmp"
	"fmt"
	"math"
	"weft/sim"
	"weft/topo"
)

// New builds a network.
func New(c Config) (*Network, error) {
	g := c.Graph
	if len(g.Nodes) > math.MaxInt32/4 || len(g.Links) > math.MaxInt32/8 {
		return nil, fmt.Errorf("fabric: %d nodes and %d links are more than it can number", len(g.Nodes), len(g.Links))
	}
	if len(g.Hosts) > topo.MaxHosts {
		return nil, fmt.Errorf("fabric: %d hosts; frames tell %d apart", len(g.Hosts), topo.MaxHosts)
	}
	n := &Network{
		graph: g, seed: c.Seed, Lookahead: sim.Forever,
		ports: make([]place, 2*len(g.Links)),
		wires: make([]place, 2*len(g.Links)),
		nodes: make([]place, len(g.Nodes)),
	}
	count := int32(1)
	for _, d := range c.Domain {
		count = max(count, d+1)
	}
	if count > MaxDomains {
		return nil, fmt.Errorf("fabric: %d domains; at most %d", count, MaxDomains)
	}
	n.domains = make([]*Domain, count)
	for i := range n.domains {
		n.domains[i] = &Domain{network: n, exported: sim.Forever, self: int32(i), post: &n.post, order: order{turn: noTurn}, tick: noTick}
	}
	if err := cmp.Or(checkSprays(c.Sprays), c.Control.check(), c.Deflect.check(), c.checkWalks(), c.LaneGroups.check(c.Graph, c.Port), c.Pause.check(c.Graph, c.Port)); err != nil {
		return nil, err
	}
	if l := c.Tables.Layers(); l > MaxLayers {
		return nil, fmt.Errorf("fabric: %d layers; entropies tell %d apart", l, MaxLayers)
	}
	n.nameLinks()
	n.placeNodes(c.Domain, c.Jitter)
	n.placeLinks(c)
	n.attach(c.Tables)
	n.prepareSprays(c.Sprays)
	if n.Lookahead <= 0 {
		return nil, fmt.Errorf("fabric: a link without delay leads from one domain to another; keep its ends together, as topo.Partition does")
	}
	n.orderWires()
	if c.Deflect.On() {
		if err := n.placeDeflection(&c.Deflect); err != nil {
			return nil, err
		}
	}
	if c.Detours != nil || c.Lanes != NoLanes {
		if err := n.placeDetours(&c); err != nil {
			return nil, err
		}
	}
	n.SetTables(c.Tables)
	if c.Pause.on() {
		n.placeNotices()
		n.placeHolds(&c.Pause.Quanta)
		n.lossless, n.watchdog = c.Pause.Classes, c.Pause.Watchdog
		if w := n.watchdog; w.on() {
			n.Lookahead = min(n.Lookahead, w.Detect, max(1, w.Restore))
		}
	}
	n.shareBuffers(c.Buffer, &c.Pause)
	if c.Pause.on() {
		n.addSlowHosts(&c.Pause)
	}
	if c.Telemetry.On {
		n.placeStamps(&c.Telemetry)
	}
	if c.Control.On() {
		n.placeControls(&c.Control)
	}
	if c.SignalDelay > 0 {
		if least := LeastSignalDelay(g); c.SignalDelay > least {
			return nil, fmt.Errorf("fabric: signals take %v, but between domains they may take at most %v", c.SignalDelay, least)
		}
		n.Lookahead = min(n.Lookahead, c.SignalDelay)
	}
	if c.Queue == sim.Swept {
		window, why := n.sweepable(&c)
		if n.Fallback = why; why != nil {
			c.Queue = sim.Calendar
		} else {
			n.Lookahead = window
		}
	}
	allotting, attaching := stage{c.Progress, 0.5, 0.75}, stage{c.Progress, 0.75, 1}
	for i, d := range n.domains {
		allotting.reached(i, len(n.domains))
		if d.sweeping = c.Queue == sim.Swept; d.sweeping {
			d.wheel = newWheel(n.Lookahead)
			d.soon = newGroups(len(d.nics))
			for _, w := range d.wires[:d.hostWires] {
				if w.port >= 0 {
					d.ports[w.port].remote = int16(d.self)
				}
			}
		}
		d.allotRings()
	}
	ranks := n.rank()
	parts := make([]*sim.Domain, count)
	for i, d := range n.domains {
		d.sched = sim.NewScheduler(c.Queue, ranks[i])
		d.batches = &n.batches
		if !d.sweeping {
			d.punctual = punctual
		}
		parts[i] = &sim.Domain{Scheduler: d.sched, Handler: d}
		if c.Observe != nil {
			parts[i].Handler = observed{d, n, c.Observe}
			for k := range d.ports {
				d.ports[k].special |= stepped // so that no event depends on the cut
			}
		}
	}
	if c.Follow != nil {
		if count > 1 {
			return nil, fmt.Errorf("fabric: frames can be followed in one domain, not in %d", count)
		}
		parts[0].Handler = n.follow(c.Follow)
	}
	n.openPassages(&c)
	n.engine = sim.NewEngine(n.Lookahead, parts)
	if c.Pause.on() {
		n.engine.KeepWindows()
	}
	for i, d := range n.domains {
		attaching.reached(i, len(n.domains))
		d.endpoint = c.Endpoint(d)
	}
	if c.SignalDelay > 0 {
		return n, n.allowSignals(c.SignalDelay)
	}
	return n, nil
}
