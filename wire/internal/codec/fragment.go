package codec

import (
	"encoding/binary"
	"errors"
)

const (
	// FragmentHead is the size of a fragment's head, and MostFragments the largest number of
	// fragments of a packet.
	FragmentHead  = 8
	MostFragments = 255
)

var errFragment = errors.New("codec: fragment is none of a packet that was cut evenly")

// Fragment describes one piece of a packet. All pieces of a packet except the last have the same
// size.
type Fragment struct {
	// Packet distinguishes packets of a session that are under way.
	Packet uint32
	// Index counts the pieces from 0, and Count is their number.
	Index, Count uint8
	// Total is the size of the packet with its head.
	Total uint16
}

// FragmentsOf returns the number of pieces, at least one, for a packet of total bytes whose
// pieces have at most most bytes.
func FragmentsOf(total, most int) (count int) {
	count = max(1, (total+most-1)/most)
	size := (total + count - 1) / count
	return max(1, (total+size-1)/max(1, size))
}

// Span returns the piece's byte range in its packet.
func (f *Fragment) Span() (from, to int) {
	total, count := int(f.Total), int(f.Count)
	size := (total + count - 1) / count
	from = int(f.Index) * size
	return from, min(from+size, total)
}

// AppendFragment appends the body of a fragment.
func AppendFragment(b []byte, f Fragment, packet []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, f.Packet)
	b = append(b, f.Index, f.Count)
	b = binary.BigEndian.AppendUint16(b, f.Total)
	from, to := f.Span()
	return append(b, packet[from:to]...)
}

// ParseFragment decodes the body of a fragment. The piece is a slice of body.
func ParseFragment(body []byte) (f Fragment, piece []byte, err error) {
	if len(body) < FragmentHead {
		return Fragment{}, nil, errFragment
	}
	f = Fragment{
		Packet: binary.BigEndian.Uint32(body),
		Index:  body[4],
		Count:  body[5],
		Total:  binary.BigEndian.Uint16(body[6:]),
	}
	piece = body[FragmentHead:]
	if f.Count < 2 || f.Index >= f.Count || f.Total == 0 {
		return Fragment{}, nil, errFragment
	}
	size := (int(f.Total) + int(f.Count) - 1) / int(f.Count)
	from, to := f.Span()
	if (int(f.Total)+size-1)/size != int(f.Count) || to-from != len(piece) {
		return Fragment{}, nil, errFragment
	}
	return f, piece, nil
}
