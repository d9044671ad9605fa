package fabric

import (
	"weft/protocol"
	"weft/unit"
)

// PortConfig describes the queue of a port. The zero value is one FIFO that
// holds nothing.
type PortConfig struct {
	// Classes is the number of classes, 1 to 8; 0 means 1. They are served in strict priority, but for lanes.
	Classes int
	// Limit is what each class holds, or all lanes of one priority together, the frame in service included. A frame
	// that does not fit with what is already there is dropped or cut.
	Limit unit.Bytes
	// ECN marks by RED: never up to KMin, with a probability that rises to PMax
	// between KMin and KMax, and always from KMax. A threshold is KMin equal to
	// KMax, and marks above it. The queue is compared before the frame is added.
	ECN        bool
	KMin, KMax unit.Bytes
	PMax       unit.Ratio
	// SpareFirst lets the first frame above KMin after one that was not go unmarked, each
	// class by itself. It is of no use with MarkAtDequeue.
	SpareFirst bool
	// MarkAtDequeue takes the decision when transmission begins, by the queue
	// that the frame leaves behind.
	MarkAtDequeue bool
	// MarkByPort compares what all classes of the port hold, instead of the frame's
	// class alone. For SpareFirst, too, the classes are one queue then.
	MarkByPort bool
	// Marking, if not nil, makes a rule that marks, for each class; ECN is off then.
	Marking func(protocol.QueueEnv) protocol.Marker
	// Admission, if not nil, makes a rule for each class that must agree to take a frame.
	Admission func(protocol.QueueEnv) protocol.Admitter
	// Trim cuts frames that do not fit instead of dropping them.
	Trim *TrimConfig
	// Credit makes class 0 one for credits, which are neither marked nor trimmed. There
	// must be another class for all else, and no Trim, whose headers join class 0.
	Credit protocol.CreditClass
}

// TrimConfig describes how frames are cut. Headers join class 0.
type TrimConfig struct {
	// Header is what is left of a frame, in bytes.
	Header uint16
	// Limit is what class 0 holds.
	Limit unit.Bytes
	// Ratio, if positive, is how many frames of class 0 may pass while frames of other classes
	// wait, before one of these goes. Without, class 0 goes strictly first.
	Ratio int
	// Coin cuts the last frame of the queue in place of the arriving one with
	// probability one half (NDP, SIGCOMM 2017, §3.1).
	Coin bool
}

// limited tells whether class 0 has a limiter.
func (c *PortConfig) limited() bool { return c.Credit.On() }

func (c *PortConfig) plain() bool {
	return c.Classes <= 1 && c.Trim == nil && !(c.ECN && c.MarkAtDequeue) && !c.limited() && c.Marking == nil && c.Admission == nil
}
