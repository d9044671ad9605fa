package scenario

import (
	"weft/protocol"
	"weft/unit"
)

// queueRule is how the queue of a port is set up, before bandwidth-delay products and
// shares are bytes.
type queueRule struct {
	limit   QueueLimit
	headers unit.Amount // of class 0, with trimming
	marking protocol.Marking
	// The keys that say so, for messages.
	limitKey, headersKey, markingKey string
}

// queueRules has the rule of every port of a switch.
type queueRules struct {
	fabric queueRule
	// others are the rules of ports that fabric.ports names, of is the place of a port's
	// among them, and -1 that of all else. Both are nil without fabric.ports.
	others []queueRule
	of     []int32
}
