// Package solo has one host of the simulator without a network. A transport of hosts that [Carry] wraps runs in the simulator's
// carrier (package transport): its messages are submitted there, its packets come and go in frames, and the carrier decides
// when to call it. Whoever calls the wrapped transport plays network and clock. So a recording of a real run can be replayed
// (weft wire replay --simulator).
//
// # What a call stands for
//
//	Submit          a message of the host's traffic begins
//	Receive         a frame arrives
//	Next            the wire is free
//	Expire          the host's timer, which has come before, takes effect: a real host is late
//	Cancel, Forget  those of transport.Transport
//
// The host's timer is kept by the engine. What is due by the clock waits for the call of Expire. All other calls of the timer
// come at their time.
//
// # What is compared
//
// Each call must lead to one call of the wrapped transport: the same, at the same time, with the same message, or with the packet
// that the carrier reads from the frame. What the transport answers is the answer. These are differences:
//
//	X of the environment      the carrier makes the transport with another environment
//	number of calls           the carrier does not call the transport, or more than once
//	X of the message, packet  it calls it with something else
//	wish to send              there is a packet, but the carrier had nothing to send, and no timer of it was due
//	timer                     Expire is called, but no timer of the carrier was due
//	X of the frame            the frame says something else than the packet
//	promise of the transport  the transport breaks a rule of protocol.HostTransport
//
// # What is not
//
// The simulator cannot have these as they are elsewhere. Each is replaced or restored, so that nothing else is compared less.
//
//   - Calls of one instant: a network has an order of its own. Here they come in the order in which they are made.
//   - The time at which the wire is free: it is that of the call of Next. When it was free and nobody asked is not known.
//   - Calls of Next in vain: a carrier of real packets may ask when it has nothing to send, and so the simulator's is asked, too.
//   - Tags: the simulator's have 33 bits. The wrapped transport sees the caller's, and the carrier has its own for messages of
//     the host. A packet that comes has a part of its tag in the frame, and the rest is put back.
//   - Entropies: the carrier draws its own, unless the transport pins them. Choosers learn nothing.
//   - The flag Pinned of packets that come: frames do not carry it, and it is put back.
//   - The stream of random numbers, HostEnv.Largest, which no simulation limits, and HostEnv.Paths, of which it has none: the transport gets the caller's.
//   - Peers' numbers: a host here has as many peers as the caller's, which need not be on the fabric.
//
// The host has number 0 and one group of traffic. What is of others is refused, as a difference.
package solo
