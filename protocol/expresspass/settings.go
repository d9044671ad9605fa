package expresspass

import "weft/protocol"

// settings lists what options come to.
func (o Options) settings(env protocol.HostEnv) []protocol.Setting {
	c := newConfig(o, env)
	return []protocol.Setting{
		{Name: "w_step", Value: c.wStep, Meaning: "growth of w per step; 0 for half the way to the largest"},
		{Name: "target_loss", Value: c.targetLoss, Meaning: "share of credits that may be lost before the rate falls"},
		{Name: "credit_min", Value: c.creditMin, Meaning: "smallest credit on the wire"},
		{Name: "credit_max", Value: c.creditMax, Meaning: "largest credit on the wire"},
		{Name: "credit_gap", Value: c.gap, Meaning: "pause between credits of the mean size at the highest rate"},
		{Name: "small", Value: float64(c.small), Meaning: "packets below which a flow's first rate is lower in proportion; 0 for never"},
		{Name: "pool", Value: float64(c.pool), Meaning: "connections per pair of hosts; 0 for one per message"},
		{Name: "retry_max", Value: c.retryMax, Meaning: "longest time after which a sender asks again"},
	}
}
