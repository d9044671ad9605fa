// Package explain explains why a message took as long as it did. It does not know
// how a network is simulated. It takes the events of one message, as a Trace, and
// splits its completion time into parts that add up to it exactly.
//
// # Critical-path accounting
//
// The FCT of a message is the length of one chain of causes, its critical path. Build walks
// it backwards, from the delivery of the last missing byte to the message's start:
//
//   - The packet whose arrival completed the message travelled since it was sent.
//     Its journey consists, link by link, of queueing at the port, serialisation
//     and propagation.
//   - It was sent no earlier because its host's wire was busy since the packet
//     might have been sent. That time is divided by what the wire carried: packets
//     of the message itself (serialisation) or other frames of the host (host
//     wire).
//   - The packet might have been sent from the latest of these times on: the start
//     of the message; the end of a time in which its connection could not send
//     anything (an acknowledgement arrived, a loss became known, or the packet was
//     due by its pace); or, for a retransmission, the time at which the loss of the
//     previous copy became known.
//   - From an acknowledgement the path goes back over its journey, its wait for the
//     wire of the receiver, the time for which the receiver held it back, and the
//     journey of the data packet that triggered it. From a loss it goes back over
//     the wait for the timeout, or over the journeys of the trimmed packet's header
//     and of the receiver's report, and then over the journey of the lost copy up
//     to where it was lost or trimmed. Either way it reaches the sending of an
//     earlier packet, and the search for that packet's own cause begins.
//
// Every step covers the time up to the next step on the path. So the segments of
// the path cover the time from start to end without gap or overlap, in picoseconds.
//
// # What the parts include
//
//   - Serialisation: a packet of the path on a wire, counted once per
//     store-and-forward hop of a journey. Also the time for which the path waited
//     for the host's wire while it carried the message's own packets.
//   - Propagation: from the end of a packet's serialisation until it is ready at
//     the next node, including the latency of a switch there.
//   - Queueing: from when a packet or acknowledgement is ready at a switch until
//     its serialisation begins there, while the port finishes the frame in service
//     and sends all frames that go first. Time in which the port serialises frames
//     of the message itself is queueing behind own packets; the rest is queueing
//     behind others.
//   - Window, reorder limit, credit: the idle time of the sender's wire, within a
//     round trip that the sender had to wait for because it was not allowed to
//     send, while the path was in no queue. A larger window (reorder limit, earlier
//     credit) would have filled this part of an empty network's round trip with
//     packets. Time in which the sender's wire carried frames is serialisation (the
//     message's own packets) or host wire (others). So a window too small for the
//     base round trip shows as window. A window used up because packets or
//     acknowledgements wait in queues shows as queueing.
//   - Paced: the idle time of the sender's wire from the previous packet of the
//     connection until the next one was due, where its congestion control spaces
//     packets and nothing else kept it from sending. The rest of that time is what
//     the wire carried.
//   - Receiver had not granted: for a message that is sent on credit, the idle time
//     of the sender's wire from the arrival of the sender's latest packet at the
//     receiver until the receiver sent the credit in question. The receiver served
//     others, or kept to its limits or its pace. The time in which data, requests
//     and credit were under way is credit, as above.
//   - Host wire: waiting while the host's wire carries frames of other messages and
//     acknowledgements; also the wait of an acknowledgement at the receiver. A
//     frame that its NIC holds back (fabric.nic_jitter) waits for the wire, too.
//   - Host jitter: the delays of inexact hosts (fabric.host_jitter), behind the
//     wire of the sending host and before the transport of the receiving one. In a
//     round trip it counts only the idle time of the sender's wire.
//   - Retransmission: from the loss of a copy until its sender knew (a timeout), or
//     from its trimming until the report of that arrived.
//   - Held acknowledgement: how long a receiver that coalesces acknowledgements
//     waited for more packets before its timer made it send.
//   - Paused: while the class of a packet, acknowledgement or control packet is
//     paused at the port or NIC where it waits (fabric.pfc). The wait after that,
//     behind others that were paused too, is queueing or host wire.
//   - Link down: the sender's own link was down.
//
// # Transports of hosts
//
// A transport that owns all messages of a host (SIRD, Homa, dcPIM, pHost, ExpressPass)
// reports whether a message may be sent, but not which of the receiver's packets
// allowed it. Build assumes the packet upon whose arrival the message could be sent, or
// else the latest one before. It assumes that the receiver sent that packet because of
// the latest packet that it had from the sender. So rounds of matching, and pacers,
// count as waiting, in which the idle time of the sender's wire is credit. A copy
// counts as known to be lost from the receiver's latest packet before the
// retransmission or, if there is none, from the retransmission on.
//
// # Ambiguities
//
// The cause of a step is the event that enabled it last. Often other events came close,
// so improving one part need not shorten the FCT by as much. The acknowledgement that
// opened the window is the one upon whose arrival the connection could send again,
// although earlier ones contributed. If several packets of a connection time out at
// once, the last of them that the sender looked at stands for all. The cause of a
// coalesced acknowledgement is the packet that made the receiver send it or, if its
// timer did, the oldest packet that it reports. If a connection carries several
// messages one after another, the path may lead over acknowledgements of earlier ones;
// it is cut at the start of the message in question. A timeout of a packet that was in
// fact delivered is retransmission from its delivery on.
package explain
