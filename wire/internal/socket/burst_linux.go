package socket

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// segmentation is the control message that makes the kernel cut a burst apart.
type segmentation struct {
	head unix.Cmsghdr
	size uint16
	_    [6]byte
}

// askOffload finds out which bursts a socket supports. It turns on whole reception if possible.
func askOffload(fd int, s setup) (o Offload) {
	switch _, err := unix.GetsockoptInt(fd, unix.SOL_UDP, unix.UDP_SEGMENT); {
	case s.noGSO:
		o.SendOff = "WEFT_WIRE_NO_GSO is set"
	case err != nil:
		o.SendOff = fmt.Sprintf("the kernel has no UDP_SEGMENT: %v", err)
	}
	switch {
	case !s.merge:
		o.ReceiveOff = "not asked for"
	case s.noGRO:
		o.ReceiveOff = "WEFT_WIRE_NO_GRO is set"
	default:
		if err := unix.SetsockoptInt(fd, unix.SOL_UDP, unix.UDP_GRO, 1); err != nil {
			o.ReceiveOff = fmt.Sprintf("the kernel has no UDP_GRO: %v", err)
		}
	}
	return o
}

func (k *kernel) burst(port int, to netip.AddrPort, segments [][]byte) error {
	if k.noBursts {
		return &RefusedError{to, errNoBursts}
	}
	k.gate.RLock()
	defer k.gate.RUnlock()
	if k.closed.Load() {
		return net.ErrClosed
	}
	var name sockaddr
	if !name.set(to, k.six, &k.zones) {
		return fmt.Errorf("send to %s: %w", to, unix.EAFNOSUPPORT)
	}
	var vectors [MostSegments]unix.Iovec
	control := segmentation{size: uint16(len(segments[0]))}
	control.head.Level, control.head.Type = unix.SOL_UDP, unix.UDP_SEGMENT
	control.head.SetLen(unix.CmsgLen(2))
	h := unix.Msghdr{Name: (*byte)(unsafe.Pointer(&name.in6)), Namelen: name.size, Iov: &vectors[0], Control: (*byte)(unsafe.Pointer(&control))}
	h.SetControllen(unix.CmsgSpace(2))
	h.SetIovlen(gather(vectors[:], segments))
	fd := k.fds[port]
	errno := sendMessage(fd, &h)
	if errno == unix.EPERM || isReport(errno) { // as for a single datagram
		k.tally.errors.Add(1)
		errno = sendMessage(fd, &h)
	}
	switch errno {
	case 0:
		return nil
	case unix.EAGAIN, unix.ENOBUFS:
		return ErrBusy
	}
	return &RefusedError{to, os.NewSyscallError("sendmsg", errno)}
}

// gather writes the locations of datagrams into vectors, merges datagrams that are adjacent in
// memory, and returns the number of vectors used.
func gather(vectors []unix.Iovec, segments [][]byte) (n int) {
	var end *byte
	for _, s := range segments {
		start := unsafe.SliceData(s)
		if n > 0 && start == end {
			v := &vectors[n-1]
			v.SetLen(int(v.Len) + len(s))
		} else {
			vectors[n].Base = start
			vectors[n].SetLen(len(s))
			n++
		}
		end = nil
		if cap(s) > len(s) {
			end = unsafe.SliceData(s[len(s):cap(s)])
		}
	}
	return n
}

// sendMessage sends without waiting.
func sendMessage(fd int, h *unix.Msghdr) syscall.Errno {
	for {
		_, _, errno := unix.Syscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(h)), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		if errno != unix.EINTR {
			return errno
		}
	}
}

// told extracts the ECN field and the size of merged datagrams from control messages. Each is 0
// if absent.
func told(control []byte) (ecn byte, segment int) {
	for len(control) >= unix.SizeofCmsghdr {
		h, data, rest, err := unix.ParseOneSocketControlMessage(control)
		if err != nil {
			return ecn, segment
		}
		switch {
		case h.Level == unix.IPPROTO_IP && h.Type == unix.IP_TOS && len(data) >= 1:
			ecn = data[0] & ecnBits
		case h.Level == unix.IPPROTO_IPV6 && h.Type == unix.IPV6_TCLASS && len(data) >= 4:
			ecn = byte(binary.NativeEndian.Uint32(data)) & ecnBits
		case h.Level == unix.SOL_UDP && h.Type == unix.UDP_GRO && len(data) >= 4:
			segment = int(int32(binary.NativeEndian.Uint32(data)))
		}
		control = rest
	}
	return ecn, segment
}
