// Package end has what the two ends of connections share: the options of a group of traffic, the
// interface between a host's ends, their network and their carrier, a host's queue of control
// packets and its deadlines, and the kinds and flags of packets.
package end
