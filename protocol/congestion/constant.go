package congestion

import (
	"weft/protocol"
	"weft/unit"
)

// Constant is a window that never changes, to see a balancer or a queue without
// the reactions of a congestion control.
type Constant struct {
	Window unit.Amount `yaml:"window" default:"1BDP" doc:"The window, in wire bytes or BDP." source:"weft"`
}

// Build returns the control. It fails if the window is no size.
func (o Constant) Build() (protocol.CongestionControl, error) {
	if err := wrap("constant", checkAmounts(named{"window", &o.Window})); err != nil {
		return protocol.CongestionControl{}, err
	}
	return protocol.CongestionControl{Setup: constantSetup(), Fixed: true, New: func(env protocol.Env) protocol.Congestion {
		return constant(packets(o.Window, env)) * constant(env.Payload)
	}}, nil
}

// constant is a window in bytes of payload.
type constant unit.Bytes

func (c constant) Start(unit.Time)     {}
func (c constant) Acked(*protocol.Ack) {}
func (c constant) Lost(*protocol.Loss) {}
func (c constant) Window() unit.Bytes  { return unit.Bytes(c) }

// constantSetup is a plain fabric. Since nothing makes the window smaller, queues hold what
// several windows leave in them.
func constantSetup() protocol.Setup {
	return protocol.Setup{
		Balancer: protocol.State("ecmp", "weft: the plain choice"),
		Marking:  unmarked("weft: nothing reacts to marks"),
		Queue:    protocol.State(protocol.Deep, "weft: nothing reacts to losses"),
		Recovery: protocol.State("sack", "RFC 6675"),
	}
}
