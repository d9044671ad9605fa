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
// are for scheduled packets, one for each of the k senders, at the low end: one sender
// alone has the lowest level, and a shorter newcomer the level above, whose packets then
// wait behind none of the longer message. A grant's level is that of the packet that it
// grants, which keeps it.
//
// # Presets
//
// "paper" is the SIGCOMM 2018 paper, and "sird" the port of Homa's public simulator with
// which the tables of SIRD's evaluation (NSDI 2025, Tables 4 and 5) were made. They differ
// in this:
//
//   - Senders that are granted to have the lowest levels at all times (paper). Or a sender
//     keeps its level when another one leaves, unless that was before it in the order, not
//     first, or there is no room; the lowest levels may then be empty (sird).
//   - Unscheduled levels go by the size of the message (paper) or by the bytes left, the
//     packet itself included (sird).
//   - Losses are recovered (paper) or assumed never to happen (sird).
//   - A message is confirmed by a control frame (paper), or draws a reply of 4 bytes of
//     payload (sird).
//
// When a grant goes is the rule of the public simulator in both, since the paper names only
// the principle: RTTbytes in flight of each message that is granted to.
//
// # Messages of equal size
//
// Messages of equal size that arrive together do not end one after another. The paper asks
// for this, and all public code of its authors does it: its simulator, the implementation
// in RAMCloud that the paper measures, the user-level library, and the Linux module.
//
//   - The first message of which a packet arrives is alone, so that its first grant has the
//     lowest level. The next one is longer by what was granted, and takes the lowest level;
//     the first moves up. And so on.
//   - A packet that was sent keeps its level. The first granted packet of each message
//     waits at the lowest level until those above leave the wire idle, and its message is
//     incomplete until then. It counts as in flight, so that a receiver whose RTTbytes just
//     fill the wire gets a packet less a round trip.
//   - Nothing asks for it sooner: a RESEND comes only after silence. RAMCloud's code notes
//     that it sends such packets again though they only wait.
//
// Let each of n messages take the time S on the wire, n be at most k, and RTTbytes and
// unscheduled bytes be more than a round trip of the wire holds. The first n-1 end together,
// after (n-1) × S, and the last after n × S (equal_test.go). Four messages of 3 MB on
// 25 Gb/s end at 2.9, 2.9, 2.9 and 3.9 ms. If RTTbytes are w packets and just fill a round
// trip, every w-th packet on the wire is the next message's, and the first two end after
// w/(w-1) × (2 - 1/(w-1)) × S: with w = 5 at 2.1, 2.1, 2.9 and 3.9 ms. With k of 1 or 2 they
// end one after another, at 1.0, 2.0, 2.9 and 3.9 ms, since a message's first packet then
// waits for no message but its own.
//
// Ties: of messages with equal bytes to grant the smaller goes first, then the one of which
// something arrived first. The public simulator takes the one that was created first; the
// paper says nothing of ties.
//
// Where public code differs otherwise, both presets follow the simulator. RAMCloud, the
// library and the Linux module order messages by what has not arrived rather than by what
// is not granted. There a grant's level also holds for packets that earlier grants allowed
// and that were not sent. RAMCloud sends one grant for each arrival, to the best message
// that has room, and gives the last RTTbytes of a message an unscheduled level.
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
//   - Messages can be taken back (cancel.go). Their receivers grant to others in their place at
//     once.
package homa
