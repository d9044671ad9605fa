package bridge

import (
	"encoding/binary"
	"hash/crc32"
	"net/netip"
)

const (
	ethernet = 14 // header length, as packet sockets show it

	typeIPv4 = 0x0800
	typeIPv6 = 0x86dd
	headIPv4 = 20
	headIPv6 = 40

	tcp = 6
	udp = 17

	congested = 3 // ECN's codepoint CE
)

// header has the fields of a packet that the fabric needs.
type header struct {
	to      netip.Addr
	entropy uint16
	capable bool // of ECN
}

// parse reads a frame with its Ethernet header. ok is false for frames that are not
// IP or incomplete.
func parse(frame []byte) (h header, ok bool) {
	if len(frame) < ethernet {
		return h, false
	}
	packet := frame[ethernet:]
	switch binary.BigEndian.Uint16(frame[ethernet-2:]) {
	case typeIPv4:
		return parseIPv4(packet)
	case typeIPv6:
		return parseIPv6(packet)
	}
	return h, false
}

func parseIPv4(p []byte) (h header, ok bool) {
	if len(p) < headIPv4 || p[0]>>4 != 4 {
		return h, false
	}
	head, total := int(p[0]&15)*4, int(binary.BigEndian.Uint16(p[2:]))
	if head < headIPv4 || total < head || total > len(p) {
		return h, false
	}
	h.to = netip.AddrFrom4([4]byte(p[16:20]))
	h.capable = p[1]&congested != 0
	fragment := binary.BigEndian.Uint16(p[6:])&0x3fff != 0 // only the first fragment has ports
	if fragment {
		h.entropy = mix(p[9], p[4:6], nil)
	} else {
		h.entropy = mix(p[9], ports(p[9], p[head:total]), nil)
	}
	return h, true
}

func parseIPv6(p []byte) (h header, ok bool) {
	if len(p) < headIPv6 || p[0]>>4 != 6 || headIPv6+int(binary.BigEndian.Uint16(p[4:])) > len(p) {
		return h, false
	}
	h.to = netip.AddrFrom16([16]byte(p[24:40]))
	h.capable = p[1]>>4&congested != 0
	label := [3]byte{p[1] & 15, p[2], p[3]}
	h.entropy = mix(p[6], ports(p[6], p[headIPv6:]), label[:])
	return h, true
}

// ports returns the ports of TCP and UDP, and nothing for other protocols.
func ports(protocol byte, payload []byte) []byte {
	if (protocol == tcp || protocol == udp) && len(payload) >= 4 {
		return payload[:4]
	}
	return nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mix returns the entropy by which switches choose among next hops. The fabric adds
// the hosts itself.
func mix(protocol byte, ports, label []byte) uint16 {
	head := [1]byte{protocol}
	sum := crc32.Update(0, castagnoli, head[:])
	sum = crc32.Update(sum, castagnoli, ports)
	sum = crc32.Update(sum, castagnoli, label)
	return uint16(sum) ^ uint16(sum>>16)
}

// mark sets the congestion codepoint of an ECN-capable packet and corrects IPv4's
// checksum (RFC 1624).
func mark(frame []byte) {
	p := frame[ethernet:]
	if p[0]>>4 == 6 {
		p[1] |= congested << 4
		return
	}
	before := binary.BigEndian.Uint16(p)
	p[1] |= congested
	sum := uint32(^binary.BigEndian.Uint16(p[10:])) + uint32(^before) + uint32(binary.BigEndian.Uint16(p))
	sum = sum&0xffff + sum>>16
	sum = sum&0xffff + sum>>16
	binary.BigEndian.PutUint16(p[10:], ^uint16(sum))
}
