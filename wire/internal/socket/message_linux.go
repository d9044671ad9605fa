package socket

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// ect0 is the ECN field of senders that respond to marks, ce the mark, and ecnBits the mask.
	ect0    = 2
	ce      = 3
	ecnBits = 3
	// controlSize has room for the control messages of both families and of a burst.
	controlSize = 96
)

// sockaddr is an address in the kernel's format. An IPv4 address occupies the first 16 bytes.
type sockaddr struct {
	in6  unix.RawSockaddrInet6
	size uint32
}

func (s *sockaddr) in4() *unix.RawSockaddrInet4 {
	return (*unix.RawSockaddrInet4)(unsafe.Pointer(&s.in6))
}

// set writes an address for a socket of a family. It returns false if the address does not fit
// the family.
func (s *sockaddr) set(to netip.AddrPort, six bool, z *zones) bool {
	addr := to.Addr()
	if !six {
		if addr = addr.Unmap(); !addr.Is4() {
			return false
		}
		in4 := s.in4()
		in4.Family, in4.Addr = unix.AF_INET, addr.As4()
		binary.BigEndian.PutUint16(port(&in4.Port), to.Port())
		s.size = unix.SizeofSockaddrInet4
		return true
	}
	s.in6.Family, s.in6.Addr = unix.AF_INET6, addr.As16()
	binary.BigEndian.PutUint16(port(&s.in6.Port), to.Port())
	if zone := addr.Zone(); zone != "" {
		s.in6.Scope_id = z.index(zone)
	}
	s.size = unix.SizeofSockaddrInet6
	return true
}

// get returns the address that the kernel wrote.
func (s *sockaddr) get(z *zones) netip.AddrPort {
	if s.in6.Family == unix.AF_INET {
		in4 := s.in4()
		return netip.AddrPortFrom(netip.AddrFrom4(in4.Addr), binary.BigEndian.Uint16(port(&in4.Port)))
	}
	addr := netip.AddrFrom16(s.in6.Addr).Unmap()
	if s.in6.Scope_id != 0 && addr.Is6() {
		addr = addr.WithZone(z.name(s.in6.Scope_id))
	}
	return netip.AddrPortFrom(addr, binary.BigEndian.Uint16(port(&s.in6.Port)))
}

// limit asks the kernel for the largest datagram to an address; 0 if unknown.
func (s *sockaddr) limit() int {
	// The length field of an IPv4 header counts that header; IPv6's does not.
	family, level, option, heads, most := unix.AF_INET, unix.IPPROTO_IP, unix.IP_MTU, 20+8, largest-1-20-8
	if s.in6.Family == unix.AF_INET6 {
		family = unix.AF_INET6
		if !netip.AddrFrom16(s.in6.Addr).Is4In6() {
			level, option, heads, most = unix.IPPROTO_IPV6, unix.IPV6_MTU, 40+8, largest-1-8
		}
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	// Only a connected socket has a path MTU.
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(&s.in6)), uintptr(s.size))
	if errno != 0 {
		return 0
	}
	mtu, err := unix.GetsockoptInt(fd, level, option)
	if err != nil {
		return 0
	}
	return min(mtu-heads, most)
}

// port returns the bytes of a port, which are in network order.
func port(p *uint16) []byte { return (*[2]byte)(unsafe.Pointer(p))[:] }

// sendTo sends a datagram without waiting.
func sendTo(fd int, data []byte, to *sockaddr) syscall.Errno {
	for {
		_, _, errno := unix.Syscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(len(data)),
			unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, uintptr(unsafe.Pointer(&to.in6)), uintptr(to.size))
		if errno != unix.EINTR {
			return errno
		}
	}
}

// reader reads datagrams from a socket, many at a time.
type reader struct {
	single   bool
	tally    *tally
	zones    *zones
	messages [batchSize]unix.Mmsghdr
	vectors  [batchSize]unix.Iovec
	names    [batchSize]sockaddr
	controls [batchSize][controlSize]byte
}

func (r *reader) init(single bool, k *kernel) {
	r.single, r.tally, r.zones = single, k.tally, &k.zones
	for i := range r.messages {
		h := &r.messages[i].Hdr
		h.Name = (*byte)(unsafe.Pointer(&r.names[i].in6))
		h.Iov = &r.vectors[i]
		h.SetIovlen(1)
		h.Control = &r.controls[i][0]
	}
}

// read fills a batch from the socket of a port and returns the number of entries filled. It may
// return 0 without error if all datagrams were truncated.
func (r *reader) read(fd, port int, batch []Datagram) (int, syscall.Errno) {
	if r.single {
		batch = batch[:1]
	}
	for i := range batch {
		data := batch[i].Data
		r.vectors[i].Base = unsafe.SliceData(data)
		r.vectors[i].SetLen(cap(data))
		h := &r.messages[i].Hdr
		h.Namelen = unix.SizeofSockaddrInet6
		h.SetControllen(controlSize)
	}
	n, errno := r.call(fd, len(batch))
	if errno != 0 {
		return 0, errno
	}
	got := 0
	for i := range n {
		h := &r.messages[i].Hdr
		if h.Flags&unix.MSG_TRUNC != 0 {
			r.tally.truncated.Add(1)
			continue
		}
		bits, segment := told(r.controls[i][:h.Controllen])
		data := batch[i].Data[:r.messages[i].Len]
		// Truncated datagrams leave gaps; their buffers move to the end.
		batch[i].Data = batch[got].Data
		batch[got] = Datagram{From: r.names[i].get(r.zones), Port: port, Data: data, Segment: segment, ECN: bits, Marked: bits == ce}
		r.count(&batch[got], bits)
		got++
	}
	return got, 0
}

// count updates the counters for a received datagram.
func (r *reader) count(d *Datagram, ecn byte) {
	n := uint64(d.datagrams())
	if d.Segment > 0 {
		r.tally.merged.Add(1)
		r.tally.mergedSegments.Add(n)
	}
	if ecn != 0 {
		r.tally.capable.Add(n)
	}
	if ecn == ce {
		r.tally.marks.Add(n)
	}
}

// call reads into the messages and returns how many arrived.
func (r *reader) call(fd, n int) (int, syscall.Errno) {
	if !r.single {
		n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(&r.messages[0])), uintptr(n), unix.MSG_DONTWAIT, 0, 0)
		if errno != unix.ENOSYS {
			return int(n), errno
		}
		r.single = true
	}
	size, _, errno := unix.Syscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&r.messages[0].Hdr)), unix.MSG_DONTWAIT)
	r.messages[0].Len = uint32(size)
	return 1, errno
}

// zones caches the numbers and names of interfaces, for link-local addresses.
type zones struct{ names, indexes sync.Map }

func (z *zones) index(name string) uint32 {
	if known, ok := z.indexes.Load(name); ok {
		return known.(uint32)
	}
	var index uint32
	if n, err := strconv.ParseUint(name, 10, 32); err == nil {
		index = uint32(n)
	} else if i, err := net.InterfaceByName(name); err == nil {
		index = uint32(i.Index)
	} else {
		return 0
	}
	z.indexes.Store(name, index)
	return index
}

func (z *zones) name(index uint32) string {
	if known, ok := z.names.Load(index); ok {
		return known.(string)
	}
	name := strconv.FormatUint(uint64(index), 10)
	if i, err := net.InterfaceByIndex(int(index)); err == nil {
		name = i.Name
	}
	z.names.Store(index, name)
	return name
}
