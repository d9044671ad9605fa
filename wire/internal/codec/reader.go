package codec

import "encoding/binary"

// reader takes numbers from the front of bytes. None of them may be 0. After an error the
// rest is empty, so that all calls that follow fail too, and the first error stays.
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

// fixed takes a number of 2 or 8 bytes.
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

// bytes takes so many bytes.
func (r *reader) bytes(n int) (b []byte) {
	if len(r.rest) < n {
		r.fail(errTruncated)
		return nil
	}
	b, r.rest = r.rest[:n], r.rest[n:]
	return b
}

// uvarint takes a number from 1 to most, which is below 1<<63, in as few bytes as possible.
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
