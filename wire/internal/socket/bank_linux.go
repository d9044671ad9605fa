package socket

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// kernel implements sockets with system calls of its own.
type kernel struct {
	fds   []int
	tally *tally
	zones zones
	// six is set if the sockets are IPv6, which may carry IPv4 too.
	six bool
	// noBursts is set if the kernel takes no bursts or must not get any.
	noBursts bool
	// field is the ECN field of outgoing datagrams.
	field uint8

	// gate is held shared while sending, so that no file descriptor is used after it is closed.
	gate   sync.RWMutex
	closed atomic.Bool

	// ready is the epoll instance of all sockets. The runtime's poller watches it.
	ready *os.File
	raw   syscall.RawConn

	// turn is held by the receiving goroutine. It guards the following fields.
	turn   sync.Mutex
	reader reader
	poll   func(fd uintptr) bool
	batch  []Datagram
	got    int
	failed error
	events [batchSize]unix.EpollEvent
	// waiting holds events that have not been handled yet.
	waiting []unix.EpollEvent
	// asked is set if look was called before in this call of receive. last is the socket that
	// last had something, or zero.
	asked bool
	last  unix.EpollEvent
}

// newSockets duplicates the sockets of package net and closes the originals, because the runtime
// watches those.
func newSockets(conns []*net.UDPConn, s setup) (sockets, Offload, error) {
	k := &kernel{tally: s.tally}
	k.poll = k.look
	k.reader.init(s.noBatch, k)
	o, err := k.open(conns, s)
	if err != nil {
		k.close()
		return nil, o, err
	}
	closeAll(conns)
	k.noBursts = o.SendOff != ""
	return k, o, nil
}

func (k *kernel) open(conns []*net.UDPConn, s setup) (o Offload, err error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return o, os.NewSyscallError("epoll_create1", err)
	}
	if err = unix.SetNonblock(epoll, true); err != nil {
		unix.Close(epoll)
		return o, os.NewSyscallError("fcntl", err)
	}
	k.ready = os.NewFile(uintptr(epoll), "epoll")
	// Deadlines work only for files that the runtime watches.
	if err = k.ready.SetReadDeadline(time.Time{}); err != nil {
		return o, err
	}
	if k.raw, err = k.ready.SyscallConn(); err != nil {
		return o, err
	}
	if s.setECN && !s.noECN {
		k.field = ect0
	}
	for port, c := range conns {
		fd, err := duplicate(c)
		if err != nil {
			return o, err
		}
		k.fds = append(k.fds, fd)
		if k.six, err = configure(fd, s); err != nil {
			return o, err
		}
		o = askOffload(fd, s)
		// The kernel returns both numbers unchanged: the file descriptor and the port index.
		event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd), Pad: int32(port)}
		if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd, &event); err != nil {
			return o, os.NewSyscallError("epoll_ctl", err)
		}
	}
	return o, nil
}

// duplicate returns a new file descriptor for a socket.
func duplicate(c *net.UDPConn) (fd int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return -1, err
	}
	if outer := raw.Control(func(old uintptr) {
		fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0)
	}); outer != nil {
		return -1, outer
	}
	return fd, os.NewSyscallError("fcntl", err)
}

// configure sets a socket's options and reports whether it is IPv6. It tries the options of both
// families, because both apply to an IPv6 socket that carries IPv4.
func configure(fd int, s setup) (six bool, err error) {
	domain, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return false, os.NewSyscallError("getsockopt", err)
	}
	// Root may exceed the system's limit. Whatever is granted is enough.
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, s.buffer) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, s.buffer)
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, sendBuffer)
	// With DO, unlike PROBE, the kernel reports what is too large once a router has said so.
	err = either(fd, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DO, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_DO)
	if err != nil {
		return false, fmt.Errorf("forbid fragments: %w", os.NewSyscallError("setsockopt", err))
	}
	// IPv4 sockets refuse this, and so do systems with flow labels off
	// (net.ipv6.auto_flowlabels).
	labels := 1
	if s.noLabels {
		labels = 0
	}
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_AUTOFLOWLABEL, labels)
	if !s.noECN {
		// On a system without ECN no marks arrive, so errors do not matter.
		_ = either(fd, unix.IP_RECVTOS, 1, unix.IPV6_RECVTCLASS, 1)
		if s.setECN {
			_ = either(fd, unix.IP_TOS, ect0, unix.IPV6_TCLASS, ect0)
		}
	}
	return domain == unix.AF_INET6, nil
}

