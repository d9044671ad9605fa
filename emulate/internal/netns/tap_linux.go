package netns

import (
	"encoding/binary"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Tap reads what all hosts send, and writes what they get. One goroutine uses it.
type Tap struct {
	fd      int
	start   time.Time
	granted int
	// hosts has the host of each of our links by the link's index, plus one.
	hosts []int32
	// index has the link of each host.
	index    []int32
	messages []unix.Mmsghdr
	vectors  []unix.Iovec
	names    []unix.RawSockaddrLinklayer
	controls []control
	drops    uint64
	// poll and left are kept, as they would be allocated at each use.
	poll unix.PollFd
	left unix.Timespec
}

// control has room for a time stamp of the kernel.
type control struct {
	head  unix.Cmsghdr
	stamp unix.Timespec
	_     [16]byte
}

// Tap opens the one packet socket that has the other ends of all links.
func (h *Hosts) Tap(o TapOptions) (*Tap, error) {
	if o.Start.IsZero() {
		o.Start = time.Now()
	}
	if o.Batch <= 0 {
		o.Batch = defaultBatch
	}
	if o.Buffer <= 0 {
		o.Buffer = defaultBuffer
	}
	// Protocol 0 gets nothing until all is set.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, &MissingError{Kind: "packet sockets", Found: "socket: " + describe(err), Remedy: "the kernel needs CONFIG_PACKET, and the rules of a container may forbid them", Err: err}
	}
	t := &Tap{
		fd: fd, start: o.Start, index: make([]int32, len(h.list)),
		messages: make([]unix.Mmsghdr, o.Batch), vectors: make([]unix.Iovec, o.Batch),
		names: make([]unix.RawSockaddrLinklayer, o.Batch), controls: make([]control, o.Batch),
	}
	for i, host := range h.list {
		for len(t.hosts) <= host.index {
			t.hosts = append(t.hosts, 0)
		}
		t.hosts[host.index], t.index[i] = int32(i+1), int32(host.index)
	}
	if err := t.open(o.Buffer); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return t, nil
}

// open sets the socket's options, and starts it.
func (t *Tap) open(buffer int) error {
	if err := unix.SetsockoptInt(t.fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
		return fmt.Errorf("have the packet socket leave out what it sent: %w; Linux can from 4.20 on", err)
	}
	if err := unix.SetsockoptInt(t.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil {
		return fmt.Errorf("have packets stamped with their time: %w", err)
	}
	for _, o := range []struct{ force, plain int }{{unix.SO_RCVBUFFORCE, unix.SO_RCVBUF}, {unix.SO_SNDBUFFORCE, unix.SO_SNDBUF}} {
		// Only root outside of all namespaces may exceed net.core.rmem_max and wmem_max.
		if unix.SetsockoptInt(t.fd, unix.SOL_SOCKET, o.force, buffer/2) != nil {
			if err := unix.SetsockoptInt(t.fd, unix.SOL_SOCKET, o.plain, buffer/2); err != nil {
				return fmt.Errorf("set the buffer of the packet socket: %w", err)
			}
		}
	}
	var err error
	if t.granted, err = unix.GetsockoptInt(t.fd, unix.SOL_SOCKET, unix.SO_RCVBUF); err != nil {
		return err
	}
	all := unix.SockaddrLinklayer{Protocol: bigEndian(unix.ETH_P_ALL)}
	if err := unix.Bind(t.fd, &all); err != nil {
		return fmt.Errorf("bind the packet socket: %w", err)
	}
	return nil
}

func bigEndian(n uint16) uint16 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], n)
	return binary.NativeEndian.Uint16(b[:])
}

// Buffer returns how many bytes the kernel keeps for the tap, frames and overhead. It may be
// less than was asked for; the sysctl net.core.rmem_max, of which it is twice, allows more.
func (t *Tap) Buffer() int { return t.granted }

// Read reads frames that are there into batch and returns how many; 0 if there are none. Data of
// each packet is read into as far as its capacity goes, and should have room for Header and the MTU.
func (t *Tap) Read(batch []Packet) (int, error) {
	for {
		got, err := t.receive(batch)
		if got <= 0 || err != nil {
			return 0, err
		}
		// Times are of the clock that people set. It is set seldom, so what lies between a
		// stamp and now is right.
		now := time.Now()
		since, wall := now.Sub(t.start), now.UnixNano()
		n := 0
		for i := range got {
			if t.take(batch, n, i, since, wall) {
				n++
			}
		}
		if n > 0 {
			return n, nil
		}
	}
}

