package scenario

import (
	"weft/protocol"
)

// orderFeature is loss recovery from the order of packets. The fabric must keep the packets
// of a path in order.
var orderFeature = feature{
	name: "transport.recovery: order",
	conflicts: []conflict{
		{
			with: "a balancer of switches (spray, flowlets, adaptive)", at: ".recovery",
			why:    "order takes packets with the same entropy to stay in order, but with {balancer} switches choose their paths",
			remedy: "write recovery: selective, or balancer: ops",
			sent: func(_ *Fabric, c *carrier, _ []carrier) bool {
				way := c.balancer.Spray.Way
				return c.ordered() && way != protocol.ByHash && way != protocol.BySymmetricHash
			},
		},
		{
			with: "routing.policy: ugal, par", at: ".recovery",
			why:     "order takes packets with the same entropy to stay in order, but queues decide for each which way it takes (routing.policy)",
			remedy:  "write recovery: selective",
			carried: func(p *plan, c *carrier) bool { return c.ordered() && p.routes.policy.Adapts() },
			due:     []string{"routing.policy"},
		},
		{
			with: "a control whose receivers grant credit (eqds, ndp)", at: ".recovery",
			why:    "{control} lets receivers send credit for what was lost, as recovery: selective does",
			remedy: "write that, or choose a control with a window, such as nscc",
			sent:   func(_ *Fabric, c *carrier, _ []carrier) bool { return c.ordered() && c.congestion.NewReceiver != nil },
		},
	},
}

// ordered reports whether a transport detects losses by the order of packets.
func (c *carrier) ordered() bool {
	return c.t.Recovery.kind() == byOrder && c.congestion.NewHost == nil
}
