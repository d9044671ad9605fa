// Package explain tells why a message took as long as it did. It knows nothing of
// how a network is simulated: it is given what happened to one message, as a
// Trace, and splits its completion time into parts that add up to it exactly.
//
// # Critical-path accounting
//
// The FCT of a message is the length of one chain of causes, its critical path.
// Build walks it backwards, from the delivery of the last missing byte to the
// message's start:
//
//   - The packet whose arrival completed the message travelled since it was sent.
//     Its journey consists, link by link, of queueing at the port, serialisation
//     and propagation.
//   - It was sent when it was because its host's wire was busy since the packet
//     might have been sent. That is tiled by what the wire carried: packets of the
//     message itself (serialisation) or other frames of the host (host wire).
//   - The packet might have been sent from the last of these on: the start of the
//     message, the end of a time in which its connection was not allowed to send
//     anything (an acknowledgement arrived, a loss became known, or by its pace it
//     was due), or, if it is sent again, the moment at which the loss of the copy before became known.
//   - From an acknowledgement the path goes back over its journey, its wait for the
//     wire of the receiver, the time for which the receiver held it back, and the
//     journey of the data packet that triggered it. From a loss it goes back over
//     the wait for the timeout, or over what became of the trimmed packet's header
//     and of the receiver's report, and then over the journey of the lost copy up
//     to where it was lost or cut. Either way it reaches the sending of an earlier
//     packet, whose own cause is looked for in turn.
//
// Every step tiles the time up to the step before, so that the segments of the
// path cover the time from start to end without gap or overlap, in picoseconds.
//
// # What the parts include
//
//   - Serialisation: a packet of the path on a wire, counted once for each
//     store-and-forward hop of a journey, and the time in which the path waited
//     for the host's wire while that carried the message's own packets.
//   - Propagation: from the end of a packet's serialisation until it is ready at
//     the next node, the latency of a switch that is reached included.
//   - Queueing: from when a packet, or an acknowledgement, is ready at a switch
//     until its serialisation begins there: the rest of the frame in service and
//     all frames that go first. While the port serialises frames of the message
//     itself it is queueing behind own packets, or else behind others.
//   - Window, reorder limit, credit: within a round trip that the sender had to
//     wait for because it was not allowed to send, the time in which the path was
//     in no queue and the sender's wire was idle: the part of an empty network's
//     round trip that a larger window (reorder limit, earlier credit) would have
//     filled with packets. What of it overlaps with frames on the sender's wire is
//     serialisation (the message's own packets) or host wire (others). So a window
//     that is too small for the base round trip shows as window, and one that is
//     used up because packets or acknowledgements stand in queues as queueing.
//   - Paced: from the packet of the connection before until the next one was due, where
//     its congestion control spaces packets and nothing else kept it from sending: the
//     time in which the sender's wire was idle. The rest is what the wire carried.
//   - Receiver had not granted: of a message that is sent on credit, from when the
//     latest packet of its sender reached the receiver until the receiver sent the
//     credit in question, in which the sender's wire was idle: the receiver served
//     others, or kept to its limits or its pace. The time in which data, requests and
//     credit were under way is credit, as above.
//   - Host wire: waiting while the host's wire carries frames of other messages
//     and acknowledgements; also that of an acknowledgement at the receiver. A frame
//     that its NIC holds back (fabric.nic_jitter) waits for the wire, too.
//   - Host jitter: hosts that are inexact (fabric.host_jitter), behind the wire of the
//     host that sends and before the transport of the one that receives. In a round trip
//     it is the part in which the sender's wire was idle.
//   - Retransmission: from where a copy was lost until its sender knew (a timeout),
//     or from where it was trimmed until the report of this arrived.
//   - Held acknowledgement: the time for which a receiver that coalesces
//     acknowledgements waited for more packets before its timer made it send.
//   - Paused: while the class of a packet, acknowledgement or control packet is paused at
//     the port or NIC where it waits (fabric.pfc). What it waits for after that, behind
//     others that were paused too, is queueing or host wire.
//   - Link down: the sender's own link was down.
//
// # Transports of hosts
//
// A transport that has all messages of a host (SIRD, Homa, dcPIM, pHost, ExpressPass)
// says whether a message may be sent, and not which of the receiver's packets allowed
// it. That is taken to be the one upon whose arrival it might be sent, or else the
// latest one before; and what made the receiver send that, the latest packet that it
// had from the sender. So rounds of matching and pacers count as waiting, in which the
// sender's idle wire is credit. A copy is known to be lost from the receiver's latest
// packet before it was sent again, or from then if there is none.
//
// # Ambiguities
//
// Causes are those of the events that enabled the next step last; often others
// came close, and an improvement of one part need not shorten the FCT by as much.
// The acknowledgement that opened the window is the one upon whose arrival the
// connection could send again; earlier ones have their share in it. If several
// packets of a connection time out at once, the last of them that the sender
// looked at stands for all. A coalesced acknowledgement is caused by the packet
// that made the receiver send it, or, if its timer did, by the oldest one that it
// reports. Where a connection carries several messages one after another, the
// path may lead over acknowledgements of the earlier ones; it is cut at the start
// of the message in question. A timeout of a packet that was in fact delivered is
// retransmission from its delivery on.
package explain
