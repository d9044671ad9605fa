package codec

const windowBits = 2048

// Window remembers which numbers of sealed datagrams were accepted: the largest and each of the
// 2047 below it. Older numbers count as accepted. The zero Window has accepted nothing.
//
// A receiver calls Fresh before it opens a datagram, and Accept afterwards, so that an
// unauthenticated number changes nothing.
type Window struct {
	// end is 1 above the largest accepted number.
	end uint64
	// bits holds number n as bit n modulo windowBits, if n is below end and in the window.
	bits [windowBits / 64]uint64
}

// Fresh reports whether a number may be accepted: it is new, not too old and not too large.
func (w *Window) Fresh(n uint64) bool {
	if n >= w.end {
		return n < MaxNumber
	}
	return w.end-n <= windowBits && w.bits[n/64%uint64(len(w.bits))]>>(n%64)&1 == 0
}

// Accept marks a number as accepted. It ignores numbers that are not fresh.
func (w *Window) Accept(n uint64) {
	if !w.Fresh(n) {
		return
	}
	if n >= w.end {
		w.clear(w.end, n+1)
		w.end = n + 1
	}
	w.bits[n/64%uint64(len(w.bits))] |= 1 << (n % 64)
}

// clear clears the bits of the numbers from from up to to, a word at a time.
func (w *Window) clear(from, to uint64) {
	if to-from >= windowBits {
		w.bits = [windowBits / 64]uint64{}
		return
	}
	for from < to {
		low := from % 64
		n := min(64-low, to-from)
		w.bits[from/64%uint64(len(w.bits))] &^= (1<<n - 1) << low
		from += n
	}
}
