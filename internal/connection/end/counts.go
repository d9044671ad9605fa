package end

import "weft/unit"

// Counts sums up the work of connections' ends.
type Counts struct {
	// Started and Completed count messages at their senders. Delivered counts messages whose last
	// byte arrived.
	Started, Completed, Delivered uint64
	// Cancelled counts messages that their sender withdrew.
	Cancelled uint64
	// StartedBytes and DeliveredBytes count payload, each byte once.
	StartedBytes, DeliveredBytes uint64
	// Packets counts first arrivals of data packets.
	Packets     uint64
	Retransmits uint64
	// Spurious counts data packets that arrived although an earlier copy had arrived.
	Spurious uint64
	Timeouts uint64
	Trims    uint64
	Acks     uint64
	// Pulls, Requests and Probes count sent frames of these kinds.
	Pulls, Requests, Probes uint64
	// Advices counts advices that receivers sent.
	Advices uint64
	// Notices counts arrived notices from switches.
	Notices uint64
	// SourceMarks counts frames that hosts marked themselves, for controls that ask for it.
	SourceMarks uint64
	// CreditGranted is the credit that receivers granted, in wire bytes. CreditGrantedAgain is
	// credit granted to replace lost pulls. CreditReceived is the part of CreditGranted that
	// reached its sender.
	CreditGranted, CreditGrantedAgain, CreditReceived uint64
}

// Packets counts first arrivals of untrimmed data packets. Marked is the number with an ECN mark.
// Kept is the number whose mark the receiving end of the control withheld from the sender's
// control; balancers that look at marks still see those.
type Packets struct {
	Arrived, Marked, Kept uint64
	Payload               unit.Bytes // of arrived packets, each byte once
}

// Load is the payload that a host was given to send, and the payload that it sent at least once.
// Each byte counts once.
type Load struct{ Started, Sent unit.Bytes }

// Add adds another side's counts.
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
