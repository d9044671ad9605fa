package scenario

import (
	"weft/protocol"
	"weft/unit"
)

// queueRule describes the queue of a port before BDPs and shares are converted to bytes.
type queueRule struct {
	limit   QueueLimit
	headers unit.Amount // of class 0, if the fabric trims
	marking protocol.Marking
	// The keys that set these values, for messages.
	limitKey, headersKey, markingKey string
}

// queueRules holds the rule of every switch port.
type queueRules struct {
	fabric queueRule
	// others are the rules of ports that fabric.ports names. of holds each port's index
	// into others, or -1 for a port with the fabric's rule. Both are nil without
	// fabric.ports.
	others []queueRule
	of     []int32
}
