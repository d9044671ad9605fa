package homa

import (
	"fmt"

	"weft/protocol"
)

// settings lists what options come to.
func (c *config) settings() []protocol.Setting {
	list := []protocol.Setting{
		{Name: "rtt_bytes", Value: c.rttBytes, Meaning: "bytes on the wire of a message that a receiver keeps in flight"},
		{Name: "unscheduled", Value: c.unscheduled, Meaning: "payload of a message that is sent without waiting for grants"},
		{Name: "scheduled", Value: float64(c.scheduled), Meaning: "priority levels for scheduled packets"},
		{Name: "overcommit", Value: float64(c.overcommit), Meaning: "messages that a receiver grants to at a time"},
		{Name: "tail_boost", Value: c.boost, Meaning: "bytes at the end of a message that use unscheduled levels if those are better"},
		{Name: "resend", Value: c.resend, Meaning: "silence after which a receiver asks for what is missing; 0 for never"},
	}
	for i, cutoff := range c.cutoffs {
		list = append(list, protocol.Setting{Name: fmt.Sprintf("cutoff%d", i+1), Value: cutoff, Meaning: fmt.Sprintf("largest size, or bytes left, of unscheduled level %d", i+1)})
	}
	return list
}
