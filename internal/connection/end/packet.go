package end

import "weft/internal/packet"

// Kinds of packet.
const (
	Data uint8 = iota
	Ack
	Nack       // reports a packet that arrived trimmed or is missing; or of a switch, its notice
	Pull       // grants credit to a sender
	Request    // asks a receiver for credit
	Probe      // tests a path
	Echo       // answers it
	Hosted     // belongs to the transport of a host as a whole
	Withdrawal // tells a receiver that a message was cancelled
	Advice     // tells a host its share before it begins (protocol.Advice)

	Kinds = iota // their number
)

// Bits of a packet.
const (
	Marked   uint8 = 1 << iota // of an ACK: the packet arrived marked
	AskAck                     // of data: the sender waits for an acknowledgement
	Measured                   // the message is recorded
	Again                      // of data: a retransmission

	Overdue = Again    // of a request: credit was waited for in vain for a timeout
	Copied  = Measured // of an ACK: the packet had arrived before
	Inquiry = AskAck   // of a probe and its echo: about a message, of which the echo has a report

	Confirms = Marked // of data: what the sender's bundle said when it left (protocol.Confirmer)

	PartsShift = 4 // above it stands, of data, in how many parts the message is divided, less 1
)

// Backlog is a flag for controls that ask for it (CongestionControl.Backlog). The last packet of a message has it, and what is sent
// again, if others came to the connection after the message. A withdrawal has it if others wait there of which nothing was sent.
const Backlog = packet.Own

// NoPacket is the number of no packet of a message.
const NoPacket = 1<<32 - 1
