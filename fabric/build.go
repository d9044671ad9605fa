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
	n, err := lay(&c)
	if err != nil {
		return nil, err
	}
	if err := n.addFeatures(&c); err != nil {
		return nil, err
	}
	n.SetTables(c.Tables)
	if c.Queue == sim.Swept {
		window, why := n.sweepable(c.Observe != nil || c.Follow != nil)
		if n.Fallback = why; why != nil {
			c.Queue = sim.Calendar
		} else {
			n.Lookahead = window
		}
	}
	allotting, attaching := stage{c.Progress, 0.5, 0.75}, stage{c.Progress, 0.75, 1}
	for i, d := range n.domains {
		allotting.reached(i, len(n.domains))
		if d.swept.sweeping = c.Queue == sim.Swept; d.swept.sweeping {
			d.swept.wheel = newWheel(n.Lookahead)
			d.swept.soon = newGroups(len(d.nics))
			d.late.pulls = d.late.passages != nil
			for _, w := range d.wires[:d.numbers.hostWires] {
				if w.port >= 0 {
					d.ports[w.port].remote = int16(d.mail.self)
				}
			}
		}
		d.allotRings()
	}
	ranks := n.rank()
	parts := make([]*sim.Domain, len(n.domains))
	for i, d := range n.domains {
		d.sched = sim.NewScheduler(c.Queue, ranks[i])
		d.swept.batches = &n.batches
		if !d.swept.sweeping {
			d.punctual = punctual
		}
		parts[i] = &sim.Domain{Scheduler: d.sched, Handler: d}
		if c.Observe != nil {
			parts[i].Handler = observed{d, n, c.Observe}
			for k := range d.ports {
				d.ports[k].special |= stepped // so that no event depends on the partition
			}
		}
	}
	if c.Follow != nil {
		if len(n.domains) > 1 {
			return nil, fmt.Errorf("fabric: frames can be followed in one domain, not in %d", len(n.domains))
		}
		parts[0].Handler = n.follow(c.Follow)
	}
	n.engine = sim.NewEngine(n.Lookahead, parts)
	if n.keepsWindows {
		n.engine.KeepWindows()
	}
	for i, d := range n.domains {
		attaching.reached(i, len(n.domains))
		d.endpoint = c.Endpoint(d)
	}
	if c.SignalDelay > 0 {
		if err := n.allowSignals(c.SignalDelay); err != nil {
			return nil, err
		}
	}
	return n, n.joinHosts(c.Together)
}

// lay places nodes and links in domains, without features.
func lay(c *Config) (*Network, error) {
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
		n.domains[i] = &Domain{network: n, order: order{current: noEvent}, mail: mail{post: &n.post, self: int32(i), exported: sim.Forever}}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	n.nameLinks()
	n.placeNodes(c.Domain)
	n.placeLinks(c, c.Pause.on() || c.Telemetry.On || c.Control.On())
	n.attach(c.Tables)
	if n.Lookahead <= 0 {
		return nil, fmt.Errorf("fabric: a link without delay leads from one domain to another; keep its ends together, as topo.Partition does")
	}
	n.orderWires()
	return n, nil
}

// check reports errors in features and in their combinations.
func (c *Config) check() error {
	if err := cmp.Or(checkSprays(c.Sprays), c.Control.check(), c.Deflect.check(), c.checkWalks(), c.LaneGroups.check(c.Graph, c.Port), c.Pause.check(c.Graph, c.Port)); err != nil {
		return err
	}
	if l := c.Tables.Layers(); l > MaxLayers {
		return fmt.Errorf("fabric: %d layers; entropies tell %d apart", l, MaxLayers)
	}
	return nil
}

// addFeatures sets the hooks of all features that the network uses. Taps of a port
// see a frame in the order in which their features are added here.
func (n *Network) addFeatures(c *Config) error {
	n.placeJitter(c.Jitter)
	n.openPassages(c.HostJitter)
	n.prepareSprays(c.Sprays)
	if err := n.placeDeflection(&c.Deflect); err != nil {
		return err
	}
	if err := n.placeWalks(c); err != nil {
		return err
	}
	n.shareBuffers(c.Buffer, c.Pause.on())
	if err := n.placeSchedulers(&c.Scheduling); err != nil {
		return err
	}
	n.placeStamps(&c.Telemetry)
	if c.Pause.on() {
		n.placePauses(&c.Pause)
		n.placeWatchdogs(&c.Pause.Watchdog)
		n.addSlowHosts(&c.Pause)
		n.hooks.quiet = append(n.hooks.quiet, n.heeded)
		n.hooks.check = append(n.hooks.check, n.checkAccounts)
	}
	n.placeControls(&c.Control)
	return n.shortenForSignals(c.SignalDelay)
}
