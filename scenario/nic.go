package scenario

import (
	"weft/problem"
	"weft/transport"
	"weft/unit"
)

// nicFeature puts everything that a host sends into one queue.
var nicFeature = feature{
	name: "fabric.nic: fifo",
	conflicts: []conflict{{
		with: following, at: "fabric.nic",
		why: "messages cannot be followed that wait in the queue of their host", remedy: "write nic: pull to explain them",
		followed: func(p *plan, _ *transport.Group) bool { return p.ends.nic != nil },
	}},
	check: (*validation).nic,
	plan: func(p *plan, f *Fabric) error {
		if f.NIC == fifo {
			p.ends.nic = p.nicQueue()
		}
		return nil
	},
	attach: func(p *plan, c *transport.Config) { c.NIC = p.ends.nic },
}

// nic checks that queues of hosts can mark in the way that ports do.
func (v *validation) nic([]carrier) {
	f := &v.s.Fabric
	if f.NIC != fifo {
		return
	}
	if m, err := f.ECN.Build(); err == nil && m.Marks() && (m.KMin != m.KMax || m.AtDequeue || m.New != nil) {
		v.wrong("fabric.nic", problem.New("a queue at hosts marks at a threshold, when a frame arrives").Mend("write fabric: {ecn: threshold}, leave ecn out, or write nic: pull"))
	}
}

// nicQueue returns the queues of hosts, which mark like switch ports of the same rate.
func (p *plan) nicQueue() *transport.NICQueue {
	m := &p.queues.rules.fabric.marking
	q := &transport.NICQueue{Mark: m.Marks() && !m.Core, SpareFirst: m.SpareFirst, Thresholds: make([]unit.Bytes, len(p.graph.Hosts))}
	for h := range q.Thresholds {
		q.Thresholds[h] = p.config(&p.queues.rules.fabric, p.lineRate(int32(h))).KMin
	}
	return q
}

// poolFeature lets the messages between two hosts share a few connections.
var poolFeature = feature{
	name: "transport.connection: pool",
	conflicts: []conflict{
		{
			with: "a control whose receivers grant credit (eqds, ndp), with pick: turn", at: ".pick",
			why: "receivers of {control} give credit to each message, but messages that take connections in turn share them", remedy: "write pick: idle, or connection: pair",
			sent: func(_ *Fabric, c *carrier, _ []carrier) bool { return c.congestion.NewReceiver != nil && c.t.inTurn() },
		},
		{
			with: following, at: "transport.connection",
			why: "messages cannot be followed that wait for a connection of their pool", remedy: "write connection: message to explain them",
			followed: func(_ *plan, g *transport.Group) bool { return g.Pool > 0 },
		},
	},
}
