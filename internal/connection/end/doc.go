// Package end has what the two ends of connections share: the options of a group of traffic, what a host's ends
// know of their network and tell their carrier, a host's queue of control packets, its deadlines, and how packets
// are written.
package end