// either sets an IPv4 option and an IPv6 option. It fails if the socket takes neither.
func either(fd, four, value4, six, value6 int) error {
	err4 := unix.SetsockoptInt(fd, unix.IPPROTO_IP, four, value4)
	err6 := unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, six, value6)
	if err4 != nil && err6 != nil {
		return err4
	}
	return nil
}

func (k *kernel) send(port int, to netip.AddrPort, data []byte) error {
	k.gate.RLock()
	defer k.gate.RUnlock()
	if k.closed.Load() {
		return net.ErrClosed
	}
	var name sockaddr
	if !name.set(to, k.six, &k.zones) {
		return fmt.Errorf("send to %s: %w", to, unix.EAFNOSUPPORT)
	}
	fd := k.fds[port]
	errno := sendTo(fd, data, &name)
	if errno == unix.EPERM || isReport(errno) {
		// A firewall that loads late may refuse the first datagram of a flow. An ICMP report
		// concerns an earlier datagram and is cleared by reading it.
		k.tally.errors.Add(1)
		errno = sendTo(fd, data, &name)
	}
	if errno == 0 {
		return nil
	}
	return errorOf(errno, to, len(data), &name)
}

// errorOf converts the error of a datagram that was not sent.
func errorOf(errno syscall.Errno, to netip.AddrPort, size int, name *sockaddr) error {
	switch errno {
	case unix.EAGAIN, unix.ENOBUFS:
		return ErrBusy
	case unix.EMSGSIZE:
		return &SizeError{To: to, Size: size, Limit: name.limit()}
	default:
		return fmt.Errorf("send to %s: %w", to, os.NewSyscallError("sendto", errno))
	}
}

// isReport reports whether an error is an ICMP report about an earlier datagram.
func isReport(errno syscall.Errno) bool {
	switch errno {
	case unix.ECONNREFUSED, unix.EHOSTDOWN, unix.ENOPROTOOPT, unix.EPROTO, unix.ENONET:
		return true
	}
	return false
}

func (k *kernel) receive(batch []Datagram) (int, error) {
	k.turn.Lock()
	defer k.turn.Unlock()
	k.batch, k.got, k.failed, k.asked = batch, 0, nil, false
	err := k.raw.Read(k.poll)
	k.batch = nil
	switch {
	case k.got > 0:
		return k.got, nil
	case k.failed != nil:
		return 0, k.failed
	case k.closed.Load():
		return 0, net.ErrClosed
	default:
		return 0, err
	}
}

// look reads available datagrams. It returns false if there are none. Sockets with more to read
// are reported again, after the others.
func (k *kernel) look(epoll uintptr) bool {
	// Most datagrams arrive at one port. After a wait, trying it first saves a call of epoll.
	// Before a wait, it would cost a call.
	if k.asked && k.last.Events != 0 && k.take(k.last) {
		return true
	}
	k.asked = true
	for {
		if len(k.waiting) == 0 {
			n, err := unix.EpollWait(int(epoll), k.events[:], 0)
			if err == unix.EINTR {
				continue
			}
			if err != nil {
				k.failed = os.NewSyscallError("epoll_wait", err)
				return true
			}
			if n == 0 {
				return false
			}
			k.waiting = k.events[:n]
		}
		for len(k.waiting) > 0 && k.got < len(k.batch) {
			k.last = k.waiting[0]
			k.waiting = k.waiting[1:]
			if k.take(k.last); k.failed != nil {
				return true
			}
		}
		if k.got > 0 {
			return true
		}
	}
}

// take reads from a socket. It reports whether that gave datagrams or a permanent error.
func (k *kernel) take(e unix.EpollEvent) bool {
	n, errno := k.reader.read(int(e.Fd), int(e.Pad), k.batch[k.got:])
	k.got += n
	switch errno {
	case 0, unix.EAGAIN, unix.EINTR:
	case unix.EBADF, unix.EFAULT, unix.EINVAL, unix.ENOTSOCK, unix.ENOMEM, unix.ENOSYS:
		k.failed = os.NewSyscallError("recvmsg", errno)
	default:
		// ICMP reports concern sent datagrams, not arriving ones.
		k.tally.errors.Add(1)
	}
	return n > 0 || k.failed != nil
}

func (k *kernel) ecn() uint8 { return k.field }

func (k *kernel) close() error {
	k.gate.Lock()
	defer k.gate.Unlock()
	if k.closed.Swap(true) {
		return nil
	}
	var err error
	if k.ready != nil {
		err = k.ready.Close()
	}
	// Closing the file makes a waiting receive return.
	k.turn.Lock()
	defer k.turn.Unlock()
	for _, fd := range k.fds {
		err = errors.Join(err, os.NewSyscallError("close", unix.Close(fd)))
	}
	return err
}
