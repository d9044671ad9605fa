// Package socket sends and receives datagrams over UDP, and waits short times.
//
// A Bank is a set of UDP sockets on one local address. Port index 0 is the one that others
// know. The other ports serve as entropy: switches that hash the source port choose different
// paths for them. Answers to a datagram go to the port that it came from, so a bank reads from
// all its sockets.
//
//	bank, err := socket.Listen(":7000", socket.Options{ECN: true})
//	...
//	err = bank.Send(3, to, data)    // never waits; ErrBusy if the kernel has no room
//	err = bank.SendBurst(3, to, list) // as one, which the kernel or the adapter cuts apart
//	n, err := bank.Receive(batch)   // waits for at least one
//
// A Waiter waits until a time, or until another goroutine calls Wake.
//
// # Linux
//
// Datagrams are never fragmented: sending one that is too large for the path returns a
// *SizeError. Congestion marks (ECN) are read for IPv4 and IPv6, even if one socket serves both.
// One system call reads up to 32 datagrams. Nothing is allocated per datagram.
//
// A burst is one call for up to 64 datagrams (UDP_SEGMENT, since Linux 4.18). With
// Options.Merge a receiver gets them as one (UDP_GRO, since 5.0). The kernel then does its work
// once per burst. Over the loopback, both ends together, a datagram of 1452 B took 12 µs of
// processor time alone, 1.1 µs in bursts of 16, and 0.6 µs in bursts of 44. Bank.Offload says
// what works. The caller must find out whether a path carries bursts (package burst). Sending
// several datagrams in one call without a burst (sendmmsg) would save a quarter of a send. But
// they must leave from one port, and packets are sprayed over ports.
//
// Over IPv6 each port has its own flow label, which the kernel derives from addresses and ports.
// So switches that hash the label instead of ports spread packets too (RFC 6438).
//
// One epoll instance holds all sockets of a bank, and the runtime's poller watches that
// instance, so a goroutine that waits in Receive takes no thread. The runtime does not watch
// the sockets themselves; it would look at each arrival twice. Alternatives were measured and
// did not shorten round trips: a thread that blocks in epoll, one goroutine per socket, and
// letting the goroutine that waits for an answer read the sockets while a second epoll instance
// wakes another goroutine in between. Polling without waiting is worse on two processors, since
// the other end must run as well.
//
// The kernel grants receive buffers up to net.core.rmem_max, and larger ones to root.
//
// # Other systems
//
// Other systems use the sockets of package net, with one goroutine per port. ECN is neither set
// nor read, there are no bursts, the system may fragment datagrams, and Send may wait.
//
// # Environment variables
//
// These variables turn off features that a kernel or an adapter gets wrong. Any value other
// than the empty string and 0 turns the feature off. They are read when a Bank is made.
//
//	WEFT_WIRE_NO_ECN        neither set nor read ECN
//	WEFT_WIRE_NO_FLOWLABEL  let datagrams of IPv6 leave with flow label 0
//	WEFT_WIRE_NO_MMSG       read one datagram per system call
//	WEFT_WIRE_NO_GSO        send no bursts
//	WEFT_WIRE_NO_GRO        receive each datagram by itself
//	WEFT_WIRE_PLAIN         use the sockets of package net on Linux too
package socket
