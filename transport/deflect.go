package transport

import "weft/fabric"

// Ends tells whether a frame is the first packet of its message, and whether it is the last, for
// fabric.DeflectConfig. Only data of connections without credit have tokens.
func Ends(d *fabric.Domain, f *fabric.Frame) (first, last bool) {
	packets, x := d.Aux(f)
	if x != nil {
		packets = listedPackets(x)
	}
	return f.Seq == 0, f.Seq+1 == packets
}

// deflectable tells whether switches may deflect a packet of a message: if that is short, and the packet is sent for the first
// time. Parts of messages have packets that others overtake anyway, and what spends credit may have no count of packets (writeAsk).
func (g *Group) deflectable(m *message, retransmission bool) bool {
	return m.size <= g.Short && !retransmission && m.split < 0 && m.conn.credits == nil
}
