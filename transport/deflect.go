package transport

import "weft/fabric"

// Ends tells whether a frame is the first packet of its message, and whether it is the last, for
// fabric.DeflectConfig. It knows the data of connections.
func Ends(d *fabric.Domain, f *fabric.Frame) (first, last bool) {
	packets, ok := d.Aux(f)
	if !ok || f.Kind&kindMask != data {
		return false, false
	}
	return f.Seq == 0, f.Seq+1 == packets
}

// deflectable tells whether switches may deflect a packet of a message: if that is short, and the packet is sent for the first
// time. Parts of messages have packets that others overtake anyway.
func (g *Group) deflectable(m *message, retransmission bool) bool {
	return m.size <= g.Short && !retransmission && m.split < 0
}
