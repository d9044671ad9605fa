package transport

import (
	"weft/fabric"
	"weft/internal/connection/end"
)

// This file answers what the fabric asks about the packets of connections.

// Control returns the controllers of switch queues, from the first group whose
// congestion control has one. Other groups must agree.
func (t *Transport) Control() fabric.ControlConfig {
	for i := range t.net.Groups {
		if g := &t.net.Groups[i]; g.Congestion.Controller.On() {
			c := fabric.ControlConfig{Controller: g.Congestion.Controller, Class: g.Class, Reply: t.notice, BaseRTT: g.Env.BaseRTT}
			if c.Period == 0 {
				c.Period = max(1, c.BaseRTT)
			}
			return c
		}
	}
	return fabric.ControlConfig{}
}

// notice returns the frame that carries a notice to the source of a data frame. ok
// is false if that frame's congestion control uses no notices.
func (t *Transport) notice(f *fabric.Frame) (n fabric.Frame, ok bool) {
	if f.Kind != end.Data {
		return n, false
	}
	g := &t.net.Groups[f.Group()]
	if !g.Congestion.Controller.On() {
		return n, false
	}
	n = fabric.Frame{
		Message: f.Message, Serial: f.Serial, Seq: f.Seq, Entropy: f.Entropy,
		Size: uint16(g.Congestion.Controller.NoticeBytes), Kind: end.Nack,
	}
	n.Address(f.Dst(), f.Src(), f.Group())
	n.SetClass(g.AckClass, g.Spray)
	return n, true
}

// Ends reports whether a frame is the first packet of its message and whether it is
// the last, for fabric.DeflectConfig.
func Ends(d *fabric.Domain, f *fabric.Frame) (first, last bool) {
	return f.Seq == 0, f.Seq+1 == d.Aux(f)
}
