package scenario

import (
	"weft/fabric"
	"weft/protocol"
)

var telemetryFeature = feature{
	build: func(p *plan, c *fabric.Config) { c.Telemetry = p.telemetry },
	effects: []effect{
		{[]string{"fabric.telemetry"}, "congestion controls that read stamps", (*review).actedTelemetry},
	},
}

// actedTelemetry tells of stamps that nothing reads.
func (v *review) actedTelemetry() {
	if !v.telemetry.On {
		return
	}
	for i := range v.groups {
		if v.groups[i].Congestion.Stamping != protocol.NoStamps {
			return
		}
	}
	v.never("fabric.telemetry", "", "no frame was stamped, since no congestion control here reads stamps")
}
