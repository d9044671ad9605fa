// Package netns makes hosts of an emulated fabric out of Linux namespaces, and runs commands on
// them. It needs no root.
//
//	space, status, err := netns.Enter() // starts the program anew
//	if space == nil {                   // as the process that the user started
//		...
//		os.Exit(status)
//	}
//	hosts, err := space.Build(netns.Options{Names: []string{"a", "b"}, MTU: 1500})
//	err = hosts.Names()                            // /etc/hosts, for what is in the namespaces
//	tap, err := hosts.Tap(netns.TapOptions{})      // all that hosts send and get
//	status, err = hosts.Run(ctx, netns.Command{Host: 0, Args: netns.Shell("nc b 80")})
//
// # Processes
//
// The process that the user started waits for a second one, number 1 of a new PID namespace,
// and that for a third, in which Enter returns a Space. Number 1 only reaps processes that lost their
// parents. It cannot do the work as well, as it would reap what package os/exec waits for. The
// kernel kills number 1 with the first process, and all others with number 1; a pipe that ends with the
// first process does the same where that signal was missed. Each of the three is a process group of its own, so a
// signal of a terminal comes to the first alone, which hands it on. It takes 20 ms or so to start a large
// program twice more.
//
// Root has the same namespaces, with all users that there are, so that files of others can be written. Where there are no
// user namespaces, root goes without. Elsewhere an error says what is missing, how that was
// found out, and what helps (missingError).
//
// # Hosts
//
// A host has a network and a UTS namespace. Its eth0 is one end of a veth link, and weft0, weft1 and so on
// are the others, in the network namespace of this process. Host n has the addresses 10.0.0.0 + n + 1 and
// fd00:: + n + 1.
//
// Nobody has to be asked for link addresses. Links have no ARP, so a kernel takes the address
// of its own link for that of the next hop; as all hosts have the same one, each takes
// frames to it for its own. All routes lead by one next hop, which nobody has: without it a
// kernel has a neighbour for each peer, in a table that all namespaces share, of 1024 entries by default.
//
// Checksums and segments are made in software, so that each frame is as on a wire. Before
// Linux 6.11 a program that asks for segmentation of UDP (UDP_SEGMENT) gets an error, as of an adapter that cannot do it.
//
// Kernels send nothing by themselves over these links: no ARP or neighbour discovery, no router
// solicitations, no reports of multicast, since there are no link-local addresses. What
// programs do themselves remains, such as mDNS. Names that are not in the file of hosts are not found, since no server can be reached.
//
// Commands run as root of the namespace, with the user's rights outside. Each has a view of /sys with its
// host's links. Kernel settings of a host's network are the host's own, so commands may set them:
// sysctl -w net.ipv4.tcp_ecn=1, for example.
//
// # Frames
//
// A Tap is one packet socket for all links. It receives into memory that the kernel shares (PACKET_RX_RING), where frames get their
// time of arrival, and sends many with one call (sendmmsg). One thread reads and writes 430 000 frames of 1500 B a second, and
// 250 000 of 9000 B, if 64 are there at a time; a frame takes 0.2 µs to read and 2.0 µs to write, with the work of
// the receiving host's kernel up to its socket (0.8 and 3.1 µs for 9000 B). One at a time they take 0.9 and 3.6 µs. A socket without a ring took 1 µs more, and
// an ordinary user's buffer for 200 frames. Other ways to send were no quicker: without the qdisc (PACKET_QDISC_BYPASS), and by calls that the
// runtime does not see.
//
// A kernel that knows no rate hands its frames to the tap as fast as it can, and counts them as sent. With Options.Rates a token
// bucket (sch_tbf) holds them back in the kernel, where programs and TCP's limit to what waits below it (TSQ)
// notice. The bucket counts bytes as a wire does, has the exact rate, and lets two full frames and what the link carries in 100 µs
// pass at once. So whoever reads the frames still has to serialize them, but never has more waiting than that, and no
// less than the link carries: timers of the kernel are late, and the bucket makes up for it. Where the kernel has no token bucket, Hosts.Notes says so.
//
// Frames may be lost between hosts and the tap where the queue of a processor is full (net.core.netdev_max_backlog), or the
// ring is: Hosts.Lost and Tap.Drops have the counts. Datagrams that come to a socket whose buffer is full are lost within their host, and
// Hosts.Unread has these.
//
// # Elsewhere
//
// On other systems all functions return a *missingError.
package netns
