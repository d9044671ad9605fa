// Package socket sends and receives datagrams over UDP, and waits short times.
//
// A Bank is a set of UDP sockets on one local address. Port number 0 is the one that others
// know. The other ports are entropy: switches that hash the source port take other paths for
// them. Whoever answers a datagram answers to the port that it came from, so all sockets of
// a bank are read.
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
// Datagrams are never fragmented: one that is too large for the path is a *SizeError. Marks
// of congestion (ECN) are read of IPv4 and IPv6, also where one socket serves both. Up to 32
// datagrams are read by one system call. Nothing is allocated per datagram.
//
// A burst is one call for up to 64 datagrams (UDP_SEGMENT, from Linux 4.18 on), and with
// Options.Merge a receiver gets them as one (UDP_GRO, from 5.0 on). The kernel then has its work once for
// each burst: over the loopback a datagram of 1452 B took 12 µs of a processor alone, 1.1 µs in bursts of 16,
// and 0.6 µs in bursts of 44, both ends together. Bank.Offload tells what works. What a path does to bursts is for the caller
// to find out (package burst). Several datagrams by one call without a burst (sendmmsg) would
// spare a quarter of a send, but needs those of one port, and packets are sprayed over ports.
//
// Over IPv6 each port has a flow label of its own, which the kernel makes from addresses and ports, so that switches that hash
// the label in place of ports spread packets as well (RFC 6438).
//
// One epoll instance holds all sockets of a bank, and the runtime's poller holds that
// instance. A goroutine that waits in Receive so takes no thread. The sockets themselves
// are not known to the runtime, which would look at each arrival twice. A thread that blocks
// in epoll, and one goroutine per socket, were measured: round trips are no shorter. Nor are they if
// whoever waits for an answer reads the sockets itself, and another goroutine is called by a second epoll
// instance in between; and to look again and again without a wait is worse on two processors,
// where the other end has to run as well.
//
// The kernel grants a receive buffer up to net.core.rmem_max, and more to root.
//
// # Elsewhere
//
// The plain sockets of package net are used, with one goroutine per port. ECN is neither
// set nor read, there are no bursts, fragments are up to the system, and a Send may wait for it.
//
// # Switches
//
// These variables of the environment turn off what a kernel or a card does wrong. Any value
// but the empty one and 0 does it. They are read when a Bank is made.
//
//	WEFT_WIRE_NO_ECN        neither set nor read ECN
//	WEFT_WIRE_NO_FLOWLABEL  let datagrams of IPv6 leave with flow label 0
//	WEFT_WIRE_NO_MMSG       read one datagram per system call
//	WEFT_WIRE_NO_GSO        send no bursts
//	WEFT_WIRE_NO_GRO        receive each datagram by itself
//	WEFT_WIRE_PLAIN         use the sockets of package net on Linux too
package socket
