// Package workload says which host sends how much to whom, and when: size
// distributions, arrival processes and traffic patterns. It knows nothing of
// transports. Every random choice comes from a stream of (seed, host, purpose),
// so that the same seed gives the same messages whatever carries them.
package workload

import "weft/unit"

// Message is one transfer that a host is to make.
type Message struct {
	// At is the earliest start. A source whose next message waits for a
	// completion reports it when Completed was called.
	At unit.Time
	// Dst is the index of the receiving host.
	Dst  int32
	Size unit.Bytes
}

// Source yields the messages of one host for one group of traffic, in order
// of start. It belongs to the host's domain and shares nothing with others.
type Source interface {
	// Next returns the next message, or false if there is none now: either
	// for ever, or until Completed is called.
	Next() (Message, bool)
	// Completed tells that the oldest or any outstanding message was fully
	// acknowledged at its sender at time now. A closed loop answers with its
	// next message at the following call of Next.
	Completed(now unit.Time)
}
