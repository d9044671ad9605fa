package end

import "weft/internal/packet"

// Kinds of packet.
const (
	Data uint8 = iota
	Ack
	Nack       // reports a packet that arrived trimmed or is missing; from a switch, its notice
	Pull       // grants credit to a sender
	Request    // asks a receiver for credit
	Probe      // tests a path
	Echo       // answers a probe
	Hosted     // belongs to a host transport
	Withdrawal // tells the receiver that a message was cancelled
	Advice     // tells a host its share before it begins (protocol.Advice)

	Kinds = iota // number of kinds
)

// Bits of a packet, with the kinds of packet that they apply to.
const (
	Marked   uint8 = 1 << iota // ACK: the packet arrived marked
	AskAck                     // data: the sender waits for an acknowledgement
	Measured                   // data: the message is measured
	Again                      // data: a retransmission

	Overdue = Again    // request: the sender waited for credit for a timeout
	Copied  = Measured // ACK: the packet had arrived before
	Inquiry = AskAck   // probe and echo: about a message; the echo carries a report

	Confirms = Marked // data: what the sender's bundle said when the packet left (protocol.Confirmer)

	PartsShift = 4 // data: bits from here on hold the number of parts of the message, minus 1
)

// Backlog is a packet flag for controls that ask for it (CongestionControl.Backlog). It says that
// other messages wait behind this one. The last packet of a message and retransmissions carry it
// if other messages came to the connection after theirs. A withdrawal carries it if the
// connection has waiting messages that nothing was sent of.
const Backlog = packet.Own

// NoPacket is a packet number that no packet has.
const NoPacket = 1<<32 - 1
