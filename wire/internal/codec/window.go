package codec

const windowBits = 2048

// Window remembers which numbers of sealed datagrams were accepted: the largest and the 2047
// below it, one by one. Older ones count as accepted. The zero Window has accepted nothing.
//
// A receiver asks Fresh before it opens a datagram, and calls Accept after. So a number that
// nobody authenticated changes nothing.
type Window struct {
	// end is 1 above the largest number that was accepted.
	end uint64
	// bits has number n, if it is below end and within the window, as bit n modulo windowBits.
	bits [windowBits / 64]uint64
}

// Fresh tells whether a number may be accepted: it was not, and is not too old or too large.
func (w *Window) Fresh(n uint64) bool {
	if n >= w.end {
		return n < MaxNumber
	}
	return w.end-n <= windowBits && w.bits[n/64%uint64(len(w.bits))]>>(n%64)&1 == 0
}

// Accept marks a number as accepted. It ignores those that are not fresh.
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

// clear clears the bits of the numbers from one up to another, a word at a time.
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
