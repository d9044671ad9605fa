package fabric

import (
	"weft/sim"
	"weft/topo"
)

// Late returns how late a frame is over a link, if it does not wait for others.
func (d *Domain) Late(link topo.PortID, f *Frame) sim.Time {
	return d.draw(d.late.passages[d.network.wires[link].index].key, f)
}
