package end

import "weft/unit"

// Counts sums up what the ends of connections did.
type Counts struct {
	// Started and Completed count messages, at their senders; Delivered those
	// whose last byte arrived.
	Started, Completed, Delivered uint64
	// Cancelled counts messages that were taken back.
	Cancelled uint64
	// StartedBytes and DeliveredBytes count payload, each byte once.
	StartedBytes, DeliveredBytes uint64
	// Packets counts data packets that arrived for the first time.
	Packets     uint64
	Retransmits uint64
	// Spurious counts retransmissions of packets that arrived twice, by the copies of them
	// that arrived.
	Spurious uint64
	Timeouts uint64
	Trims    uint64
	Acks     uint64
	// Pulls, Requests and Probes count frames of these kinds.
	Pulls, Requests, Probes uint64
	// Advices counts those that receivers sent.
	Advices uint64
	// Notices counts those of switches that arrived.
	Notices uint64
	// SourceMarks counts frames that hosts marked, for controls that ask for it.
	SourceMarks uint64
	// CreditGranted is the credit that receivers gave, in wire bytes, and
	// CreditGrantedAgain what they gave in place of lost pulls; CreditReceived is
	// what of CreditGranted reached its sender.
	CreditGranted, CreditGrantedAgain, CreditReceived uint64
}

// Packets counts data packets that arrived for the first time and whole. Marked are those with an ECN mark, and Kept those
// whose mark the receiving end of the control kept from the sender's control. Balancers that look at marks see those too.
type Packets struct {
	Arrived, Marked, Kept uint64
	Payload               unit.Bytes // of those that arrived, each byte once
}

// Load is what a host was given to send, and what of it was sent, in payload and each byte once: packets count when they are sent for
// the first time.
type Load struct{ Started, Sent unit.Bytes }

// Add adds what others did.
func (c *Counts) Add(o Counts) {
	c.Started += o.Started
	c.Completed += o.Completed
	c.Delivered += o.Delivered
	c.Cancelled += o.Cancelled
	c.StartedBytes += o.StartedBytes
	c.DeliveredBytes += o.DeliveredBytes
	c.Packets += o.Packets
	c.Retransmits += o.Retransmits
	c.Spurious += o.Spurious
	c.Timeouts += o.Timeouts
	c.Trims += o.Trims
	c.Acks += o.Acks
	c.Pulls += o.Pulls
	c.Requests += o.Requests
	c.Probes += o.Probes
	c.Advices += o.Advices
	c.Notices += o.Notices
	c.SourceMarks += o.SourceMarks
	c.CreditGranted += o.CreditGranted
	c.CreditGrantedAgain += o.CreditGrantedAgain
	c.CreditReceived += o.CreditReceived
}
