// Package packet has what the ends of transports send each other, and what switches look at: a header of
// 32 bytes, and views behind it, such as a report of what arrived or stamps of switches. It knows neither the
// simulated fabric nor sockets; a carrier of either kind holds its packets in a [Store], by number.
//
// Views are typed and stand side by side: any of them can be had with any other. Each kind is a column of the
// store, which begins to exist when the first packet wants it. See docs/design/0021-connections.md.
package packet
