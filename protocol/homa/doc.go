// Package homa is Homa (Montazeri, Li, Alizadeh, Ousterhout, "Homa: A Receiver-Driven
// Low-Latency Transport Protocol Using Network Priorities", SIGCOMM 2018), sender and
// receiver of a host in one state machine ([protocol.HostTransport]).
//
// A sender sends the first RTTbytes of a message at once, unscheduled, and the rest as
// it is granted, a packet each time. Of its messages the one with the fewest bytes left
// goes first, the older one if there are several; grants and other control go before
// data. The NIC is never given more than one packet.
//
// A receiver grants to k senders at a time (controlled overcommitment, §3.5): to those
// whose best messages have the fewest bytes still to be granted. The best message of each
// has up to RTTbytes in flight, in wire bytes: what was granted or unscheduled and has not
// arrived. A grant may go whenever a packet of the sender arrives, and when the last
// grant to the sender is as old as its packet takes on the wire; sooner only if it is for
// a better level. When a sender leaves the k, the next one is granted to at once. So of
// the messages that are granted to at any time at most k × RTTbytes, and a packet each, is
// outstanding. What was granted to messages that shorter ones overtook, or that are granted
// in full, comes on top.
//
// Levels of priority, 0 first (§3.4). The highest ones are for unscheduled packets: which
// one follows from the size of the message, or from the bytes left when the packet is
// sent, by cutoffs that divide the unscheduled bytes of the workload equally. The others
// are for scheduled packets, one for each of the k senders, pushed to the low end: one
// sender alone has the lowest level, and a shorter newcomer the level above, so that
// nobody else changes levels.
//
// # Presets
//
// "paper" is the SIGCOMM 2018 paper, and "sird" the port of Homa's public simulator with
// which the tables of SIRD's evaluation (NSDI 2025, Tables 4 and 5) were made. They differ
// in this:
//
//   - Unscheduled levels go by the size of the message (paper) or by the bytes left, the
//     packet itself included (sird).
//   - Losses are recovered (paper) or assumed never to happen (sird).
//   - A message is confirmed by a control frame (paper), or draws a reply of 4 bytes of
//     payload (sird).
//
// The rules of grants and of scheduled levels are those of the public simulator in both,
// since the paper names only the principles.
//
// # Parameters
//
// [Options] lists them with the published defaults. At 100 Gb/s (SIRD §6.2): RTTbytes and
// unscheduled payload 100 kB (1 BDP), 8 levels, of which scheduled, and k, 5 for WKa (4 in
// Homa's own files) and 7 for WKb and WKc; tail boost none (1 BDP in Homa's own files).
//
// Cutoffs that are computed count of each message the wire bytes of the packets that begin
// within its first RTTbytes, each under the key that decides about its level, and all grants
// under a key of 0; they cut the sum into equal parts. With the sizes of WKa and by the
// bytes left that gives 2644 and 26 554 B for three levels, and 1349, 7696 and 50 259 B for
// four. If sizes are given and scheduled is not, levels are divided by the wire bytes of
// unscheduled and scheduled data.
//
// # Frames
//
// An unscheduled packet says the message's size and how much of it is unscheduled, so that
// any may be the first to arrive. Scheduled packets have 14 B less of header, and so much
// more payload. With the published sizes that is 1442 and 1456 B of payload in 1538 B on the
// wire, with preamble and gap; a grant takes 86 B, and all other control frames the same.
//
// If a balancer learns, every data packet's entropy and mark are returned: in a grant or
// confirmation to its sender, or in a control frame of its own.
//
// # Losses
//
// §3.7, and Homa's Linux module for the times (recovery.go): a receiver that hears nothing of
// a message though packets of it are on the way asks for the first missing part (RESEND).
// The sender sends it again, or first answers that it is busy with shorter messages (BUSY),
// which begins the wait anew. A grant says up to which byte the message may be sent, so that
// one that is lost, late or repeated does no harm; a RESEND for what was never sent is a
// grant. Messages are one way, so that the confirmation takes the place of an RPC's
// response: a sender that misses it asks, and the receiver answers with it, that the message
// is known, or with a RESEND if nothing of it arrived. What was lost stays in flight in the
// receiver's books until it arrives.
//
// # Departures and simplifications
//
//   - The public simulator's grants count packets; here one that was overtaken by a later one
//     adds nothing.
//   - What is sent again goes at level 0, as in the Linux module.
//   - Waits double with each RESEND in vain, up to 64 times the first, and no message is ever
//     given up. The Linux module asks at a fixed interval, and gives up after five.
//   - The incast optimization (§3.6), which needs RPCs, is left out, as in the public
//     simulator and in SIRD's evaluation.
//   - Cutoffs are computed from a known distribution and do not change while a run lasts;
//     receivers do not measure the traffic, nor send cutoffs to senders.
//   - Replies of preset sird go before data and at the class of control, and have no
//     reply of their own.
package homa
