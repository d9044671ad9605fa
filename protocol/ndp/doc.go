// Package ndp is the transport of NDP (Handley et al., "Re-architecting datacenter networks
// and stacks for low latency and high performance", SIGCOMM 2017), over switches with short
// queues that trim packets (fabric.overflow: trim) and serve ten headers for each packet of
// data that waits (fabric.trim.ratio, which NDP sets to 10 where a scenario does not; §3.1).
//
// The sender of a connection pushes a window of packets at line rate when it begins, without
// asking. From then on it sends one packet for each that it is pulled: first those that were
// trimmed or lost, then new ones (§3.2). A packet costs a pull whatever its size.
//
// Every packet that arrives, whole or trimmed to its header, earns its connection one pull.
// The receiver of a host queues these and sends one in the time that a full packet takes on
// its link, in turn from all connections that have any. When a message is complete its
// pulls are dropped, unless its connection serves a pair of hosts and goes on. A pull carries the total of its connection, so that a lost one is made
// good by the next.
//
// What is common to transports that learn of losses from trimmed headers is that of the
// carrier: an answer to each packet at once, in the class of headers; retransmission of what
// was reported trimmed; timeouts. EQDS (package eqds) grew out of NDP, and differs in that
// receivers pull for what senders have left, in bytes, and do not pull where nothing is.
//
// # Parameters
//
// [Options] lists them. As published, queues of switches hold 8 packets and as many bytes of
// headers, a coin decides which packet is trimmed, packets have 9 or 1.5 kB, and each takes
// a path of its own:
//
//	fabric: {queue: 72000B, overflow: trim, trim: {header: 64B, queue: 72000B, victim: coin}}
//	transport: {congestion: ndp, balancer: ops}
//
// The paper's text was not at hand when these were written: the queue of 8 packets, the coin
// and the sizes of packets are taken from memory of it and of htsim.
//
// With a window of 1 BDP a permutation takes 87 % of the links, and with 1.5 BDP or more
// 95 %. An incast of 100 senders takes 4 % longer than the link would: pulls at the full rate
// of the link never let its queue drain, so that now and then a packet is trimmed, which
// wastes its turn.
//
// # Departures and simplifications
//
//   - A header for which there is no room is dropped. Returning it to its sender is left
//     out: the sender learns of the loss by its timeout, after which the packet goes at
//     once, without a pull.
//   - Senders choose paths as the balancer says. NDP permutes the list of all paths and
//     leaves out those that lose more than others; ops draws each time.
//   - Receivers pull all connections in turn; priorities among them are left out.
//   - A sender that waited for a pull for a retransmission timeout, while packets are left to
//     send, asks, and the pulls that were lost are sent again.
//
// Frames: a pull is as large as an acknowledgement.
package ndp
