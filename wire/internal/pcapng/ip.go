package pcapng

import (
	"encoding/binary"
	"math/bits"
)

const (
	udp         = 17
	hops        = 64
	noFragments = 0x4000
	head4       = 20
	headUDP     = 8
)

// appendIP appends a datagram with IP and UDP headers. Both addresses must be of one family.
func appendIP(b []byte, d *Datagram) []byte {
	at, length := len(b), headUDP+len(d.Data)
	src, dst := d.From.Addr(), d.To.Addr()
	if four := dst.Is4() && src.Is4(); four {
		b = append(b, 0x45, d.ECN&3)
		b = binary.BigEndian.AppendUint16(b, uint16(head4+length))
		b = binary.BigEndian.AppendUint32(b, noFragments) // after an identification of 0
		b = append(b, hops, udp, 0, 0)
		from, to := src.As4(), dst.As4()
		b = append(append(b, from[:]...), to[:]...)
		binary.BigEndian.PutUint16(b[at+10:], checksum(0, b[at:]))
	} else {
		b = binary.BigEndian.AppendUint32(b, 6<<28|uint32(d.ECN&3)<<20)
		b = binary.BigEndian.AppendUint16(b, uint16(length))
		b = append(b, udp, hops)
		from, to := src.As16(), dst.As16()
		b = append(append(b, from[:]...), to[:]...)
	}
	return appendUDP(b, d, b[at:])
}

// appendUDP appends the UDP header and the payload. ip is the preceding IP header.
func appendUDP(b []byte, d *Datagram, ip []byte) []byte {
	at, length := len(b), uint16(headUDP+len(d.Data))
	b = binary.BigEndian.AppendUint16(b, d.From.Port())
	b = binary.BigEndian.AppendUint16(b, d.To.Port())
	b = binary.BigEndian.AppendUint16(b, length)
	b = append(append(b, 0, 0), d.Data...)
	// The IP header of either family ends with the addresses. The rest of the pseudo header is
	// two numbers.
	addresses := ip[12:]
	if len(ip) > head4 {
		addresses = ip[8:]
	}
	sum := checksum(uint64(udp)+uint64(length)+uint64(^checksum(0, addresses)), b[at:])
	if sum == 0 { // 0 would mean that there is no checksum
		sum = 0xffff
	}
	binary.BigEndian.PutUint16(b[at+6:], sum)
	return b
}

// checksum returns the Internet checksum (RFC 1071) of a previous sum and some bytes.
func checksum(sum uint64, b []byte) uint16 {
	for ; len(b) >= 8; b = b[8:] {
		var carry uint64
		sum, carry = bits.Add64(sum, binary.BigEndian.Uint64(b), 0)
		sum += carry
	}
	var rest [8]byte
	copy(rest[:], b)
	sum, carry := bits.Add64(sum, binary.BigEndian.Uint64(rest[:]), 0)
	sum += carry
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}
