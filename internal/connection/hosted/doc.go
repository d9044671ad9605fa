// Package hosted makes the connections of a host (package connection) its transport as a whole (protocol.HostTransport), so
// that whoever carries such transports over sockets carries connections as well: the code of windows, rates and
// acknowledgements is the one that is simulated. In the simulator connections stay as they are; docs/design/0026 says why.
//
// # Packets
//
// A packet is about a message, which Message names: messages to a host count from 0. Number is a number below 256 that no other
// message of its sender to that host has meanwhile; it comes to its turn again once both ends are done with the message.
//
//	kind  what         says beside
//	   0  data         Tag, Size, Offset, Entropy, payload; Own1: asks for an acknowledgement; Own2: of a long message; Own3: what
//	                   the control confirms (protocol.Confirmer); Own4: others wait behind it
//	                   (protocol.CongestionControl.Backlog); Resent
//	   1  acknowledges Extra: the packet that prompts it; Offset: all before this packet arrived; Entropy: that of the
//	                   packet; Own3: it was marked; Resent: perhaps a copy; Own4: certainly one; More
//	   2  probe        Number and Message: of the connection that probes; Entropy
//	   3  echo         the same as its probe; Own3: that was marked
//	   4  withdrawal   that the message was cancelled; where packets say what waits, also Own2: of a long message; Own4: others wait
//	   5  withdrawn    that its receiver knows
//	   6  inquiry      Offset: how many packets the message has; Extra: the packet in question; Entropy: that of the
//	                   packet; SentAt: when it leaves, by its sender's clock; Own2: of a long message
//	   7  answer       Extra, Entropy, and SentAt: those of the inquiry; Offset: all before this packet arrived; More
//
// Packets of a message count from 0, and all but the last are full: both hosts have packets of the same size.
// More begins with a byte that has bit 0 for a report and bit 1 for an answer. Numbers are uvarints unless a size is given:
//
//	report  packets, of these marked, base, words (1 B), words of a bitmap from base on (8 B each), entropies (1 B), entropies (2 B each)
//	answer  two words (8 B each)
//
// # What comes from others
//
// Packets are checked here before connections see them, since their senders may be wrong or mean harm. A packet is dropped
// whole if a number in it cannot be: a message of another size than before, a packet that nobody sent, an entropy that
// nothing was sent with, an answer of a control that gives none. Each other host can have 256 messages on
// their way, of which the carrier has accepted the memory; beyond 4096 packets that wait to be sent as answers, what asks for more is dropped.
//
// # Short and long messages
//
// Messages up to a bandwidth-delay product, and longer ones, have a connection each from a host to another: a short message
// does not wait for a long one. Those of a kind go in order.
//
// # What a host cannot give
//
//   - Timers are late. Deadlines are acted on one after another, each at its own time, before anything else that is later; so clocks
//     of controls run evenly. A packet that left late because of a timer counts as sent in time where its pace is concerned, up to 2 ms (end.Network.Late).
//   - Round-trip times are from when the carrier takes a packet to when it hands over the acknowledgement: they include what
//     both hosts take. Timeouts are 5 ms and eight round trips at least.
//   - Marks are those that the carrier sees. Where a path clears them, controls that go by marks take it for uncongested, and
//     slow down for losses only. Hosts do not mark their own packets (CongestionControl.SourceMarks).
//   - How many switches there are on the way is not known, nor the queue of any, nor the rate of the other host's link, which
//     is taken for that of this host.
//   - Switches trim nothing, stamp nothing, compute nothing and pause nobody. [Control] refuses what needs that.
//   - Nobody tells of incasts, so that no message lists its senders.
package hosted
