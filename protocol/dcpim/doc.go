// Package dcpim is dcPIM (Cai, Arashloo, Agarwal, "dcPIM: Near-Optimal Proactive Datacenter
// Transport", SIGCOMM 2022), sender and receiver of a host in one state machine
// ([protocol.HostTransport]).
//
// Hosts match senders with receivers before they send long messages, as a crossbar's
// scheduler does (parallel iterative matching), and share one clock, which is reckoned from
// time 0. Each host has k channels to send and k to receive, each worth a k-th of its link.
//
// # Epochs
//
// An epoch is a matching phase of r rounds and a data phase of alpha times their length. A
// round lasts beta control round-trip times. The matching of an epoch overlaps the data
// phase of the one before: a new one begins every alpha × r rounds. In a round,
//
//   - receivers ask (kindRequest) each sender of pending long messages for the channels that
//     its shortest one needs, less those that both have already in this epoch and in the one
//     whose data phase runs, and at most those that are free;
//   - half a round later senders promise (kindGrant) channels that they have free;
//   - with the next round receivers accept (kindAccept) as many as they have free. If a sender
//     has fewer left, it returns the excess (kindReturn).
//
// Senders and receivers choose the peer with the fewest bytes left in the first rounds, and
// at random later.
//
// In the data phase a receiver gives tokens to each sender that it is matched with, for its
// shortest message, one each k/channels packet times, and waits when more than channels/k of a
// window are without an answer, so that at most one more than that is, as in the public
// simulator. Tokens are void half a control round-trip time and k packet times after the
// phase.
//
// # Short messages
//
// Messages of up to 1 BDP are sent at once, before all others, without being matched, and
// receivers hold back as many tokens. What is missing a while later is matched like a long
// message.
//
// # Priorities
//
// Control packets have the first class, then short messages, then long ones (three
// levels). The public simulator (Terabit-Ethernet/dcPIM) has more for data, by size: up to 7
// packets, up to 49, and so on by powers of 7, six levels at most, the last above 16807
// packets. scenarios/sird/dcpim.yaml has cutoffs at 7, 49, 343 and 2401 packets and leaves the
// one at 16807 out, so that messages above it, of more than 24.5 MB, do not go after those of
// 2402 to 16807 packets. Of the workloads of SIRD's evaluation only WKc has any, 2 % of its
// messages.
//
// # Parameters
//
// [Options] lists them with the published defaults. With 100 Gb/s and a BDP of 100 kB in full
// packets of 1538 B, messages of up to 65 packets are short. With a control round-trip time
// of 7 µs, as in the network of SIRD's evaluation, a round lasts 9.1 µs and a phase 36.4 µs,
// in which a channel carries 73 packets.
//
// # Frames
//
// All packets without payload are control frames (HostEnv.Control). The
// shared part (protocol/internal/tokens) has the rules of tokens and of what was lost.
//
// # Losses
//
// A token names a packet. When all packets that are missing have had one, a receiver gives
// the message none for token_resend. After that it begins anew, as soon as something comes
// from the sender or a data phase begins for which the two are matched. Tokens without an
// answer are taken for lost after window_timeout. Lost requests, grants and accepts cost
// channels of one epoch. A sender repeats a notification as long as it hears nothing of its
// message; the receiver confirms a message that arrived in full, again if asked.
//
// # Departures and simplifications
//
//   - Hosts' clocks agree exactly, as in the public simulator. The paper needs no exact
//     synchronization.
//   - The last packet of a message has its true size, unless padded is set. In the public
//     simulator all have 1500 B, of which 40 are header, and control packets 40 B, without
//     what Ethernet adds. With small messages that matters: WKa of SIRD's evaluation puts 1.44
//     times its payload on the wire so, which fills links at 70 % of load, and 1.13 times
//     with true sizes, all headers and control packets of short messages included.
//   - Long messages whose bytes left are equal go by age, and senders order messages by what
//     they never sent rather than by what the receiver misses, which is known there sooner.
//   - The control round-trip time is by default the fabric's base round-trip time, which has a
//     full packet one way; control_rtt sets it.
//   - Channels that are idle in the running data phase do not begin before their phase, as in
//     the public simulator, where that optimization is not complete.
//   - Repeated notifications, and their interval, are not in the public simulator, which loses
//     no control packets.
//   - Nothing wakes a link when token_resend is over, as in the public simulator; pHost's
//     receivers do wake then. So if nothing else comes from the sender, what was lost of the
//     end of a message waits for the data phase after the next one, since receivers ask for no
//     channels that they have in the running one. To wake would have more packets sent again
//     where none is lost, those that only wait in queues: token_resend is by default no
//     longer than a round trip through empty ones.
//   - Messages can be taken back (cancel.go). Channels from their sender go on with its other messages at once. If it has
//     none, they are idle until their data phase is over.
//   - Receivers hold back tokens for the short message that began last, not for all that are on
//     their way, as in the public simulator: what is held back while nothing is matched
//     would add up.
package dcpim
