// Package netns makes hosts of an emulated fabric out of Linux namespaces and runs
// commands on them. It needs no root.
//
//	space, status, err := netns.Enter() // starts the program again
//	if space == nil {                   // as the process that the user started
//		...
//		os.Exit(status)
//	}
//	hosts, err := space.Build(netns.Options{Names: []string{"a", "b"}, MTU: 1500})
//	err = hosts.Names()                            // /etc/hosts, inside the namespaces
//	tap, err := hosts.Tap(netns.TapOptions{})      // everything that hosts send and receive
//	status, err = hosts.Run(ctx, netns.Command{Host: 0, Args: netns.Shell("nc b 80")})
//
// # Processes
//
// The process that the user started waits for a second one, number 1 of a new PID
// namespace. That one waits for a third, in which Enter returns a Space. Number 1 only
// reaps processes that lost their parents. It cannot do the work itself, since it would
// reap the processes that package os/exec waits for. The kernel kills number 1 with the
// first process, and all others with number 1. If that signal was missed, a pipe that
// closes with the first process has the same effect. Each of the three is a process
// group of its own, so signals from a terminal reach only the first, which forwards
// them. Starting a large program twice more takes about 20 ms.
//
// Root gets the same namespaces with all existing users, so that files of other users can
// be written. If there are no user namespaces, root works without. Other users get an error
// that states what is missing, how that was found out, and what helps (missingError).
//
// # Hosts
//
// A host has a network and a UTS namespace. Its eth0 is one end of a veth link. The
// other ends are weft0, weft1 and so on, in the network namespace of this process.
// Host n has the addresses 10.0.0.0 + n + 1 and fd00:: + n + 1.
//
// Link addresses need no discovery. Links have no ARP, so a kernel takes the
// address of its own link for the next hop's. All hosts have the same link
// address, so each accepts the frames that reach it. All routes lead through one
// next hop, which no host owns. Without it, a kernel would have a neighbour per
// peer, in a table that all namespaces share and that has 1024 entries by default.
//
// Checksums and segments are made in software, so that each frame looks as on a
// wire. Before Linux 6.11, a program that asks for segmentation of UDP
// (UDP_SEGMENT) gets an error, as from an adapter without it.
//
// Kernels send nothing on their own over these links: no ARP or neighbour discovery, no
// router solicitations, and no multicast reports, since there are no link-local
// addresses. Programs may still send such packets themselves, for example mDNS. Names
// outside the file of hosts cannot be resolved, since no server can be reached.
//
// Commands run as root of the namespace, with the user's rights outside. Each sees its
// host's links in /sys. The kernel's settings for a host's network belong to the host,
// so commands may change them, for example with sysctl -w net.ipv4.tcp_ecn=1.
//
// # Frames
//
// A Tap is one packet socket for all links. It receives into memory shared with the kernel
// (PACKET_RX_RING), where frames get their time of arrival, and sends many frames per call
// (sendmmsg). One thread reads and writes 430 000 frames of 1500 B per second, or 250 000 of
// 9000 B, if 64 are available at a time. A frame takes 0.2 µs to read and 2.0 µs to write,
// including the work of the receiving host's kernel up to its socket (0.8 and 3.1 µs for 9000
// B). One at a time they take 0.9 and 3.6 µs. A socket without a ring took 1 µs more, and an
// ordinary user's buffer holds 200 frames. Other ways to send were not faster: bypassing the
// qdisc (PACKET_QDISC_BYPASS), and system calls that the runtime does not see.
//
// A kernel without a rate hands its frames to the tap as fast as it can and counts them as
// sent. With Options.Rates, a token bucket (sch_tbf) holds them back in the kernel, where
// programs and TCP's limit on the backlog below it (TSQ) notice. The bucket counts bytes as
// a wire does and has the exact rate. At once it passes two full frames plus what the link
// carries in 100 µs. So the reader of the frames still has to serialise them, but never has
// a larger backlog than that. The link still never idles, since the burst makes up for late
// timers of the kernel. If the kernel has no token bucket, Hosts.Notes says so.
//
// Frames may be lost between hosts and the tap when the queue of a processor
// (net.core.netdev_max_backlog) or the ring is full; Hosts.Lost and Tap.Drops count them. Datagrams
// that reach a socket with a full buffer are lost within their host; Hosts.Unread counts them.
//
// # Other systems
//
// On other systems all functions return a *missingError.
package netns
