// Package dart is receiver-side apportioning (DASR) of "Dart: Divide and Specialize for Fast Response
// to Congestion in RDMA-based Datacenter Networks" (Xue et al.), with DCQCN as its fallback. A receiver
// counts the hosts that send to it and puts the count n on acknowledgements; a sender host keeps
// all that it sends to that receiver within C/n, one round trip after the first packet of another
// sender. Deflection in switches (IOFD), the other half of Dart, is package fabric's.
//
// A [receiver] serves one host, a [limit] one pair of hosts; neither knows of simulators or sockets.
// The control of each connection is DCQCN's (package congestion), unchanged.
//
// # Receiver
//
// A sender is in the set from the first packet of a message on until all of its messages have arrived
// (§III-B): hosts are counted, not messages. With counts: backlog it is also in the set while messages wait on its connection (type
// backlog). One that was silent for idle is taken for dead. Three states
// follow from ECN marks and the rate at which data come in (§III-C, Figure 5):
//
//	no congestion:        no marks                      n as counted
//	receiver congestion:  marks, the link is full       n as counted, marks kept back
//	elsewhere:            marks, the link is not full   n = 1, marks go to DCQCN's notification point
//
// Acknowledgements of the first two are the same: there is no mark to keep back without congestion.
//
// With look-ahead (§III-D) the first packet of a message lists the senders of its incast. They are in the
// set at once. The number of the incast tells each one's own first packet, so that none counts twice.
//
// A list that comes when the first packets of all its senders have come counts as a new incast. This is a known
// limitation. All that it lists but its own sender are expected again, each until another list of the incast comes from
// it, or until it was silent for idle. Such lists come with subflows (each part's first packet has the list), with
// trimming (the trimmed first packet announces the incast, and its whole copy does again), and from a sender
// that was taken for dead and sends its first packet later. Use look-ahead with one connection per message and
// without trimming.
//
// # Parameters
//
// Where the paper's text at hand has lost a number, or never had one, what stands here was chosen before
// anything ran (2026-11-28).
//
// The paper's:
//
//   - flows start at line rate; n on every acknowledgement (but see Simplifications); the sender's rate is C/n
//     and its flows to the receiver share it (§III-A, §III-B);
//   - idle: 2 s ("e.g., 2 seconds", §III-B);
//   - list: 2 B for each sender (§III-D);
//   - marks at the source's NIC (§III-C);
//   - patience: 0s. A marked packet that finds less than line rate makes the state elsewhere at once (§III-C). Until
//     2026-12-01 weft waited one span (patience: span). A queue of K bytes marks packets that arrive K/C later, when the
//     span may still reach back to before the queue, and a wrong verdict halves rates for milliseconds. But marks of
//     the network are kept back as long, and queues between switches grow meanwhile.
//
// Inferred from it:
//
//   - n = 1 elsewhere: the numeral is lost; 1 is the only one with which DASR "does not interfere".
//   - count_bytes: 2 B for n. A list spends 2 B on a sender, and 64K senders are the most that it names.
//   - the options of DCQCN (gain 1/256, interval 50 us, alpha_timer and rate_timer 55 us, byte_counter, fast): lost; those of
//     DCQCN's paper, which Dart's text says it follows.
//   - rate: receiver. The paper's C is "the line rate" of a network where all are equal. With several, n
//     senders overload or underuse a receiver unless C is the receiver's.
//
// Ours:
//
//   - counts: messages. A sender leaves when "all the messages from that sender terminate" (§III-B), and the testbed's application, which
//     posts many messages in a row, counts as one sender for as long as it transmits (§V-A). Where a connection carries one message after
//     another, that is counts: backlog, for which packets say by a bit whether messages wait. The default is weft's first reading. With a
//     connection for each message none waits. With a pool any connection may take those that wait, so packets say nothing of them.
//   - line_share: 95 %. "Equal to line rate" needs a margin for what else uses the link: acknowledgements are
//     1.5 % of data of 4 KiB.
//   - span: the time over which the rate is measured, the longer of 2 base RTT and 64 full packets. It
//     begins no earlier than the set became non-empty, and leaves out the packet that made it so: a receiver
//     that was idle is not congested elsewhere.
//   - calm: how long no marked packet comes until there is no congestion; by default twice the time of
//     DCQCN's fast recovery (2 · fast · rate_timer, 550 us), or one span if that is longer. DCQCN's marks come once a recovery; to count
//     again in between would let n and DCQCN take turns. Without a fallback it is one span. Receiver congestion ends
//     the state elsewhere at once.
//   - drain: 100 %, the share of C that is apportioned while n > 1. Sums of C/n fill the link exactly, so that the
//     queue of line-rate starts stays. The paper has no such factor; FNCC's 90 % has the same purpose.
//   - weights: tenants share a link by weight, and the senders of a tenant equally. The paper names weighted shares
//     as an easy extension.
//   - reset: off. Whether DCQCN's limits of before end when the receiver is congested: the paper does not
//     say. With it, what limits is n alone.
//   - who may be listed: hosts that send traffic of the same tenant.
//
// # Tenants
//
// A link is divided among the tenants of which a message is under way, and a tenant's part among its senders, those
// that are expected included. So a list that names senders which never send makes n of that tenant larger, and
// no other's. What the tenant leaves unused, others do not get: their shares are those that they would have beside an
// honest tenant.
//
// # Simplifications
//
// What marks are kept back is lost, as in the paper. The rate counts data only. A message all of whose packets
// are lost keeps its sender in the set until idle.
//
// Marks are kept back from DCQCN alone. The paper suppresses them on acknowledgements; here acknowledgements have them
// all the same, and balancers that look at marks see them.
//
// NACKs of go-back-N, answers to trimmed packets, and acknowledgements that are repeated after all of a message
// arrived carry no n (see protocol.Answerer).
package dart
