// Package bridge carries packets of real programs over a simulated fabric. It is
// the endpoint of all hosts. A packet's bytes come in, a frame with its size,
// entropy and ECN codepoint crosses the fabric, and the bytes come out where and
// when the frame does. The package does no I/O and knows no clock.
//
// The bridge keeps the bytes of each frame under its FrameID. A frame keeps its ID
// within one domain. The bridge follows the fabric to learn which frames are dropped.
//
// Hosts have NICs that send at the rate of their link, from a queue of limited
// size. Packets wait there as in a kernel's queue, but the kernel does not know: it
// counts the packet as sent. To slow programs down, the kernel itself must send at
// the rate of the link, as kernels of package netns do where they can.
//
// Only packets that declare themselves ECN-capable (RFC 3168) are marked. Others
// are only dropped, by full queues.
package bridge
