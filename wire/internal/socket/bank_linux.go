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

// kernel are sockets that are used by system calls of one's own.
type kernel struct {
	fds   []int
	tally *tally
	zones zones
	// six tells that the sockets are of IPv6, and may carry IPv4 in it.
	six bool
	// noBursts tells that the kernel takes none, or is not to.
	noBursts bool
	// field is the ECN field with which datagrams leave.
	field uint8

	// gate is held shared by those that send, so that no number of a socket is used
	// after it was closed.
	gate   sync.RWMutex
	closed atomic.Bool

	// ready tells which sockets have something to read. The runtime watches it.
	ready *os.File
	raw   syscall.RawConn

	// turn is held by the one that receives, and guards what follows.
	turn   sync.Mutex
	reader reader
	poll   func(fd uintptr) bool
	batch  []Datagram
	got    int
	failed error
	events [batchSize]unix.EpollEvent
	// waiting are the events that have not been looked at yet.
	waiting []unix.EpollEvent
	// asked tells that look was called for this call of receive, and last is the one that had something last; zero
	// if none had.
	asked bool
	last  unix.EpollEvent
}

// newSockets takes over sockets of package net. It takes a copy of each and closes the
// original, which the runtime watches.
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
		// The kernel returns both numbers as they are: that of the socket, and that of the port.
		event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd), Pad: int32(port)}
		if err := unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd, &event); err != nil {
			return o, os.NewSyscallError("epoll_ctl", err)
		}
	}
	return o, nil
}

// duplicate returns another number for a socket.
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

// configure sets the options of a socket, and tells whether it is of IPv6. Options of both
// families are tried on each: a socket of IPv6 that carries IPv4 heeds both.
func configure(fd int, s setup) (six bool, err error) {
	domain, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return false, os.NewSyscallError("getsockopt", err)
	}
	// Root may ask for more than the system's limit. What is granted is enough in any case.
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, s.buffer) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, s.buffer)
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, sendBuffer)
	// DO, and not PROBE, has the kernel say what is too large once a router has said it.
	err = either(fd, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DO, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_DO)
	if err != nil {
		return false, fmt.Errorf("forbid fragments: %w", os.NewSyscallError("setsockopt", err))
	}
	// Sockets of IPv4 refuse it, and so do systems that have labels switched off (net.ipv6.auto_flowlabels).
	labels := 1
	if s.noLabels {
		labels = 0
	}
	_ = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_AUTOFLOWLABEL, labels)
	if !s.noECN {
		// A system without ECN is one where no marks come.
		_ = either(fd, unix.IP_RECVTOS, 1, unix.IPV6_RECVTCLASS, 1)
		if s.setECN {
			_ = either(fd, unix.IP_TOS, ect0, unix.IPV6_TCLASS, ect0)
		}
	}
	return domain == unix.AF_INET6, nil
}

// either sets an option of IPv4 and one of IPv6, and fails if the socket takes neither.
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
		// The first datagram of a flow may be refused by a firewall that loads late. A report
		// is of an earlier datagram, and is gone once it was told.
		k.tally.errors.Add(1)
		errno = sendTo(fd, data, &name)
	}
	if errno == 0 {
		return nil
	}
	return errorOf(errno, to, len(data), &name)
}

// errorOf returns what a datagram that was not sent is told as.
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

// isReport tells whether an error is what ICMP said of an earlier datagram.
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

// look reads what there is, and returns false if there is nothing. Sockets that still have
// something are told of again, after the others.
func (k *kernel) look(epoll uintptr) bool {
	// Most datagrams come to one port. After a wait, reading it spares the question which has something. Before
	// a wait that would be one call more.
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

// take reads what a socket has, and tells whether that is something, or an error that lasts.
func (k *kernel) take(e unix.EpollEvent) bool {
	n, errno := k.reader.read(int(e.Fd), int(e.Pad), k.batch[k.got:])
	k.got += n
	switch errno {
	case 0, unix.EAGAIN, unix.EINTR:
	case unix.EBADF, unix.EFAULT, unix.EINVAL, unix.ENOTSOCK, unix.ENOMEM, unix.ENOSYS:
		k.failed = os.NewSyscallError("recvmsg", errno)
	default:
		// What ICMP said of a datagram that was sent is no matter of those that arrive.
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
	// Whoever receives returns now that the file is closed.
	k.turn.Lock()
	defer k.turn.Unlock()
	for _, fd := range k.fds {
		err = errors.Join(err, os.NewSyscallError("close", unix.Close(fd)))
	}
	return err
}
