// Package hosted makes the connections of a host (package connection) a host transport
// (protocol.HostTransport). A carrier of such transports over sockets can then carry connections,
// with the same code for windows, rates and acknowledgements that the simulator runs. The
// simulator itself does not use this package; docs/design/0026 says why.
//
// # Packets
//
// Each packet belongs to a message, which Message names: messages to a host count from 0. Number
// is a number below 256 that no other message to that host is using. It becomes free once both
// ends are done with the message, and free numbers are reused in order.
//
//	kind  what         further fields
//	   0  data         Tag, Size, Offset, Entropy, payload; Own1: asks for an acknowledgement; Own2: of a long message; Own3: what
//	                   the control confirms (protocol.Confirmer); Own4: others wait behind it
//	                   (protocol.CongestionControl.Backlog); Resent
//	   1  acknowledges Extra: the packet that prompts it; Offset: all before this packet arrived; Entropy: as in the
//	                   packet; Own3: the packet was marked; Resent: perhaps a copy; Own4: certainly a copy; More
//	   2  probe        Number and Message: of the connection that probes; Entropy
//	   3  echo         the same as its probe; Own3: the probe was marked
//	   4  withdrawal   the message was cancelled; with a control that wants Backlog also Own2: of a long message; Own4: others wait
//	   5  withdrawn    the receiver has seen the withdrawal
//	   6  inquiry      Offset: how many packets the message has; Extra: the packet in question; Entropy: as in the
//	                   packet; SentAt: when it leaves, by its sender's clock; Own2: of a long message
//	   7  answer       Extra, Entropy and SentAt of the inquiry; Offset: all before this packet arrived; More
//
// Packets of a message count from 0, and all but the last are full: both hosts use packets of the
// same size. More begins with a byte whose bit 0 announces a report and bit 1 an answer. Numbers
// are uvarints unless a size is given:
//
//	report  packets, marked packets, base, words (1 B), words of a bitmap from base on (8 B each), entropies (1 B), entropies (2 B each)
//	answer  two words (8 B each)
//
// # Validation
//
// This package checks packets before connections see them, since their senders may be wrong or
// malicious. It drops the whole packet if a field is impossible: a message that changed its size,
// a packet number that was never sent, an entropy that was never used, an answer although the
// control gives none. Each other host can have 256 messages under way, whose memory the carrier
// has accepted. While 4096 answers wait to be sent, packets that ask for another one are dropped.
//
// # Short and long messages
//
// Each pair of hosts has one connection for messages up to a bandwidth-delay product and one for
// longer messages, so that a short message does not wait for a long one. Messages of a kind go in
// order.
//
// # What a host cannot provide
//
//   - Exact timers. Overdue deadlines are handled in order, each as of its own time, before
//     anything later, so the clocks of controls run evenly. A packet that leaves up to 2 ms late
//     because of a timer counts as sent on time for its pace (end.Network.Late).
//   - Pure network round-trip times. They run from when the carrier takes a packet to when it
//     hands over the acknowledgement, and so include the time that both hosts spend. Timeouts are
//     at least 5 ms and eight round trips.
//   - Reliable marks. If a path clears marks, controls that rely on them see an uncongested path
//     and slow down for losses only. Hosts do not mark their own packets
//     (CongestionControl.SourceMarks).
//   - Knowledge of the path: the number of switches, their queues, and the rate of the other
//     host's link, which is assumed to equal this host's.
//   - Switches that trim, stamp, compute or pause. [Control] refuses what needs that.
//   - Incasts. Nobody announces them, so no message lists its senders.
package hosted
