// Package connection has both ends of the connections of some hosts: window and rate controls, acknowledgement, loss
// detection, clocks, bundles, pools, probes and subflows. It knows packets (package packet), and neither the simulated
// fabric nor sockets: a carrier hands it messages and packets that arrived, takes the packets that it sends, and calls
// it when a deadline has come. Package transport is the simulator's carrier.
//
// Calls come one at a time, with a clock that never runs backwards. Which host they are about is a number among those
// of the carrier; packets name hosts by their numbers in the network.
//
// With a receiver-driven congestion control (protocol.Credited) the sending end spends
// credit, and the receiving side of each host (protocol.Receiver), which is one for all
// its traffic, is told of what arrives and grants it. Pulls and requests are lost like
// other packets; credit is counted in totals, so that later ones make good for it, and a
// sender that waited for credit for a retransmission timeout asks again.
//
// Header bytes: every data packet carries end.Params.Header beside its payload, and within it
// what a sender asks of its receiver. All other packets are of Params.AckSize:
// acknowledgements, reports of trimmed packets, pulls, requests for credit, probes and
// their echoes. Pulls and requests have random entropies, so that no dead path holds up a
// sender for ever; acknowledgements and echoes have that of the packet they answer.
//
// Simplifications: connections need no handshake, as between RDMA queue pairs
// that exist beforehand; the receiver knows a message's length from its first
// packet; a receiver has a buffer for every message. The acknowledgement of a
// single packet carries that packet and all before the first gap, and without
// Params.AckBitmap no bitmap: if it is lost while a gap stays open, its packet is sent
// again after a timeout.
package connection
