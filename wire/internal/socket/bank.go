package socket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync/atomic"
)

const (
	defaultPorts  = 16
	defaultBuffer = 4 << 20
	// sendBuffer is the size of a socket's send buffer. It is small, so that the kernel reports
	// being busy before a queue below it drops datagrams.
	sendBuffer = 256 << 10
	// mostPorts keeps a mistaken configuration from taking all ports of the host.
	mostPorts = 1024
	// batchSize is the most datagrams that one Receive returns.
	batchSize = 32
)

// Datagram is a received datagram.
type Datagram struct {
	// From is the sender. IPv4 addresses are never in IPv6-mapped form.
	From netip.AddrPort
	// Port is the index of the port that it arrived at.
	Port int
	// Data is its content. The caller of Receive provides the capacity.
	Data []byte
	// Segment, if not 0, means that Data holds several consecutive datagrams of this size
	// (Options.Merge); the last may be smaller. See Each.
	Segment int
	// ECN is the two-bit ECN field of its IP header, 0 if unknown.
	ECN uint8
	// Marked is set if ECN says that congestion was experienced. Datagrams received together have
	// the same mark.
	Marked bool
}

// Options configures a Bank. The zero value means defaults.
type Options struct {
	// Ports is the number of sockets, each with its own port; 0 is 16.
	Ports int
	// Buffer is the receive buffer requested for each socket; 0 is 4 MiB.
	Buffer int
	// ECN sends datagrams as ECN-capable, ECT(0). Marks are read in any case.
	ECN bool
	// Merge lets the kernel deliver consecutive datagrams as one (UDP_GRO), if it can. This needs
	// buffers of 64 KiB.
	Merge bool
}

// Counters holds a Bank's counters since it was made.
type Counters struct {
	// Sent counts datagrams that the kernel took, including those in bursts. Received counts
	// datagrams that Receive returned.
	Sent, Received uint64
	// Busy counts datagrams for which the kernel had no room.
	Busy uint64
	// Truncated counts datagrams larger than the buffer provided. They are dropped.
	Truncated uint64
	// Errors counts ignored errors: ICMP reports, and first refusals that a retry cured.
	Errors uint64
	// ECN counts received datagrams that arrived as ECN-capable, marked or not. It stays 0 if the
	// path clears the bits. Marked counts those with a mark.
	ECN, Marked uint64
	// Bursts counts calls of SendBurst that the kernel took, and Segments their datagrams.
	Bursts, Segments uint64
	// Merged counts datagrams that the kernel delivered together as one, and MergedSegments their
	// parts.
	Merged, MergedSegments uint64
}

// ErrBusy reports that the kernel has no room for a datagram now. It was not sent.
var ErrBusy = errors.New("the kernel has no room for a datagram now")

// SizeError reports that a datagram is too large for its path. It was not sent.
type SizeError struct {
	To   netip.AddrPort
	Size int
	// Limit is the largest size that the path takes, 0 if unknown.
	Limit int
}

func (e *SizeError) Error() string {
	if e.Limit > 0 {
		return fmt.Sprintf("a datagram of %d B to %s is larger than the %d B that its path takes", e.Size, e.To, e.Limit)
	}
	return fmt.Sprintf("a datagram of %d B to %s is larger than its path takes", e.Size, e.To)
}

// Bank is a set of UDP sockets on one local address. Goroutines may send concurrently. Concurrent
// calls of Receive wait for each other.
type Bank struct {
	sockets sockets
	local   netip.AddrPort
	ports   []netip.AddrPort
	offload Offload
	tally   tally
	tap     *tap // nil without a Tap
}

// sockets is a Bank's implementation on a system.
type sockets interface {
	// send sends without waiting, if the system allows that.
	send(port int, to netip.AddrPort, data []byte) error
	// burst sends datagrams in one call, without waiting.
	burst(port int, to netip.AddrPort, segments [][]byte) error
	// receive fills the batch with at least one datagram.
	receive(batch []Datagram) (int, error)
	// ecn returns the ECN field of outgoing datagrams.
	ecn() uint8
	// close unblocks receive. It may be called twice.
	close() error
}

// tally holds the counters of a bank while they change.
type tally struct {
	sent, busy, errors                  atomic.Uint64
	received, truncated, capable, marks atomic.Uint64

	bursts, segments, merged, mergedSegments atomic.Uint64
}

// setup holds the parameters of sockets.
type setup struct {
	buffer        int
	setECN, noECN bool
	noBatch       bool
	noGSO, noGRO  bool
	noLabels      bool
	merge         bool
	tally         *tally
}

