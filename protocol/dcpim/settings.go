package dcpim

import "weft/protocol"

// settings lists what options come to.
func (o Options) settings(env protocol.HostEnv) []protocol.Setting {
	c := newConfig(o, env)
	return append([]protocol.Setting{
		{Name: "short", Value: c.messages.FreeSize, Meaning: "payload up to which a message is sent without matching"},
		{Name: "token_window", Value: float64(c.window), Meaning: "tokens that may be unanswered with all channels"},
		{Name: "window_timeout", Value: c.windowTimeout, Meaning: "time after which such tokens no longer count"},
		{Name: "token_resend", Value: c.messages.Again, Meaning: "time after which tokens are granted again for what has not arrived"},
		{Name: "round", Value: c.round, Meaning: "time of a round of matching"},
		{Name: "epoch", Value: c.period, Meaning: "time from one matching to the next"},
		{Name: "per_channel", Value: float64(c.perChannel), Meaning: "packets that a channel carries in a data phase"},
	}, c.messages.Settings()...)
}
