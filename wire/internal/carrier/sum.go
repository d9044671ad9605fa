package carrier

import (
	"encoding/binary"
	"hash/crc32"

	"weft/wire/internal/codec"
)

// sumSize is the size of the checksum that ends every unsealed datagram. UDP's own has 16 bits,
// and hosts that offload it to a NIC may pass on damaged datagrams.

const sumSize = 4

// castagnoli is the polynomial that processors have an instruction for.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// summed appends the checksum.
func summed(b []byte) []byte {
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// checked returns a datagram without its checksum, or nil if the checksum is wrong.
func checked(b []byte) []byte {
	n := len(b) - sumSize
	if n < codec.HeadSize || binary.BigEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], castagnoli) {
		return nil
	}
	return b[:n]
}

// typeOf returns the type that a datagram claims to have.
func typeOf(b []byte) codec.Type {
	if len(b) == 0 {
		return 0
	}
	return codec.Type(b[0] & 15)
}