// Listen makes a Bank on an address, host:port as in net.ListenPacket. Port index 0 has the port
// of the address. The system chooses the other ports.
func Listen(addr string, o Options) (*Bank, error) {
	if o.Ports == 0 {
		o.Ports = defaultPorts
	}
	if o.Buffer == 0 {
		o.Buffer = defaultBuffer
	}
	if o.Ports < 1 || o.Ports > mostPorts {
		return nil, fmt.Errorf("listen on %s: %d ports; give 1 to %d", addr, o.Ports, mostPorts)
	}
	if o.Buffer < 0 {
		return nil, fmt.Errorf("listen on %s: a receive buffer of %d B; give a positive size", addr, o.Buffer)
	}
	conns, err := open(addr, o.Ports)
	if err != nil {
		return nil, err
	}
	b := &Bank{local: localOf(conns[0])}
	for _, c := range conns {
		b.ports = append(b.ports, localOf(c))
	}
	s := setup{
		buffer: o.Buffer, setECN: o.ECN, noECN: switched("WEFT_WIRE_NO_ECN"), noBatch: switched("WEFT_WIRE_NO_MMSG"),
		noLabels: switched("WEFT_WIRE_NO_FLOWLABEL"),
		noGSO:    switched("WEFT_WIRE_NO_GSO"), noGRO: switched("WEFT_WIRE_NO_GRO"), merge: o.Merge, tally: &b.tally,
	}
	if switched("WEFT_WIRE_PLAIN") {
		b.sockets, b.offload, err = newPlain(conns, s)
	} else {
		b.sockets, b.offload, err = newSockets(conns, s)
	}
	if err != nil {
		closeAll(conns)
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return b, nil
}

// LocalAddr returns the address of port index 0.
func (b *Bank) LocalAddr() netip.AddrPort { return b.local }

// Ports returns the number of ports.
func (b *Bank) Ports() int { return len(b.ports) }

// Send sends a datagram from the port with an index. It returns ErrBusy if the kernel has no room
// now, a *SizeError if the datagram is too large for the path, and net.ErrClosed after Close.
func (b *Bank) Send(port int, to netip.AddrPort, data []byte) error {
	if err := b.sendable(port, to); err != nil {
		return err
	}
	err := b.sockets.send(port, to, data)
	switch {
	case err == nil:
		b.tally.sent.Add(1)
		b.tap.sent(port, to, data)
	case err == ErrBusy:
		b.tally.busy.Add(1)
	}
	return err
}

// sendable returns why nothing can be sent from a port to an address, or nil.
func (b *Bank) sendable(port int, to netip.AddrPort) error {
	if uint(port) >= uint(len(b.ports)) {
		return fmt.Errorf("send to %s: port number %d; the bank has 0 to %d", to, port, len(b.ports)-1)
	}
	if !to.IsValid() {
		return errors.New("send: the address is not set")
	}
	return nil
}

// Receive waits for datagrams on all ports. It returns the number of batch entries that it
// filled, from 1 to 32. It fills the Data of each up to its capacity, and drops and counts larger
// datagrams. After Close it returns net.ErrClosed.
func (b *Bank) Receive(batch []Datagram) (int, error) {
	if len(batch) == 0 {
		return 0, errors.New("receive: the batch has no room")
	}
	n, err := b.sockets.receive(batch[:min(len(batch), batchSize)])
	all := 0
	for i := range n {
		all += batch[i].datagrams()
	}
	b.tally.received.Add(uint64(all))
	b.tap.received(batch[:n])
	return n, err
}

// Counters returns the bank's counters so far.
func (b *Bank) Counters() Counters {
	t := &b.tally
	return Counters{
		Sent: t.sent.Load(), Received: t.received.Load(), Busy: t.busy.Load(), Truncated: t.truncated.Load(),
		Errors: t.errors.Load(), ECN: t.capable.Load(), Marked: t.marks.Load(),
		Bursts: t.bursts.Load(), Segments: t.segments.Load(), Merged: t.merged.Load(), MergedSegments: t.mergedSegments.Load(),
	}
}

// Close ends all calls of Receive and frees the ports. It may be called twice.
func (b *Bank) Close() error { return b.sockets.close() }

// open opens one socket on an address and further ones on the same host.
func open(addr string, ports int) ([]*net.UDPConn, error) {
	var conns []*net.UDPConn
	for len(conns) < ports {
		c, err := new(net.ListenConfig).ListenPacket(context.Background(), "udp", addr)
		if err != nil {
			closeAll(conns)
			return nil, err
		}
		conns = append(conns, c.(*net.UDPConn))
		if len(conns) == 1 {
			addr = netip.AddrPortFrom(localOf(conns[0]).Addr(), 0).String()
		}
	}
	return conns, nil
}

// localOf returns the local address of a socket.
func localOf(c *net.UDPConn) netip.AddrPort {
	at := c.LocalAddr().(*net.UDPAddr).AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

func closeAll(conns []*net.UDPConn) {
	for _, c := range conns {
		c.Close()
	}
}

// switched reports whether an environment variable turns something off.
func switched(name string) bool {
	value := os.Getenv(name)
	return value != "" && value != "0"
}
