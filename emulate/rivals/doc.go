// Command rivals runs other transports on emulated fabrics: the kernel's TCP, and QUIC by quic-go.
// It is a module of its own because it needs quic-go. It needs Linux and weft. In this folder:
//
//	go run . bucket                                             # is the emulator right? compares it with a kernel's token bucket
//	go run . incast --request 8B --loaded                       # SIRD's incast (section 6.1.1), at a thousandth of its rate
//	go run . incast --request 500kB --loaded --transport quic
//	go run . incast --request 8B                                # the same client alone
//
// Both print JSON, one object per line. --weft selects a weft other than that in this tree.
//
// The programs that run on the hosts are subcommands, too:
//
//	server   takes messages, answers each with 8 B, and measures goodput
//	bulk     sends messages one after another, on some flows at once
//	sender   sends messages at given times, whatever became of earlier ones (open loop)
//	client   sends a request now and then over one lasting connection, and measures how long replies take
//	chain    the kernel's side of bucket: namespaces with token buckets between them
//
// With --ecn and --buffer they change settings of their network namespace (tcp_ecn,
// tcp_rmem, tcp_wmem), so use these two only on hosts of a fabric. All programs of one run
// count --warm and --for from their own start; whoever runs them must start them together.
package main
