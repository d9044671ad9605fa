package sending

import (
	"weft/internal/connection/end"
	"weft/internal/histogram"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/sim"
	"weft/unit"
)

// newConnection returns a connection of the group without messages, reused if possible.
func (s *Side) newConnection(group int32) *connection {
	if n := len(s.idle[group]); n > 0 {
		c := s.idle[group][n-1]
		s.idle[group] = s.idle[group][:n-1]
		return c
	}
	g := &s.Network.Groups[group]
	if len(s.fresh.connections) == 0 {
		s.fresh.connections = make([]connection, s.batch())
		s.connections = append(s.connections, s.fresh.connections)
	}
	c := &s.fresh.connections[0]
	s.fresh.connections = s.fresh.connections[1:]
	c.group = group
	env := g.Env
	env.Rand = &c.entropyRng
	c.entropy = protocol.Runs{Entropy: g.Balancer.New(env)}
	env.Rand = &c.congestionRng
	if n := g.Balancer.Subflows; n > 1 && g.Balancer.DivideBDP {
		env.BDP = max(1, env.BDP/unit.Bytes(n))
		env.BDPPackets = max(1, env.BDPPackets/n)
	}
	c.congestion = g.Congestion.New(env)
	if g.Congestion.Controller.Fields {
		c.fielder, _ = c.congestion.(protocol.Fielder)
	}
	c.tracks = c.fielder != nil || g.Congestion.Stamping == protocol.OnData
	s.lend(c)
	s.probeWith(c)
	s.clockWith(c)
	if g.ConnectionTimer {
		c.detects.timer = &reliable.Timer{Least: g.RTO}
	} else if g.Adaptive {
		c.detects.patience = &reliable.Patience{Least: max(g.RTO, g.LeastRTO), First: g.FirstRTO}
	}
	if g.Recovery.Kind == end.Order {
		c.detects.order = newOrder(g)
	}
	return c
}

// newOrder returns the loss detector of a group that recovers by packet order.
func newOrder(g *end.Group) *reliable.Order {
	o := &reliable.Order{Base: g.Env.BaseRTT, Silence: g.Recovery.Silence, Timeout: g.RTO, Paths: g.Recovery.Paths}
	if g.AckEvery > 1 {
		o.Delay = g.AckDelay
	}
	return o
}

// open initializes a connection. number distinguishes connections with the same key.
func (s *Side) open(now unit.Time, local int32, c *connection, key end.Pair, number uint64) {
	h := &s.hosts[local]
	c.src, c.dst, c.part = local, key.Peer, key.Part
	c.bundle = s.bundleOf(h, key.Group, key.Peer)
	c.timesReady = c.bundle != nil || h.backlog != nil || c.clock != nil && s.Network.Late > 0
	c.inflight, c.active, c.held, c.taken = 0, 0, false, 0
	c.queue = messageList{}
	name := sim.Mix(sim.Mix(h.Name+sim.Mix(uint64(key.Group)))+sim.Mix(s.Network.Names[key.Peer])) + number
	siblings := name
	if s.group(c).Pool > 0 { // parts of a message take connections with different numbers
		siblings -= number
	}
	if key.Part > 0 {
		name = sim.Mix(name) + uint64(key.Part)
	}
	sim.SeedStream(&c.congestionRng, s.Network.Seed, name, "congestion")
	sim.SeedStream(&c.entropyRng, s.Network.Seed, name, "entropy")
	c.congestion.Start(now)
	if k, ok := c.congestion.(protocol.HopCounter); ok && s.Network.Hops != nil {
		k.SetHops(s.Network.Hops(h.ID, c.dst))
	}
	c.entropy.Start(now)
	s.tellPaths(c)
	if k, ok := c.entropy.Entropy.(protocol.Sibling); ok {
		k.SetSubflow(int(c.part), siblings)
	}
	c.window = c.congestion.Window()
	if c.credits != nil {
		c.credits.open()
	}
	if c.prober != nil {
		c.prober.open()
	}
	if c.clock != nil {
		s.openClock(h, c)
	}
	if c.detects.timer != nil {
		c.detects.timer.Reset()
	}
	if c.detects.patience != nil {
		c.detects.patience.Reset()
	}
	if c.detects.order != nil {
		c.detects.order.Reset()
	}
}

// New returns the sending side of hosts.
func New(c Config) *Side {
	groups := len(c.Network.Groups)
	s := &Side{Config: c, hosts: make([]host, len(c.Hosts)), free: make([]*message, len(c.Hosts)*groups), idle: make([][]*connection, groups), rtts: make([]*histogram.Histogram, groups)}
	for i := range s.hosts {
		h := &s.hosts[i]
		h.Host = &c.Hosts[i]
		s.openBacklog(h)
	}
	return s
}
