package codec

import "encoding/binary"

// reader decodes numbers from the front of bytes and rejects zeros. It keeps the first error.
// After an error the rest is empty, so that all later calls fail too.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(err error) uint64 {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
	return 0
}

// fixed reads a number of 2 or 8 bytes.
func (r *reader) fixed(size int) (v uint64) {
	if len(r.rest) < size {
		return r.fail(errTruncated)
	}
	if size == 2 {
		v = uint64(binary.BigEndian.Uint16(r.rest))
	} else {
		v = binary.BigEndian.Uint64(r.rest)
	}
	if v == 0 {
		return r.fail(errZero)
	}
	r.rest = r.rest[size:]
	return v
}

// bytes reads n bytes.
func (r *reader) bytes(n int) (b []byte) {
	if len(r.rest) < n {
		r.fail(errTruncated)
		return nil
	}
	b, r.rest = r.rest[:n], r.rest[n:]
	return b
}

// uvarint reads a number from 1 to most, which is below 1<<63. It rejects encodings that are
// longer than necessary.
func (r *reader) uvarint(most uint64) (v uint64) {
	for i, b := range r.rest {
		if i == maxInt63 {
			return r.fail(errRange)
		}
		v |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			switch {
			case v == 0 && i == 0:
				return r.fail(errZero)
			case b == 0:
				return r.fail(errUvarint)
			case v > most:
				return r.fail(errRange)
			}
			r.rest = r.rest[i+1:]
			return v
		}
	}
	return r.fail(errTruncated)
}
