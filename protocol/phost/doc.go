// Package phost is pHost (Gao, Narayan, Kumar, Agarwal, Ratnasamy, Shenker, "pHost: Distributed
// Near-Optimal Datacenter Transport Over Commodity Network Fabric", CoNEXT 2015), sender and
// receiver of a host in one state machine ([protocol.HostTransport]).
//
// A sender announces each message (RTS) and begins it with free tokens, for a BDP. A receiver
// gives a token each packet time, to the message of all with the fewest bytes left; each
// names a packet. A sender sends for tokens, of its message with the fewest bytes left
// first, and those that it has not used 1.5 packet times later are void, since a message
// that is shorter, or to another receiver, took its uplink.
//
// A receiver downgrades a message that has a BDP of tokens without an answer: it has no more
// until data of it comes, or for 3 round-trip times (25 packet times of 8 a BDP). When all
// packets that are missing have had a token, it waits 9 packet times of 8 a BDP, and gives
// tokens for what is missing again.
//
// Control packets have the first class, then messages of up to 1 BDP, then longer ones.
//
// # Parameters
//
// [Options] lists them. The published ones, those of the public simulator's settings (8
// free tokens, a window of 8, timeouts of 25, 9 and 1.5 packets), are in packets of 1500 B at 10 and 40 Gb/s, with a
// BDP of 8 packets; here they are multiples of the BDP, so that they grow with it.
//
// # Frames
//
// All packets without payload are control frames (HostEnv.Control). The shared part
// (protocol/internal/tokens) has the rules of tokens and of what was lost.
//
// # Departures and simplifications
//
//   - Whether long messages begin with free tokens too, or only those of up to 1 BDP, as in
//     the public simulator (NetSys/simulator), is an option (free_for).
//   - A downgraded message has tokens again as soon as data of it comes; in the simulator the
//     receiver looks at it again when its next token is due.
//   - Tokens are given a full packet and a control packet apart, as in the simulator, so that the
//     downlink has room for control.
//   - Senders order messages by what they never sent, the public simulator by what the receiver
//     misses.
//   - A message whose n packets all have free tokens is held, so that what is missing has no new
//     ones, for n packet times and resend; in the public simulator for n times two packet times,
//     which is less, since n is at most 8 and resend 9 packet times.
//   - Repeated RTS, and their interval, are not in the simulator, which loses no control
//     packets.
//   - Messages can be taken back (cancel.go). The time that the receiver set aside for free tokens of such a message goes to
//     others.
//   - Other policies of the paper than the shortest remaining message first (fairness between
//     tenants, deadlines), and senders that tell how many messages they have, are left out.
package phost
