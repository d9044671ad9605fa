package hosted

import (
	"encoding/binary"

	"weft/internal/packet"
	"weft/protocol"
	"weft/protocol/reliable"
)

// Bits of the first byte of More.
const (
	saysReport = 1 << iota
	saysAnswer
)

// said is the decoded content of an acknowledgement's More.
type said struct {
	reported, answered bool
	report             packet.Report // without Expected
	answer             protocol.Answer
}

// A report and an answer fit into More.
const _ = uint(protocol.MostMore - (1 + 3*binary.MaxVarintLen32 + 1 + reliable.SelectiveBits/8 + 1 + 2*reliable.MaxEntropies + 16))

// writeMore encodes a report and an answer into more and returns it. Either may be nil.
// It returns nil if both are nil.
func writeMore(more *protocol.More, r *packet.Report, a *protocol.Answer) *protocol.More {
	if r == nil && a == nil {
		return nil
	}
	b := append(more.Bytes[:0], 0)
	if r != nil {
		b[0] |= saysReport
		b = binary.AppendUvarint(b, uint64(r.Packets))
		b = binary.AppendUvarint(b, uint64(r.Marked))
		b = binary.AppendUvarint(b, uint64(r.Base))
		words := len(r.Bitmap)
		for words > 0 && r.Bitmap[words-1] == 0 {
			words--
		}
		b = append(b, byte(words))
		for _, w := range r.Bitmap[:words] {
			b = binary.BigEndian.AppendUint64(b, w)
		}
		b = append(b, byte(r.Entropies))
		for _, e := range r.Returned[:r.Entropies] {
			b = binary.BigEndian.AppendUint16(b, e)
		}
	}
	if a != nil {
		b[0] |= saysAnswer
		b = binary.BigEndian.AppendUint64(b, a[0])
		b = binary.BigEndian.AppendUint64(b, a[1])
	}
	more.Length = uint8(len(b))
	return more
}

// readMore decodes what writeMore wrote, and reports whether it is valid.
func readMore(more *protocol.More, s *said) (ok bool) {
	s.reported, s.answered = false, false
	if more == nil {
		return true
	}
	if more.Length < 1 || more.Length > protocol.MostMore {
		return false
	}
	r := reader{rest: more.Said(), ok: true}
	says := r.fixed(1)
	if says == 0 || says&^(saysReport|saysAnswer) != 0 {
		return false
	}
	if says&saysReport != 0 {
		s.reported = true
		r.report(&s.report)
	}
	if says&saysAnswer != 0 {
		s.answered = true
		s.answer[0], s.answer[1] = r.fixed(8), r.fixed(8)
	}
	return r.ok && len(r.rest) == 0
}

// reader decodes numbers from the front of bytes. After an error, ok is false and it returns
// zeros.
type reader struct {
	rest []byte
	ok   bool
}

func (r *reader) report(to *packet.Report) {
	*to = packet.Report{
		Packets: uint16(r.uvarint(reliable.SelectiveBits)), Marked: uint16(r.uvarint(reliable.SelectiveBits)), Base: uint32(r.uvarint(mostPackets)),
	}
	words := r.count(len(to.Bitmap))
	for i := range words {
		to.Bitmap[i] = r.fixed(8)
	}
	to.Entropies = uint16(r.count(len(to.Returned)))
	for i := range to.Entropies {
		to.Returned[i] = uint16(r.fixed(2))
	}
	if to.Marked > to.Packets || to.Entropies > to.Packets-to.Marked || words > 0 && to.Bitmap[words-1] == 0 {
		r.ok = false
	}
}

// count reads a byte and rejects values above most.
func (r *reader) count(most int) int {
	n := int(r.fixed(1))
	if n > most {
		r.ok = false
		return 0
	}
	return n
}

// fixed reads a big-endian number of the given size in bytes.
func (r *reader) fixed(size int) (v uint64) {
	if !r.ok || len(r.rest) < size {
		r.ok = false
		return 0
	}
	for _, b := range r.rest[:size] {
		v = v<<8 | uint64(b)
	}
	r.rest = r.rest[size:]
	return v
}

// uvarint reads a number and rejects values above most.
func (r *reader) uvarint(most uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if !r.ok || n <= 0 || v > most || n > 1 && r.rest[n-1] == 0 { // not the shortest encoding
		r.ok = false
		return 0
	}
	r.rest = r.rest[n:]
	return v
}
