package phost

import "weft/protocol"

// settings lists what options come to.
func (o Options) settings(env protocol.HostEnv) []protocol.Setting {
	c := newConfig(o, env)
	return append([]protocol.Setting{
		{Name: "free", Value: c.messages.FreeAmount, Meaning: "payload of a message that is sent without tokens"},
		{Name: "window", Value: float64(c.window), Meaning: "tokens without an answer from which a message is downgraded"},
		{Name: "gap", Value: c.gap, Meaning: "time between the tokens of a receiver"},
		{Name: "life", Value: c.life, Meaning: "time after which a sender's tokens are void"},
		{Name: "downgrade", Value: c.downgrade, Meaning: "time for which a downgraded message has no tokens"},
		{Name: "resend", Value: c.messages.Again, Meaning: "time after which tokens are given anew for what has not arrived"},
	}, c.messages.Settings()...)
}
