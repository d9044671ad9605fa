// Package solo runs one host of the simulator without a network. [Carry] wraps a host
// transport so that it runs in the simulator's carrier (package transport). Messages
// are submitted there, packets travel in frames, and the carrier decides when to call
// the transport. The caller of the wrapped transport plays network and clock. So a
// recording of a real run can be replayed (weft wire replay --simulator).
//
// # What a call stands for
//
//	Submit          a message of the host's traffic begins
//	Receive         a frame arrives
//	Next            the wire is free
//	Expire          the host's timer, which has come before, takes effect: a real host is late
//	Cancel, Forget  the methods of transport.Transport
//
// The engine keeps the host's timer. Work that is due by the clock waits for the
// call of Expire. All other calls of the timer come on time.
//
// # What is compared
//
// Each call must lead to exactly one call of the wrapped transport. It must be the same
// call, at the same time, with the same message, or with the packet that the carrier reads
// from the frame. The transport's answer is returned. These differences are reported:
//
//	X of the environment      the carrier makes the transport with another environment
//	number of calls           the carrier does not call the transport, or more than once
//	X of the message, packet  it calls the transport with something else
//	wish to send              there is a packet, but the carrier had nothing to send, and no timer of it was due
//	timer                     Expire is called, but no timer of the carrier was due
//	X of the frame            the frame differs from the packet
//	promise of the transport  the transport breaks a rule of protocol.HostTransport
//
// # What is not compared
//
// The simulator cannot reproduce the following. Each item is replaced or restored,
// so that everything else is still compared.
//
//   - The order of calls at one instant: a network has its own order. Here calls
//     keep the order in which they are made.
//   - The time at which the wire becomes free: it is the time of the call of Next.
//     An earlier time at which nobody asked is unknown.
//   - Calls of Next in vain: a carrier of real packets may ask when it has nothing
//     to send, so the simulator's carrier is asked, too.
//   - Tags: the simulator's have 33 bits. The wrapped transport sees the caller's
//     tags, and the carrier has its own for messages of the host. The frame of an
//     incoming packet holds a part of its tag; the rest is restored.
//   - Entropies: the carrier draws its own, unless the transport pins them.
//     Choosers learn nothing.
//   - The flag Pinned of incoming packets: frames do not carry it, so it is
//     restored.
//   - The random stream, HostEnv.Largest, which no simulation limits, and
//     HostEnv.Paths, which the simulation lacks: the transport gets the caller's.
//   - Peers' numbers: the host has as many peers as the caller's, which need not be
//     on the fabric.
//
// The host has number 0 and one group of traffic. Calls for other groups are
// refused and reported as a difference.
package solo
