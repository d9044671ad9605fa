package phost

import "weft/protocol"

// settings lists what options come to.
func (o Options) settings(env protocol.HostEnv) []protocol.Setting {
	c := newConfig(o, env)
	return append([]protocol.Setting{
		{Name: "free", Value: c.messages.FreeAmount, Meaning: "payload of a message that is sent without tokens"},
		{Name: "window", Value: float64(c.window), Meaning: "unanswered tokens that downgrade a message"},
		{Name: "gap", Value: c.gap, Meaning: "time between the tokens of a receiver"},
		{Name: "life", Value: c.life, Meaning: "time after which a sender's tokens expire"},
		{Name: "downgrade", Value: c.downgrade, Meaning: "time that a downgraded message goes without tokens"},
		{Name: "resend", Value: c.messages.Again, Meaning: "time after which tokens are granted again for what has not arrived"},
	}, c.messages.Settings()...)
}
