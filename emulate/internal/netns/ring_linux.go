package netns

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ring holds the frames that the kernel has received, in memory that it shares with
// the process. A ring may be large, while an ordinary user's socket buffer is
// limited to about 200 kB (net.core.rmem_max). The kernel fills slots in order. A
// slot returns to the kernel when its status says so.
type ring struct {
	memory []byte
	// slot and block are the sizes of a slot and a block in bytes; each is the number
	// of slots per block.
	slot, block, each int
	slots             int
	next              int
}

// A block is one allocation of the kernel.
const (
	blockSize = 1 << 16
	// leastRing is the smallest ring that is tried when the kernel lacks memory.
	leastRing = 1 << 20
)

// openRing makes a packet socket receive into a ring of about size bytes, for
// frames of the given MTU.
func openRing(fd, size, mtu int) (*ring, error) {
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V2); err != nil {
		return nil, fmt.Errorf("ask for slots of the second version: %w", err)
	}
	// The slot has a header and the sender's address before the frame. The packet begins aligned.
	slot := align(align(unix.SizeofTpacket2Hdr, unix.TPACKET_ALIGNMENT)+unix.SizeofSockaddrLinklayer+16, unix.TPACKET_ALIGNMENT) + mtu
	r := &ring{slot: align(slot, unix.TPACKET_ALIGNMENT), block: blockSize}
	for r.block < r.slot {
		r.block *= 2
	}
	r.each = r.block / r.slot
	for ; ; size /= 2 {
		blocks := max(1, size/r.block)
		r.slots = blocks * r.each
		err := unix.SetsockoptTpacketReq(fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &unix.TpacketReq{
			Block_size: uint32(r.block), Block_nr: uint32(blocks), Frame_size: uint32(r.slot), Frame_nr: uint32(r.slots),
		})
		switch {
		case err == nil:
			if r.memory, err = unix.Mmap(fd, 0, blocks*r.block, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
				return nil, fmt.Errorf("map a ring of %d MB: %w", blocks*r.block>>20, err)
			}
			return r, nil
		case err != unix.ENOMEM || size <= leastRing:
			return nil, fmt.Errorf("make a ring of %d kB: %w", blocks*r.block>>10, err)
		}
	}
}

func align(n, to int) int { return (n + to - 1) / to * to }

// received is a frame in a ring.
type received struct {
	head *unix.Tpacket2Hdr
	from *unix.RawSockaddrLinklayer
	data []byte
}

// peek returns the next frame, if there is one. It stays valid until free is called.
func (r *ring) peek() (received, bool) {
	at := unsafe.Pointer(&r.memory[r.next/r.each*r.block+r.next%r.each*r.slot])
	head := (*unix.Tpacket2Hdr)(at)
	if atomic.LoadUint32(&head.Status)&unix.TP_STATUS_USER == 0 {
		return received{}, false
	}
	from := (*unix.RawSockaddrLinklayer)(unsafe.Add(at, align(unix.SizeofTpacket2Hdr, unix.TPACKET_ALIGNMENT)))
	return received{head, from, unsafe.Slice((*byte)(unsafe.Add(at, head.Mac)), head.Snaplen)}, true
}

// free returns the slot of a peeked frame to the kernel.
func (r *ring) free(f received) {
	atomic.StoreUint32(&f.head.Status, unix.TP_STATUS_KERNEL)
	if r.next++; r.next == r.slots {
		r.next = 0
	}
}

func (r *ring) close() error { return os.NewSyscallError("munmap", unix.Munmap(r.memory)) }
