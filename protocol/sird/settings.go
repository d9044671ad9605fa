package sird

import (
	"weft/protocol"
	"weft/unit"
)

// settings lists what options come to. What is infinite has no number.
func (o Options) settings(env protocol.HostEnv) []protocol.Setting {
	c := newConfig(o, env)
	list := []protocol.Setting{
		{Name: "bdp", Value: c.bdp, Meaning: "bandwidth-delay product that amounts refer to"},
		{Name: "b", Value: c.b, Meaning: "credit that a receiver may have outstanding"},
		{Name: "sender_bucket", Value: c.bucket, Meaning: "most credit that it may have outstanding with one sender"},
		{Name: "sender_floor", Value: c.atLeastPacket(c.senderFloor), Meaning: "minimum of that bucket in the loop for congested senders"},
		{Name: "net_floor", Value: c.atLeastPacket(c.netFloor), Meaning: "minimum of that bucket in the loop for the network"},
	}
	if c.unschT < unit.Unbounded {
		list = append(list, protocol.Setting{Name: "unscht", Value: c.unschT, Meaning: "largest message that is sent without waiting for credit"})
	}
	if c.sThr < unit.Unbounded {
		list = append(list, protocol.Setting{Name: "sthr", Value: c.sThr, Meaning: "credit from which a sender counts as congested"})
	}
	return append(list, protocol.Setting{Name: "pace", Value: c.rate, Meaning: "rate of the data that a receiver grants"})
}
