// Package sird is SIRD (Prasopoulos, Kosta, Bugnion, Kogias, "SIRD: A Sender-Informed,
// Receiver-Driven Datacenter Transport Protocol", NSDI 2025), sender and receiver of a
// host in one state machine ([protocol.HostTransport]).
//
// Receivers schedule their downlinks: a message above UnschT is announced by a request and
// sent as its receiver grants credit, packet by packet, at the line rate. Two buckets
// bound what a receiver has outstanding, a global one of B and one for each sender.
// The latter's size is the lesser of two that AIMD loops adjust by marks in arriving
// data: ECN for the core, and csn for the sender, which sets it while it holds SThr or
// more of credit from all receivers. So credit goes to those who can use it.
//
// # What queues at a receiver
//
// Scheduled data queues at a downlink for at most B less the least path's BDP, plus a frame
// (§4.1), if all senders are as far away and answer credit at once. If they are at
// different distances, credit that was sent one after another can come back at the same time;
// and so it can if a sender holds credit of several receivers, if the network repeats packets,
// which take the downlink's time, and if what was lost is sent again, which nothing paces.
// Then only B bounds the queue. Unscheduled data comes on top, and so does with preset paper
// less than a frame of each sender, since any credit lets a full packet go.
//
// # Presets
//
// "paper" is Algorithms 1 and 2 as printed, and "nsdi25" what the public simulator does,
// with which the paper's tables were made. They differ in this:
//
//   - Unscheduled data: paper neither takes nor returns credit for it. nsdi25 charges its
//     wire size to both buckets, when the first packet arrives and whether it fits or not,
//     and every packet returns its share; the sender counts it as credit that it gave itself.
//     What it spends on another message that comes first returns before it is charged. So
//     with nsdi25 the buckets bound what is outstanding less what was charged of this kind.
//   - UnschT is compared with the payload (paper) or with the size on the wire (nsdi25). The
//     prefix is min(1 BDP, size) of payload, rounded up to whole packets (paper). With nsdi25
//     it is a packet at least, and else so much that the receiver's pool at the sender, with the
//     credit that it granted, is 1 BDP at most; it is cut down to whole packets there, so that no
//     credit is left over.
//   - The sender's bucket admits a credit that fits it (paper, line 9), or any while what is
//     in flight without it is not above the bucket (nsdi25).
//   - A packet goes while there is any credit (paper, Algorithm 2, line 5), or if it fits
//     (nsdi25). So by the paper's rule a sender can be short of less than a packet for a while,
//     and a receiver have as much less than nothing outstanding. nsdi25 first sends a packet of
//     each message that was not announced, of the largest first.
//   - csn: paper sets it if the credit held before the packet is at least SThr (Algorithm 2, line
//     7; the text of §4.3 has "exceeds"), on requests and on DATA that is sent again as on other
//     DATA; nsdi25 if that after it is above, and two messages or more are unfinished, the
//     packet's own included, and neither on requests nor on what is sent again.
//   - Loops: paper runs them for DATA, requests included, once for each bucket of bytes
//     as DCTCP does with its window: a cut by half of alpha, or one packet more. Each loop's
//     window is its own bucket, which Algorithm 1 leaves open, so that the one whose bucket is
//     larger looks more seldom than once a round trip: no more credit than the lesser is out.
//     nsdi25 runs them for every packet of the host; a bucket grows with each packet, marked or
//     not, and is cut at most once in one and a half buckets of packets, for the first time
//     after one bucket; alpha changes once in a bucket of packets, for the first time after one
//     packet.
//   - A receiver that cannot be sent to loses what its share of the uplink has saved: at once
//     (paper), or when the wire is next free and it still cannot (nsdi25), so that one that
//     grants a packet each time that one was sent gets its whole share.
//   - Pacing: 99 % of the line rate (paper; §5 says slightly below) or all of it, with a credit
//     up to 562 B early (nsdi25). What a credit waits for the host's own uplink, at most a
//     frame and other control packets, does not slow down those after it if the host had nothing
//     else to send when the credit became possible; if it had, the credit counts from when the wire
//     is free. In the evaluation that moves goodput by 0.5 % and mean queues by 2 % at most, up or
//     down, which is no more than another seed does.
//
// In both, credit is in wire bytes of the frames that it pays for, at least a control
// frame's; the floors of the loops are those of the simulator, since the paper names
// none, and a frame at least; alpha begins at 0; SRPT goes by payload that has not arrived at
// receivers, and by payload not sent at senders; the uplink is shared in packets: before each
// one, every one of n receivers that can be sent to is paid 0.5/n of a packet (fair_share/n), and
// the one that SRPT prefers 0.5 more (the rest). While none has saved a packet, all are paid
// again. The one that has saved most sends and pays a packet; of equals the preferred one, where the
// simulator leaves it to the order of a table.
//
// # Parameters
//
// [Options] lists them with the published defaults (§4, Tables 1 and 2). NThr is the ECN
// threshold of the switches, and so part of the fabric: 1.25 BDP, at ports between switches
// only (§4.2 says that those to hosts never have to mark; in the simulator they do not).
// The simulator compares it with what all classes of a port hold, which the paper leaves
// open: fabric.ecn.queue: port.
// The presets do not change options: for SThr the simulator has 48114 B, of 33 packets'
// payload, where Table 2 has half a BDP of 100 kB.
//
// # Frames
//
// Data frames have payload and header, all others are control frames: CREDIT, request
// (zero-length DATA), confirmation, query, status, and an acknowledgement that only
// carries an echo. Each data packet says the message's size and how much of it is
// unscheduled, so that any may be the first to arrive. With the paper's sizes that is 1458
// and 80 B (14 of SIRD, 46 below it, 20 of preamble and gap), and 84 B.
//
// If a balancer learns, every data packet's entropy and mark are returned: in a CREDIT to
// its sender, or in a control frame of its own if all was granted or called in, or eight
// others wait for one.
//
// # Losses
//
// The paper has Homa's scheme in a sentence. Here (recovery.go): a CREDIT carries the total
// granted, so that one that is lost, late or repeated does no harm. A receiver asks for what
// was granted and has not come while a message was silent for Silence, in which neither a
// packet of it came nor a CREDIT for it went; the sender says how far it has sent, and sends it again, in the
// class of scheduled data and without credit. A trimmed packet is lost. A message of which a sender has heard nothing for twice as long it announces again,
// and the receiver answers if it knows it. If a host is
// silent for four times as long, all its credit is called in (reclaimed), and it is granted
// none before it is heard of; a generation number tells old credit from new. So is credit
// that a sender says it has spent, if none of the data comes for a silence: it can have gone on
// packets of another message, of which the receiver misses nothing. The public
// simulator has no recovery.
//
// The credit of what was sent and has not come is taken back when the sender has said so
// (§4.4; reclaim: true, as preset paper has it): whether a copy comes, is lost, or the packet
// was only late, it is free once, and what is still with the sender stays outstanding. With
// reclaim: false, as with nsdi25, it stays outstanding until the copy comes, so that B
// bounds what is on the way with copies too. A confirmation carries
// the total granted too: a message can arrive in full though a CREDIT was lost, and a
// sender that is still short of credit with all messages confirmed asks for it, six times.
//
// # Messages that are taken back
//
// A sender that takes a message back tells the receiver until that answers (cancel.go). If the message had credit, or took that
// of others, the receiver calls the credit of the sender in as after silence, and asks at once how far its other messages
// were sent: they go on a round trip later.
//
// # Departures and simplifications
//
//   - Every message that arrived is confirmed by a control frame, which stands for the reply of
//     4 bytes that the evaluation's messages draw, and lets the sender forget the message.
//     (Confirm: false leaves it out.) In the simulator replies wait their turn like data.
//   - The simulator's hosts act in ticks of 30 ns; here they act at the instant.
//   - The uplink is paced by the NIC, which asks for the next packet when its wire is free.
//   - Messages go one way. A reply is a message of its own, which its application submits.
//   - Ties of SRPT: at a sender they go to the message that was submitted first, and among
//     receivers to the one with the lowest address. At a receiver they go to the message that
//     stands first in the list of those that want credit: it is in the order in which they
//     came until one leaves, whose place the last one takes.
//   - Tenant classes (policy: classes) share the credit by weight, and go by SRPT within; the
//     paper names the possibility only. Weights hold among those that can be granted to at
//     the time: a tenant saves nothing up while it has nothing to be granted, or while the
//     buckets of its senders are full.
//   - Round robin is among senders, and by SRPT among a sender's messages; the simulator takes
//     messages in turn, and ends the round when the global bucket is short. It is a receiver's
//     policy: for senders that take turns as well, write fair_share: 100%.
//   - The simulator can lift the bucket of a sender to its ceiling, whatever both loops say, from
//     data of the message that the sender's SRPT prefers to the sender's next packet (option lift,
//     off unless asked for). The paper does not have it, and the simulator's published settings
//     for the paper have it off (priority_flow 0 in nsdi25/large-scale-common.default, which no
//     file beside it changes). Scripts there read a folder of settings that is not published.
package sird
