package transport

import (
	"weft/fabric"
	"weft/protocol"
	"weft/sim"
)

// This file has what switches tell connections (protocol.Controller). A notice is a frame of the kind of a
// report, which a switch originated.

// Control returns what runs at the queues of switches: that of the first group whose control has any. Others
// must agree.
func (t *Transport) Control() fabric.ControlConfig {
	for i := range t.groups {
		if g := &t.groups[i]; g.Congestion.Controller.On() {
			c := fabric.ControlConfig{Controller: g.Congestion.Controller, Class: g.Class, Reply: t.notice, BaseRTT: g.Env.BaseRTT}
			if c.Period == 0 {
				c.Period = max(1, c.BaseRTT)
			}
			return c
		}
	}
	return fabric.ControlConfig{}
}

// notice returns the frame that takes a notice to the source of a data frame, if its control takes any.
func (t *Transport) notice(f *fabric.Frame) (n fabric.Frame, ok bool) {
	if f.Kind != data {
		return n, false
	}
	g := &t.groups[f.Group()]
	if !g.Congestion.Controller.On() {
		return n, false
	}
	n = fabric.Frame{
		Message: f.Message, Serial: f.Serial, Seq: f.Seq, Entropy: f.Entropy,
		Size: uint16(g.Congestion.Controller.NoticeBytes), Kind: nack,
	}
	n.Address(f.Dst(), f.Src(), f.Group())
	n.SetClass(g.AckClass, g.Spray)
	return n, true
}

// receiveNotice hands a notice to the control of its message, unless that is complete.
func (e *Endpoint) receiveNotice(now sim.Time, h int32, id fabric.FrameID) {
	e.counts.Notices++
	f := e.d.Frame(id)
	m, serial := e.messages[f.Message/e.domains], f.Serial
	from, n := e.d.Notice(id)
	e.d.Free(id)
	if !m.live || m.serial != serial {
		return
	}
	if c, ok := m.conn.congestion.(protocol.Notified); ok {
		c.Notify(now, int32(from), n)
		e.update(now, h, m)
	}
}
