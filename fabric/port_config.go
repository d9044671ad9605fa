package fabric

import (
	"weft/protocol"
	"weft/unit"
)

// PortConfig describes the queue of a port. The zero value is one FIFO without room.
type PortConfig struct {
	// Classes is the number of classes, 1 to 8; 0 means 1. They are served in strict
	// priority, except for lanes of one priority.
	Classes int
	// Limit is the capacity of each class, or of all lanes of a priority together,
	// including the frame in service. A frame that does not fit is dropped or trimmed.
	Limit unit.Bytes
	// ECN marks by RED. It never marks up to KMin and always marks from KMax. In
	// between, the probability rises to PMax. With KMin equal to KMax it marks above
	// a threshold. The queue is compared before the frame is added.
	ECN        bool
	KMin, KMax unit.Bytes
	PMax       unit.Ratio
	// SpareFirst leaves a frame above KMin unmarked if the frame before it in its
	// class was not above KMin. It has no effect with MarkAtDequeue.
	SpareFirst bool
	// MarkAtDequeue decides when transmission begins, by the queue that the frame leaves behind.
	MarkAtDequeue bool
	// MarkByPort compares the bytes of all classes of the port instead of the frame's
	// class. SpareFirst then treats the classes as one queue, too.
	MarkByPort bool
	// Marking, if not nil, makes a marking rule for each class. ECN must then be off.
	Marking func(protocol.QueueEnv) protocol.Marker
	// Admission, if not nil, makes an admission rule for each class. A frame needs
	// the rule's consent in addition to room.
	Admission func(protocol.QueueEnv) protocol.Admitter
	// Trim, if not nil, trims frames that do not fit instead of dropping them.
	Trim *TrimConfig
	// Credit makes class 0 a class of credits, which are neither marked nor trimmed.
	// There must be another class for all other frames. Trim must be unset, since
	// trimmed headers would join class 0.
	Credit protocol.CreditClass
}

// TrimConfig describes how frames are trimmed. Headers join class 0.
type TrimConfig struct {
	// Header is the size of a trimmed frame, in bytes.
	Header uint16
	// Limit is the capacity of class 0.
	Limit unit.Bytes
	// Ratio, if positive, is how many frames of class 0 may go before a waiting frame
	// of another class goes. If it is 0, class 0 has strict priority.
	Ratio int
	// Coin trims the last frame of the queue instead of the arriving one with
	// probability one half (NDP, SIGCOMM 2017, §3.1).
	Coin bool
}

// limited reports whether class 0 has a limiter.
func (c *PortConfig) limited() bool { return c.Credit.On() }

func (c *PortConfig) plain() bool {
	return c.Classes <= 1 && c.Trim == nil && !(c.ECN && c.MarkAtDequeue) && !c.limited() && c.Marking == nil && c.Admission == nil
}
