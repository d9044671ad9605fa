// Package lan is a network in memory under virtual time. Endpoints without I/O are tested on it:
// a day of traffic takes seconds, and the same seed gives the same run.
//
// A datagram takes this way; a time is exact to the picosecond, rounded up.
//
//	host → up link → faults → path → down link → host
//
// The up link is pulled: the network asks a host for a datagram when the wire is free, so nothing
// waits there, and its Queue and Mark mean nothing. A path and a down link have a queue, first in
// first out. A datagram counts in a queue, whole and with Config.Overhead, until its last bit has left.
// It is dropped if it and the queue that it finds exceed Link.Queue together. It is marked if the
// queue that it finds exceeds Link.Mark.
//
// The network is not safe for concurrent use. A host, or a function given to At, may call its methods, except Run.
package lan
