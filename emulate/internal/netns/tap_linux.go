package netns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	defaultBatch  = 64
	defaultBuffer = 64 << 20
)

// Tap reads what all hosts send, and writes what they receive. Only one goroutine may use it.
type Tap struct {
	fd     int
	stamps stamps
	ring   *ring
	// hosts maps the index of each of our links to 1 plus its host.
	hosts []int32
	// index maps each host to its link.
	index    []int32
	messages []unix.Mmsghdr
	vectors  []unix.Iovec
	names    []unix.RawSockaddrLinklayer
	drops    uint64
	// wake is an eventfd that ends a wait.
	wake int
	// poll and left are fields to avoid an allocation per use.
	poll [2]unix.PollFd
	left unix.Timespec
}

// Tap opens a packet socket that serves the other ends of all links.
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
	// Protocol 0 receives nothing until everything is set up.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, &missingError{Kind: "packet sockets", Found: "socket: " + describe(err), Remedy: "the kernel needs CONFIG_PACKET, and the rules of a container may forbid them", Err: err}
	}
	t := &Tap{
		fd: fd, stamps: stamps{start: o.Start}, index: make([]int32, len(h.list)),
		messages: make([]unix.Mmsghdr, o.Batch), vectors: make([]unix.Iovec, o.Batch),
		names: make([]unix.RawSockaddrLinklayer, o.Batch),
	}
	for i, host := range h.list {
		for len(t.hosts) <= host.index {
			t.hosts = append(t.hosts, 0)
		}
		t.hosts[host.index], t.index[i] = int32(i+1), int32(host.index)
	}
	if err := t.open(o.Buffer, h.mtu); err != nil {
		unix.Close(fd)
		return nil, err
	}
	if t.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return nil, errors.Join(fmt.Errorf("make what ends waits: %w", err), t.ring.close(), unix.Close(fd))
	}
	return t, nil
}

// open sets the socket's options and starts it.
func (t *Tap) open(buffer, mtu int) (err error) {
	if err := unix.SetsockoptInt(t.fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
		return fmt.Errorf("have the packet socket leave out what it sent: %w; Linux can from 4.20 on", err)
	}
	if t.ring, err = openRing(t.fd, buffer, mtu); err != nil {
		return fmt.Errorf("give the packet socket a buffer: %w", err)
	}
	all := unix.SockaddrLinklayer{Protocol: bigEndian(unix.ETH_P_ALL)}
	if err := unix.Bind(t.fd, &all); err != nil {
		return errors.Join(fmt.Errorf("bind the packet socket: %w", err), t.ring.close())
	}
	return nil
}

func bigEndian(n uint16) uint16 {
	var b [2]byte
	binary.BigEndian.PutUint16(b[:], n)
	return binary.NativeEndian.Uint16(b[:])
}

// Room returns how many frames the tap can hold until they are read. It drops
// frames that find it full.
func (t *Tap) Room() int { return t.ring.slots }

// Read reads available frames into batch and returns their number, which may be 0. It uses
// the capacity of each packet's Data, which should have room for Header and the MTU. Larger
// frames, and frames with a VLAN tag, do not belong to a fabric and are skipped.
func (t *Tap) Read(batch []Packet) (int, error) {
	t.stamps.update()
	n := 0
	for n < len(batch) {
		f, ok := t.ring.peek()
		if !ok {
			break
		}
		if t.take(&batch[n], f) {
			batch[n].At = t.stamps.at(f.head.Sec, f.head.Nsec)
			n++
		}
		t.ring.free(f)
	}
	return n, nil
}

// take makes a packet of a frame. It returns false for frames that are not from a host.
func (t *Tap) take(p *Packet, f received) bool {
	index := int(f.from.Ifindex)
	if index >= len(t.hosts) || t.hosts[index] == 0 || int(f.head.Len) > min(cap(p.Data), len(f.data)) || f.head.Status&unix.TP_STATUS_VLAN_VALID != 0 {
		return false
	}
	p.Host, p.Data = t.hosts[index]-1, p.Data[:len(f.data)]
	copy(p.Data, f.data)
	return true
}

// Write sends frames to their hosts and returns how many it sent. That is fewer
// than all if the kernel has no room now. A frame that the kernel rejects, because
// it is too long, the link is down, or a host is behind, is dropped and counts as
// sent: otherwise it would block the others for ever.
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
		case unix.EAGAIN:
			return sent, nil
		case unix.ENOBUFS: // a processor's queue is full; the link counts the drop
			sent++
		case unix.EMSGSIZE, unix.ENETDOWN, unix.ENXIO, unix.EINVAL:
			t.drops++
			sent++
		default:
			return sent, os.NewSyscallError("sendmmsg", errno)
		}
	}
	return sent, nil
}

// put writes one packet into element i for the kernel.
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

// Wait waits until there are frames to read, and reports whether there are. A timeout of 0
// does not wait, and a negative one never ends. A signal or Wake may end the wait early.
func (t *Tap) Wait(timeout time.Duration) (bool, error) {
	if _, ok := t.ring.peek(); ok || timeout == 0 {
		return ok, nil
	}
	t.poll = [2]unix.PollFd{{Fd: int32(t.fd), Events: unix.POLLIN}, {Fd: int32(t.wake), Events: unix.POLLIN}}
	var left *unix.Timespec
	if timeout >= 0 {
		t.left = unix.NsecToTimespec(int64(timeout))
		left = &t.left
	}
	n, _, errno := unix.Syscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&t.poll)), uintptr(len(t.poll)), uintptr(unsafe.Pointer(left)), 0, 0, 0)
	if errno != 0 && errno != unix.EINTR {
		return false, os.NewSyscallError("ppoll", errno)
	}
	if errno == 0 && t.poll[1].Revents != 0 {
		var count [8]byte
		_, _ = unix.Read(t.wake, count[:]) // resets the count to 0
	}
	return errno == 0 && n > 0 && t.poll[0].Revents != 0, nil
}

// Wake ends the current wait, or the next one. Any goroutine may call it until Close.
func (t *Tap) Wake() {
	one := [8]byte{}
	binary.NativeEndian.PutUint64(one[:], 1)
	_, _ = unix.Write(t.wake, one[:])
}

// Drops returns how many frames the kernel had no room to keep, or refused to send.
// Hosts.Lost counts drops of links.
func (t *Tap) Drops() uint64 {
	// Each call returns what is new since the last one.
	if stats, err := unix.GetsockoptTpacketStats(t.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS); err == nil {
		t.drops += uint64(stats.Drops)
	}
	return t.drops
}

// Close closes the tap.
func (t *Tap) Close() error {
	return errors.Join(t.ring.close(), os.NewSyscallError("close", unix.Close(t.fd)), os.NewSyscallError("close", unix.Close(t.wake)))
}