// receive has the kernel fill one batch.
func (t *Tap) receive(batch []Packet) (int, error) {
	n := min(len(batch), len(t.messages))
	if n == 0 {
		return 0, nil
	}
	for i := range n {
		data := batch[i].Data[:cap(batch[i].Data)]
		t.vectors[i].Base = unsafe.SliceData(data)
		t.vectors[i].SetLen(len(data))
		hdr := &t.messages[i].Hdr
		hdr.Iov = &t.vectors[i]
		hdr.SetIovlen(1)
		hdr.Name, hdr.Namelen = (*byte)(unsafe.Pointer(&t.names[i])), unix.SizeofSockaddrLinklayer
		hdr.Control = (*byte)(unsafe.Pointer(&t.controls[i]))
		hdr.SetControllen(int(unsafe.Sizeof(control{})))
	}
	for {
		got, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(t.fd), uintptr(unsafe.Pointer(&t.messages[0])), uintptr(n), unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			return int(got), nil
		case unix.EAGAIN:
			return 0, nil
		case unix.EINTR, unix.ENETDOWN: // a link went down, perhaps because a host's command did that
		default:
			return 0, os.NewSyscallError("recvmmsg", errno)
		}
	}
}

// take makes packet n of a batch of what stands in place i. It returns false for what is no
// host's, and for what was too long for its room.
func (t *Tap) take(batch []Packet, n, i int, since time.Duration, wall int64) bool {
	index := int(t.names[i].Ifindex)
	hdr := &t.messages[i].Hdr
	if index >= len(t.hosts) || t.hosts[index] == 0 || hdr.Flags&unix.MSG_TRUNC != 0 || t.names[i].Pkttype == unix.PACKET_OUTGOING {
		return false
	}
	// Data that is skipped leaves its room to the packet that takes its place.
	if n != i {
		batch[n].Data, batch[i].Data = batch[i].Data, batch[n].Data
	}
	p := &batch[n]
	p.Host, p.Data = t.hosts[index]-1, p.Data[:t.messages[i].Len]
	p.At = since
	if c := &t.controls[i]; hdr.Controllen > 0 && c.head.Level == unix.SOL_SOCKET && c.head.Type == unix.SO_TIMESTAMPNS {
		p.At = since - time.Duration(max(0, wall-c.stamp.Nano()))
	}
	return true
}

// Write sends frames to their hosts and returns how many it sent; fewer than all if the kernel has
// no room now. A frame that the kernel refuses, because it is too long or the link is down, is
// dropped and counts as sent.
func (t *Tap) Write(batch []Packet) (int, error) {
	sent := 0
	for sent < len(batch) {
		n := min(len(batch)-sent, len(t.messages))
		for i := range n {
			t.put(&batch[sent+i], i)
		}
		got, _, errno := unix.Syscall6(unix.SYS_SENDMMSG, uintptr(t.fd), uintptr(unsafe.Pointer(&t.messages[0])), uintptr(n), unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			sent += int(got)
		case unix.EINTR:
		case unix.EAGAIN, unix.ENOBUFS:
			return sent, nil
		case unix.EMSGSIZE, unix.ENETDOWN, unix.ENXIO, unix.EINVAL:
			t.drops++
			sent++
		default:
			return sent, os.NewSyscallError("sendmmsg", errno)
		}
	}
	return sent, nil
}

// put writes one packet into place i for the kernel.
func (t *Tap) put(p *Packet, i int) {
	t.vectors[i].Base = unsafe.SliceData(p.Data)
	t.vectors[i].SetLen(len(p.Data))
	name := &t.names[i]
	*name = unix.RawSockaddrLinklayer{Family: unix.AF_PACKET, Ifindex: t.index[p.Host]}
	if len(p.Data) >= Header {
		name.Protocol = binary.NativeEndian.Uint16(p.Data[12:])
		name.Halen = uint8(copy(name.Addr[:6], p.Data))
	}
	hdr := &t.messages[i].Hdr
	hdr.Iov = &t.vectors[i]
	hdr.SetIovlen(1)
	hdr.Name, hdr.Namelen = (*byte)(unsafe.Pointer(name)), unix.SizeofSockaddrLinklayer
	hdr.Control = nil
	hdr.SetControllen(0)
}

// Wait waits until there are frames to read, and returns whether there are. A timeout of 0 only
// looks, and one below 0 never ends. A signal may end it early.
func (t *Tap) Wait(timeout time.Duration) (bool, error) {
	t.poll = unix.PollFd{Fd: int32(t.fd), Events: unix.POLLIN}
	var left *unix.Timespec
	if timeout >= 0 {
		t.left = unix.NsecToTimespec(int64(timeout))
		left = &t.left
	}
	n, _, errno := unix.Syscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&t.poll)), 1, uintptr(unsafe.Pointer(left)), 0, 0, 0)
	if errno != 0 && errno != unix.EINTR {
		return false, os.NewSyscallError("ppoll", errno)
	}
	// An error of the socket is for Read to find.
	return errno == 0 && n > 0, nil
}

// Drops returns how many frames the kernel had no room to keep, or could not send, so far.
func (t *Tap) Drops() uint64 {
	// Each call returns what is new since the last.
	if stats, err := unix.GetsockoptTpacketStats(t.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS); err == nil {
		t.drops += uint64(stats.Drops)
	}
	return t.drops
}

// Close closes the tap.
func (t *Tap) Close() error { return os.NewSyscallError("close", unix.Close(t.fd)) }
