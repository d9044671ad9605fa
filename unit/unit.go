// Package unit holds the quantities that weft computes with: time in integer
// picoseconds, rates in bits per second, sizes in bytes and ratios. Each is a
// type of its own that reads and writes itself with its unit ("500ns",
// "400Gbps", "4KiB", "20%"), so that no bare number's unit is in someone's head.
package unit

import "math/bits"

// Time is a point in simulated time, or a span of it, in picoseconds.
type Time int64

// Spans of time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond

	// Forever is later than any event.
	Forever Time = 1<<63 - 1
)

// Plus returns t and more, at most Forever. Neither may be negative.
func (t Time) Plus(more Time) Time {
	if more > Forever-t {
		return Forever
	}
	return t + more
}

// Times returns t n times, at most Forever. Neither may be negative.
func (t Time) Times(n int64) Time {
	if n > 0 && t > Forever/Time(n) {
		return Forever
	}
	return t * Time(n)
}

// RoundUp returns the least multiple of step that is not below t, which must not be negative:
// a bound that a person can type. It is t if step is not positive or there is none.
func (t Time) RoundUp(step Time) Time {
	if step <= 0 || t > Forever-step {
		return t
	}
	return (t + step - 1) / step * step
}

// Rate is a data rate in bits per second.
type Rate int64

// Data rates, in powers of ten as networks count them.
const (
	BitPerSecond Rate = 1
	Kbps              = 1000 * BitPerSecond
	Mbps              = 1000 * Kbps
	Gbps              = 1000 * Mbps
	Tbps              = 1000 * Gbps
)

// Bytes is a size in bytes.
type Bytes int64

// Sizes in bytes.
const (
	Byte Bytes = 1
	KiB        = 1024 * Byte
	MiB        = 1024 * KiB
	GiB        = 1024 * MiB
	TiB        = 1024 * GiB
	KB         = 1000 * Byte
	MB         = 1000 * KB
	GB         = 1000 * MB
	TB         = 1000 * GB
)

// Ratio is a dimensionless share; 1 is 100 %.
type Ratio float64

// bitPicoseconds is the number of picoseconds in a second times the bits in a byte.
const bitPicoseconds = 8 * uint64(Second)

// Transmit returns how long n bytes occupy a wire of rate r: n·8/r seconds,
// rounded up to a whole picosecond and computed without overflow. A result
// beyond Forever is Forever. It panics if r is not positive.
func (r Rate) Transmit(n Bytes) Time {
	if r <= 0 {
		panic("unit: transmission at a rate that is not positive")
	}
	hi, lo := bits.Mul64(uint64(n), bitPicoseconds)
	lo, carry := bits.Add64(lo, uint64(r)-1, 0)
	hi += carry
	if hi >= uint64(r) {
		return Forever
	}
	q, _ := bits.Div64(hi, lo, uint64(r))
	if q > uint64(Forever) {
		return Forever
	}
	return Time(q)
}

// PerByte returns the time that one byte occupies the wire, and whether that
// is a whole number of picoseconds, so that n bytes take exactly n times as long.
func (r Rate) PerByte() (Time, bool) {
	if r <= 0 {
		return 0, false
	}
	return Time(bitPicoseconds / uint64(r)), bitPicoseconds%uint64(r) == 0
}

// In returns the whole bytes that a wire of rate r carries in t, rounded down
// and at most the largest Bytes. Neither r nor t may be negative.
func (r Rate) In(t Time) Bytes {
	const most = 1<<63 - 1
	hi, lo := bits.Mul64(uint64(r), uint64(t))
	if hi >= bitPicoseconds {
		return most
	}
	q, _ := bits.Div64(hi, lo, bitPicoseconds)
	return Bytes(min(q, most))
}

// Over returns the rate at which b bytes take t, rounded down; a span of 0 has
// no rate.
func (b Bytes) Over(t Time) Rate {
	if t <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(b), bitPicoseconds)
	if hi >= uint64(t) {
		return 1<<63 - 1
	}
	q, _ := bits.Div64(hi, lo, uint64(t))
	return Rate(min(q, 1<<63-1))
}
