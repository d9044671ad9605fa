// Package workload determines which host sends how much to whom, and when. It provides size
// distributions, arrival processes and traffic patterns, and knows nothing about transports.
// Every random choice comes from a stream of (seed, host, purpose), so the same seed gives the
// same messages whatever transport carries them.
package workload

import "weft/unit"

// Message is one transfer that a host is to make.
type Message struct {
	// At is the earliest start. If a source's next message waits for a completion, the source
	// yields it after Completed was called.
	At unit.Time
	// Dst is the index of the receiving host.
	Dst  int32
	Size unit.Bytes
	// Round, if not nil, is what the host knows about messages that are sent together with this
	// one, for transports that announce an incast to its receiver. The source owns it. It is
	// valid until the source's next call.
	Round *Round
}

// Round is a set of messages that hosts send to one receiver together.
type Round struct {
	// Number distinguishes the rounds of a traffic group, from 1.
	Number uint32
	// Senders lists the hosts that are announced to have a message each.
	Senders []int32
}

// Source yields the messages of one host for one traffic group, in order of start. It belongs to
// the host's domain and shares nothing with others.
type Source interface {
	// Next returns the next message, or false if there is none now: either forever, or until
	// Completed is called.
	Next() (Message, bool)
	// Completed reports that a message was fully acknowledged at its sender at time now. ordinal
	// counts messages from 0 in the order in which they started. A closed loop yields its next
	// message at the following call of Next.
	Completed(now unit.Time, ordinal uint64)
}

// Receiver is a source whose messages depend on what its host receives. After every call of
// Completed and Received, it is asked when its next message is due. When that time comes, it is
// asked for the message.
type Receiver interface {
	Source
	// Due returns when the message that Next would yield starts, or false if there is none now. A
	// message may become due earlier than before, or another one may become due before it. A
	// source that must do something else at a given time, such as end a computation, is due then
	// too. Next does that work, and yields no message.
	Due() (unit.Time, bool)
	// Received reports that a message in the same traffic group, identified by its sender src and
	// its ordinal there, was delivered in full at time now.
	Received(now unit.Time, src int32, ordinal uint64)
}

// Signaller is a receiver that sends signals to the sources of other hosts in its group. Signals
// bypass the network and take a fixed time that the run sets; from a host to itself they take
// none.
type Signaller interface {
	Receiver
	// Emit returns the next signal to send: the destination host and a value that its source
	// understands. It is asked after every call of Completed, Received and Signalled until it has
	// none.
	Emit() (to int32, value uint32, ok bool)
	// Signalled reports that a signal from a host arrived at time now. Simultaneous signals
	// arrive in the order of their senders.
	Signalled(now unit.Time, from int32, value uint32)
}

// Neighbour is a signaller whose host shares a machine with other hosts, such as the NICs of one
// node. Signals between them take no time.
type Neighbour interface {
	Signaller
	// Beside returns the hosts of the machine, including its own; nil if it is alone. The sources
	// of all of them must be Neighbours that return the same list.
	Beside() []int32
}
