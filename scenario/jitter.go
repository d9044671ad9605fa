package scenario

import (
	"weft/fabric"
	"weft/transport"
	"weft/unit"
)

var jitterFeature = feature{
	name: "fabric.host_jitter, fabric.nic_jitter",
	plan: func(p *plan, f *Fabric) error {
		jitter := partOf[fabric.Jitter](p)
		*jitter = f.Jitter.resolve()
		p.ends.held, p.ends.apart = p.hostJitter(f.HostJitter), *jitter != fabric.Jitter{}
		p.ends.late += 2 * p.ends.held
		return nil
	},
	build: func(p *plan, c *fabric.Config) { c.HostJitter, c.Jitter = p.ends.held, *partOf[fabric.Jitter](p) },
}

// hostJitter returns the most that a frame is delayed at a host.
func (p *plan) hostJitter(j HostJitter) unit.Time {
	if !j.Auto {
		return j.Size
	}
	return max(1, p.derived.hosts.Transmit(p.derived.packet)/autoJitter)
}

var interruptFeature = feature{
	name: "fabric.nic_interrupts",
	conflicts: []conflict{{
		with: following, at: "fabric.nic_interrupts",
		why: "messages cannot be followed where hosts take frames by interrupts", remedy: "leave nic_interrupts out to explain them",
		followed: func(p *plan, _ *transport.Group) bool { return partOf[interrupts](p).every > 0 },
	}},
	plan: func(p *plan, f *Fabric) error {
		every := otherwise(f.Interrupts, 0)
		partOf[interrupts](p).every = every
		p.ends.late += every
		return nil
	},
	attach: func(p *plan, c *transport.Config) { c.Interrupts = partOf[interrupts](p).every },
}

// interrupts are how hosts take frames off their NICs.
type interrupts struct{ every unit.Time }
