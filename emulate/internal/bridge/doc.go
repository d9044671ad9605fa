// Package bridge carries packets of real programs over a simulated fabric. It is the endpoint of all hosts: bytes come in, a
// frame with their size, entropy and codepoint crosses the fabric, and the bytes come out where and when the frame does. It does
// no I/O and knows no clock.
//
// A frame has a number, and the bridge has the bytes under it. A frame keeps its number in a network of one domain, and the
// bridge follows the fabric to learn which ones are dropped.
//
// Hosts have NICs that send at the rate of their link, from a queue of a limited size. What stands there waits as it would in a
// kernel's queue, but the kernel does not know: it took the packet for sent. What holds a program back is a kernel that sends at
// the rate of the link by itself, as those of package netns do where they can.
//
// Only packets that say that they are capable of ECN (RFC 3168) are marked. Others are dropped by full queues alone.
package bridge
