// Package lan is a network in memory under virtual time, to test endpoints without I/O. A day of
// traffic takes seconds, and the same seed gives the same run.
//
// A datagram takes this path. All times are in whole picoseconds, rounded up.
//
//	host → up link → faults → path → down link → host
//
// The network asks a host for a datagram when the up link is free. So nothing queues there, and the
// up link's Queue and Mark have no effect. Paths and down links have FIFO queues. A datagram
// occupies a queue with its full size plus Config.Overhead until its last bit has left. It is
// dropped if it would make the queue exceed Link.Queue. It is marked if the queue that it finds
// exceeds Link.Mark.
//
// The network is not safe for concurrent use. A host, or a function given to At, may call any of
// its methods except Run.
package lan
