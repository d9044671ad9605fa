// Package packet defines the packets that the ends of transports exchange and that switches look
// at. A packet is a 32-byte header with optional views, such as an acknowledgement's report or
// the stamps of switches. The package knows neither the simulated fabric nor sockets: either kind
// of carrier holds its packets in a [Store], by number.
//
// Views are typed and independent: a packet can have any combination of them. Each kind of view
// is a column of the store, which is allocated when the first packet needs it. See
// docs/design/0021-connections.md.
package packet
