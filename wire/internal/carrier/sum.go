package carrier

import (
	"encoding/binary"
	"hash/crc32"

	"weft/wire/internal/codec"
)

// What is not sealed ends with a checksum of all before it: UDP's own has 16 bits, and hosts that leave it to a NIC may
// pass broken datagrams on.

const sumSize = 4

// castagnoli is what processors have an instruction for.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// summed appends the checksum.
func summed(b []byte) []byte {
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// checked returns a datagram without its checksum, nil if that is wrong.
func checked(b []byte) []byte {
	n := len(b) - sumSize
	if n < codec.HeadSize || binary.BigEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], castagnoli) {
		return nil
	}
	return b[:n]
}

// typeOf returns what type a datagram says that it is.
func typeOf(b []byte) codec.Type {
	if len(b) == 0 {
		return 0
	}
	return codec.Type(b[0] & 15)
}
