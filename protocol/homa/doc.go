// Package homa is Homa (Montazeri, Li, Alizadeh, Ousterhout, "Homa: A Receiver-Driven
// Low-Latency Transport Protocol Using Network Priorities", SIGCOMM 2018): sender and
// receiver of a host as one state machine.
//
// A sender sends the first RTTbytes of a message at once, unscheduled, and the rest as
// it is granted, a packet each time. Of its messages the one with the fewest bytes left
// goes first, the older one if there are several; grants and other control go before
// data. The NIC is never given more than one packet.
//
// A receiver grants to k senders at a time (controlled overcommitment): to those whose
// best messages have the fewest bytes still to be granted. The best message of each has up
// to RTTbytes in flight, in wire bytes: what was granted or unscheduled and has not
// arrived. A grant may go whenever a packet of the sender arrives, and when the last
// grant to the sender is as old as its packet takes on the wire; sooner only if it is for
// a better level. When a sender leaves the k, the next one is granted to at once. So of
// the messages that are granted to at any time at most k × RTTbytes, and a packet each, is
// outstanding. What was granted to messages that shorter ones overtook, or that are granted
// in full, comes on top.
//
// Levels of priority, 0 first. The highest ones are for unscheduled packets: which one
// follows from the size of the message (paper), or from the bytes left when the packet is
// sent (sird), by cutoffs that divide the unscheduled bytes of the workload equally. They
// are given, or computed from a distribution of sizes (see cutoffs). The others are for
// scheduled packets, one for each of the k senders, pushed to the low end: one sender
// alone has the lowest level, and a shorter newcomer the level above, so that nobody
// else changes levels.
//
// Losses (§3.7): a receiver that hears nothing of a message for a while, though packets are
// on the way, asks for the first missing part (RESEND). The sender sends it again, or
// answers that it is busy with other messages (BUSY). A RESEND for what was granted but
// never sent is a grant. Messages are one way, so that a receiver confirms each (where
// Homa has the response of an RPC), and a sender that hears nothing asks: the receiver
// answers with the confirmation, with BUSY, or, if it knows nothing of the message, with a
// RESEND.
//
// Preset paper is the SIGCOMM 2018 text. Preset sird is the port of the published
// simulator that SIRD's evaluation (NSDI 2025, Tables 4 and 5) used: unscheduled levels
// by the bytes left, no resends, and a reply of 4 bytes of payload for each message. Both
// have the same grants, which are those of the published simulator.
//
// Published parameters at 100 Gb/s: RTTbytes 100 kB (1 BDP), 8 levels, k and scheduled
// levels 5 (WKa; 4 in Homa's own files) or 7 (WKb, WKc), payload 1442 B unscheduled and
// 1456 B scheduled of 1538 B on the wire, grants of 86 B.
//
// Departures and simplifications:
//   - Grants tell up to which byte the message is granted, as in the paper; the public
//     simulator counts packets. A grant that was overtaken by a later one adds nothing.
//   - The bytes left at the sender are those not sent, granted or not.
//   - RESEND answers go at level 0, as in Homa's Linux module.
//   - A RESEND is repeated after twice the time each, up to 64 times the first; no message is
//     ever given up. The Linux module gives up after five.
//   - The incast optimization (§3.6), which needs RPCs, is left out, as in the public
//     simulator and SIRD's port.
//   - Cutoffs do not change while a run lasts; receivers do not send them to senders.
package homa
