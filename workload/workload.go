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
	// Round, if not nil, is what its host knows of those that come with it, for transports that
	// tell receivers beforehand. It is the source's own, and good until its next call.
	Round *Round
}

// Round is messages that hosts send to one receiver together.
type Round struct {
	// Number tells the rounds of a group of traffic apart, from 1 on.
	Number uint32
	// Senders are the hosts that are said to have a message each.
	Senders []int32
}

// Source yields the messages of one host for one group of traffic, in order
// of start. It belongs to the host's domain and shares nothing with others.
type Source interface {
	// Next returns the next message, or false if there is none now: either
	// for ever, or until Completed is called.
	Next() (Message, bool)
	// Completed tells that the message of the given ordinal, counted from 0 in the
	// order in which they started, was fully acknowledged at its sender at time
	// now. A closed loop answers with its next message at the following call of
	// Next.
	Completed(now unit.Time, ordinal uint64)
}

// Receiver is a source whose messages depend on what its host receives. It is
// asked when its next message is due after every call of Completed and Received,
// and for the message itself when that time has come.
type Receiver interface {
	Source
	// Due returns when the message starts that Next would yield, or false if there
	// is none now. A message may become due earlier than it was, or another one
	// before it. A source with something else to do at a time of its own, such as the end of a
	// computation, is due then, too; Next does that, and yields no message.
	Due() (unit.Time, bool)
	// Received tells that the message of the given ordinal from host src in the
	// same group of traffic was delivered in full at time now.
	Received(now unit.Time, src int32, ordinal uint64)
}

// Signaller is a receiver that sends signals to the sources of other hosts in its
// group. They go beside the network and take the time that a run says for all;
// from a host to itself they take none.
type Signaller interface {
	Receiver
	// Emit returns the next signal to send: the host and a value that its source
	// understands. It is asked after every call of Completed, Received and
	// Signalled until it has none.
	Emit() (to int32, value uint32, ok bool)
	// Signalled tells that a signal of a host arrived at time now. Signals of the same
	// instant come in the order of their senders.
	Signalled(now unit.Time, from int32, value uint32)
}

// Neighbour is a signaller whose host is a part of a machine with other hosts, such as the hosts of the NICs of
// a node. Signals between them take no time.
type Neighbour interface {
	Signaller
	// Beside returns the hosts of the machine, with its own among them; nil if it is alone. All of them have
	// a source that is a Neighbour and says the same.
	Beside() []int32
}
