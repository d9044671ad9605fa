package dcpim

import (
	"fmt"

	"weft/protocol"
)

// settings lists what options come to.
func (o Options) settings(env protocol.HostEnv) []protocol.Setting {
	c := newConfig(o, env)
	list := []protocol.Setting{
		{Name: "short", Value: c.messages.FreeSize, Meaning: "payload up to which a message is sent without matching"},
		{Name: "token_window", Value: c.window, Meaning: "tokens that may be without an answer with all channels"},
		{Name: "window_timeout", Value: c.windowTimeout, Meaning: "time after which such tokens do not count any more"},
		{Name: "token_resend", Value: c.messages.Again, Meaning: "time after which tokens are given anew for what has not arrived"},
		{Name: "round", Value: c.round, Meaning: "time of a round of matching"},
		{Name: "epoch", Value: c.period, Meaning: "time from one matching to the next"},
		{Name: "per_channel", Value: c.perChannel, Meaning: "packets that a channel carries in a data phase"},
	}
	for i, cutoff := range c.messages.Cutoffs {
		list = append(list, protocol.Setting{Name: fmt.Sprintf("cutoff%d", i+1), Value: cutoff, Meaning: fmt.Sprintf("largest message of level %d of data", i+1)})
	}
	return list
}
