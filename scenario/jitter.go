package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/transport"
	"weft/unit"
)

var jitterFeature = feature{
	name: "fabric.host_jitter, fabric.nic_jitter",
	conflicts: []conflict{{
		with: emulated, at: "fabric.nic_jitter",
		why: "hosts send by the NICs and the clock of this machine", remedy: "remove nic_jitter",
		live: func(p *plan) bool { return p.ends.unequal },
	}},
	plan: func(p *plan, f *Fabric) error {
		jitter := partOf[fabric.Jitter](p)
		*jitter = f.Jitter.resolve()
		p.ends.held, p.ends.unequal = p.hostJitter(f.HostJitter), *jitter != fabric.Jitter{}
		p.ends.late += 2 * p.ends.held
		return nil
	},
	unlike: func(p *plan, _ *Spec) string {
		if p.ends.held == 0 {
			return ""
		}
		return fmt.Sprintf("fabric.host_jitter: simulated hosts are late by up to %v, and real ones by what this machine is; with none, simulated ones are exact", p.ends.held.RoundUp(unit.Nanosecond))
	},
	build: func(p *plan, c *fabric.Config) { c.HostJitter, c.Jitter = p.ends.held, *partOf[fabric.Jitter](p) },
}

// hostJitter returns the most that a host delays a frame.
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
	}, {
		with: emulated, at: "fabric.nic_interrupts",
		why: "hosts get packets when this machine has them", remedy: "remove nic_interrupts",
		live: func(p *plan) bool { return partOf[interrupts](p).every > 0 },
	}},
	plan: func(p *plan, f *Fabric) error {
		every := otherwise(f.Interrupts, 0)
		partOf[interrupts](p).every = every
		p.ends.late += every
		return nil
	},
	attach: func(p *plan, c *transport.Config) { c.Interrupts = partOf[interrupts](p).every },
}

// interrupts is how often hosts take frames off their NICs.
type interrupts struct{ every unit.Time }
