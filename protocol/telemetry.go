package protocol

import "weft/unit"

// This file has what switches may tell about themselves: in-band telemetry (INT).

// Stamp is what a switch says of one of its ports: at a time, what the port holds, what it has
// sent, and how fast it sends.
type Stamp struct {
	// At is when the stamp was taken.
	At unit.Time
	// Queue is what waits at the port, all classes together, without the frame in service.
	Queue unit.Bytes
	// Sent is what the port began to send before, in bytes on the wire, without the stamped
	// frame. Of a frame that is in service when an acknowledgement is stamped, only the part on the
	// wire counts. Only differences between stamps of a port mean something.
	Sent unit.Bytes
	// Rate is that of the port's link.
	Rate unit.Rate
}

// MostStamps is how many switches can stamp a packet. Those after stamp nothing.
const MostStamps = 8

// Stamps are what the switches of a path stamped, in the order of the data's path: the first
// is that next to the sender of the data.
type Stamps struct {
	// Path changes when the ports change; 0 without stamps.
	Path uint32
	// Hops has one stamp for each switch. It is good during the call.
	Hops []Stamp
}

// Stamping is how a control has switches stamp.
type Stamping uint8

// Ways to stamp.
const (
	// NoStamps is none.
	NoStamps Stamping = iota
	// OnData stamps data packets when their transmission begins; the receiver copies the
	// stamps into the acknowledgement (HPCC, SIGCOMM 2019, §3.1).
	OnData
	// OnAcks stamps acknowledgements on their way back, with the port over which each came
	// (FNCC, §3.2.1). Data and acknowledgements must cross the same switches.
	OnAcks
)
