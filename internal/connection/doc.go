// Package connection implements both ends of connections: window and rate control,
// acknowledgement, loss detection, timers, bundles, pools, probes and subflows. It works on
// packets (package packet) and knows neither the simulated fabric nor sockets. A carrier provides
// these: it hands over messages and arriving packets, takes packets to send, and calls when a
// deadline has come. Package transport is the simulator's carrier.
//
// Calls must come one at a time, with a clock that never runs backwards. Arguments named local
// number a host among the carrier's hosts; packets name hosts by their number in the network.
//
// With a receiver-driven congestion control (protocol.Credited) the sending end spends credit.
// The receiving side of each host (protocol.Receiver) handles all its traffic: it learns what
// arrives and grants credit. Pulls and requests can be lost like other packets. Credit is counted
// in totals, so a later pull replaces a lost one, and a sender that has waited for credit for a
// retransmission timeout asks again.
//
// Header bytes: every data packet carries end.Params.Header in addition to its payload, which
// includes what a sender asks of its receiver. All other packets have Params.AckSize:
// acknowledgements, reports of trimmed packets, pulls, requests for credit, probes and their
// echoes. Pulls and requests have random entropies, so that a dead path cannot stall a sender
// forever. Acknowledgements and echoes have the entropy of the packet that they answer.
//
// Simplifications: connections need no handshake, like RDMA queue pairs set up in advance. The
// receiver knows a message's length from its first packet and has a buffer for every message. The
// acknowledgement of a single packet covers that packet and all packets before the first gap; it
// has no bitmap unless Params.AckBitmap is set. Without a bitmap, if an acknowledgement is lost
// while a gap stays open, its packet is sent again after a timeout.
package connection
