package transports

import (
	"math/rand/v2"

	"weft/protocol"
	"weft/unit"
)

// specimen is what a host knows that is made to be looked at.
func specimen() protocol.HostEnv {
	return protocol.HostEnv{
		Rand: rand.NewPCG(1, 1), Out: new(protocol.HostOutput), LineRate: 10 * unit.Gbps, BaseRTT: 100 * unit.Microsecond, BDP: 125 * unit.KB,
		Packet: 1500, Payload: 1400, Header: 100, Control: 100, Hosts: 2, Largest: unit.MB, Classes: 8,
	}
}
