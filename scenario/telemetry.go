package scenario

import (
	"weft/fabric"
	"weft/protocol"
)

var telemetryFeature = feature{
	name: "fabric.telemetry",
	offers: &need{
		need:    protocol.Telemetry,
		noun:    "switches that stamp packets with their queue occupancy",
		has:     func(f *Fabric) bool { return f.Telemetry != nil },
		written: keys("fabric.telemetry"),
		without: "without fabric.telemetry",
		lack: func(q *inquiry) lack {
			return lack{why: "fabric.telemetry is absent", key: "fabric.telemetry", remedy: "write fabric: {telemetry: {}}, or " + q.another()}
		},
	},
	brings: (*bringing).telemetry,
	plan: func(p *plan, f *Fabric) error {
		*partOf[fabric.Telemetry](p) = f.Telemetry.resolve()
		return nil
	},
	hint:  (*plan).hintStamps,
	build: func(p *plan, c *fabric.Config) { c.Telemetry = *partOf[fabric.Telemetry](p) },
	effects: []effect{
		{[]string{"fabric.telemetry"}, "congestion controls that read stamps", (*review).actedTelemetry},
	},
}

// telemetry makes switches stamp packets if a control needs it.
func (b *bringing) telemetry() (classes int, why string) {
	if b.s.Fabric.Telemetry != nil || b.s.places.Given("fabric.telemetry") {
		return 0, ""
	}
	if kind, of := b.needing(protocol.Telemetry); of != nil {
		b.add("fabric.telemetry", options(), kind+" needs switches that stamp packets")
	}
	return 0, ""
}

// actedTelemetry reports stamps that no control reads.
func (v *review) actedTelemetry() {
	if !partOf[fabric.Telemetry](v.plan).On {
		return
	}
	for i := range v.groups {
		if v.groups[i].Congestion.Stamping != protocol.NoStamps {
			return
		}
	}
	v.never("fabric.telemetry", "", "no frame was stamped, since no congestion control here reads stamps")
}
