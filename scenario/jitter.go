package scenario

import (
	"weft/fabric"
)

var jitterFeature = feature{
	name: "fabric.host_jitter, fabric.nic_jitter",
	plan: func(p *plan, f *Fabric) error {
		p.ends.inexact, p.ends.jitter = p.hostJitter(f.HostJitter), f.Jitter.resolve()
		return nil
	},
	build: func(p *plan, c *fabric.Config) { c.HostJitter, c.Jitter = p.ends.inexact, p.ends.jitter },
}

var interruptFeature = feature{
	name: "fabric.nic_interrupts",
	plan: func(p *plan, f *Fabric) error {
		p.ends.interrupts = otherwise(f.Interrupts, 0)
		return nil
	},
}
