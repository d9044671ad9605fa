package wire_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"time"
)

// recent keeps some datagrams that were sent, out of captures, for strangers to send again.
type recent struct {
	mu   sync.Mutex
	list [64]stray
	next int
}

type stray struct {
	to   netip.AddrPort
	data []byte
}

// Write takes a block of a capture of IPv4: 28 bytes of the block's head, as many of IP and UDP, and the datagram.
func (r *recent) Write(b []byte) (int, error) {
	const block, ip, udp = 28, 20, 8
	if rand.IntN(8) > 0 || len(b) < block+ip+udp || binary.LittleEndian.Uint32(b) != 6 {
		return len(b), nil
	}
	p := b[block : block+binary.LittleEndian.Uint32(b[20:])]
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.list[r.next%len(r.list)]
	r.next++
	s.to = netip.AddrPortFrom(netip.AddrFrom4([4]byte(p[16:])), binary.BigEndian.Uint16(p[ip+2:]))
	s.data = append(s.data[:0], p[ip+udp:]...)
	return len(b), nil
}

// any returns one of those kept.
func (r *recent) any() (s stray) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s = r.list[rand.IntN(len(r.list))]
	s.data = bytes.Clone(s.data)
	return s
}

// throw sends what nobody asked for to members.
func (f *family) throw(ctx context.Context) {
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		f.t.Error(err)
		return
	}
	defer c.Close()
	for ctx.Err() == nil {
		for range rand.IntN(40) {
			s := f.seen.any()
			if !s.to.IsValid() {
				continue
			}
			f.spoil(&s)
			// What the kernel does not take is not missed.
			if _, err := c.WriteToUDPAddrPort(s.data, s.to); err == nil {
				f.strays.Add(1)
			}
		}
		time.Sleep(time.Millisecond)
	}
}

// spoil changes a datagram, or leaves it a copy.
func (f *family) spoil(s *stray) {
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rand.Uint32())
		}
		return b
	}
	if len(s.data) == 0 { // strays are captured, too
		return
	}
	switch rand.IntN(6) {
	case 0: // a copy
	case 1:
		s.data = noise(rand.IntN(1500))
	case 2: // of this version, of a session that nobody knows, with the right checksum
		s.data = noise(15 + rand.IntN(200))
		s.data[0] = 1<<4 | s.data[0]&15
		sum(s)
	case 3:
		s.data = s.data[:rand.IntN(len(s.data)+1)]
	case 4: // broken on the way
		s.data[rand.IntN(len(s.data))] ^= 1 << rand.IntN(8)
	case 5: // of who is on the path, and knows no secret; where there is none, that would be a peer
		s.data[rand.IntN(len(s.data))] ^= 1 << rand.IntN(8)
		if len(f.secret) > 0 {
			sum(s)
		}
	}
}

// sum gives a datagram the checksum of plain ones.
func sum(s *stray) {
	if n := len(s.data) - 4; n > 0 {
		binary.BigEndian.PutUint32(s.data[n:], crc32.Checksum(s.data[:n], crc32.MakeTable(crc32.Castagnoli)))
	}
}
