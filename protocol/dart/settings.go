package dart

import "weft/protocol"

// settings lists what options come to at a receiver.
func (o Options) settings(env protocol.HostEnv) []protocol.Setting {
	span, patience, calm := o.spans(env)
	return []protocol.Setting{
		{Name: "span", Value: span, Meaning: "time over which a receiver measures the rate of what comes in"},
		{Name: "patience", Value: patience, Meaning: "time of marks at less than line rate after which congestion counts as elsewhere"},
		{Name: "calm", Value: calm, Meaning: "time without marks after which there is no congestion"},
	}
}
