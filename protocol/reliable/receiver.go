package reliable

import "math/bits"

// Receiver tracks which packets of a message arrived and when to acknowledge.
type Receiver struct {
	packets  uint32
	received uint32
	// expected is the first packet that has not arrived.
	expected uint32
	// words is a ring of bits: a packet arrived, from the word of expected on.
	words []uint64

	// What waits for a coalesced acknowledgement.
	pending, marked uint16
	first           uint32 // lowest packet among the pending ones
	last            uint32 // highest
	unmarked        uint8
	entropies       [MaxEntropies]uint16
}

// MaxEntropies is how many entropies a coalesced acknowledgement returns at most.
const MaxEntropies = 16

// SelectiveBits is the number of packets that the bitmap of a coalesced
// acknowledgement covers.
const SelectiveBits = 256

// Report is the content of a coalesced acknowledgement.
type Report struct {
	// Expected acknowledges all packets before it.
	Expected uint32
	// Base and Bitmap acknowledge packets selectively: bit i stands for Base+i.
	Base   uint32
	Bitmap [SelectiveBits / 64]uint64
	// Packets arrived since the last acknowledgement, Marked of them with a
	// congestion mark.
	Packets, Marked uint16
	// Entropies are those of the unmarked packets among them, at most
	// MaxEntropies, in order of arrival. The trigger's is among them if it is
	// unmarked.
	Entropies []uint16
}

// Reset begins a message. Memory of earlier messages is kept.
func (r *Receiver) Reset(packets uint32) {
	clear(r.words)
	*r = Receiver{packets: packets, words: r.words}
}

// Receive notes the arrival of a packet and reports whether it is the first copy.
func (r *Receiver) Receive(seq uint32) bool {
	if seq < r.expected || seq >= r.packets {
		return false
	}
	base := r.expected / 64
	for seq/64-base >= uint32(len(r.words)) {
		r.grow(base)
	}
	w := &r.words[seq/64&uint32(len(r.words)-1)]
	bit := uint64(1) << (seq % 64)
	if *w&bit != 0 {
		return false
	}
	*w |= bit
	r.received++
	if seq == r.expected {
		r.advance()
	}
	return true
}

// advance moves expected past what has arrived and clears the words it leaves.
func (r *Receiver) advance() {
	for r.expected < r.packets {
		w := &r.words[r.expected/64&uint32(len(r.words)-1)]
		run := uint32(bits.TrailingZeros64(^(*w >> (r.expected % 64))))
		run = min(run, 64-r.expected%64)
		if run == 0 {
			return
		}
		r.expected += run
		if r.expected%64 != 0 {
			return
		}
		*w = 0
	}
}

func (r *Receiver) grow(base uint32) {
	old := r.words
	r.words = make([]uint64, max(4, 2*len(old)))
	for i := range uint32(len(old)) {
		r.words[(base+i)&uint32(len(r.words)-1)] = old[(base+i)&uint32(len(old)-1)]
	}
}

// Has tells whether a packet arrived.
func (r *Receiver) Has(seq uint32) bool {
	if seq < r.expected {
		return true
	}
	if seq/64-r.expected/64 >= uint32(len(r.words)) {
		return false
	}
	return r.words[seq/64&uint32(len(r.words)-1)]>>(seq%64)&1 != 0
}

// Expected returns the first packet that has not arrived.
func (r *Receiver) Expected() uint32 { return r.expected }

// Received returns how many packets have arrived.
func (r *Receiver) Received() uint32 { return r.received }

// Done tells whether all packets have arrived.
func (r *Receiver) Done() bool { return r.received == r.packets }

// Spans tells whether the bitmap of one acknowledgement would cover the pending
// packets together with seq. If not, what is pending must be acknowledged first.
func (r *Receiver) Spans(seq uint32) bool {
	return r.pending == 0 || max(r.last, seq)-min(r.first, seq) < SelectiveBits
}

// Note adds an arrived packet to what the next acknowledgement reports and
// returns how many it reports by now.
func (r *Receiver) Note(seq uint32, marked bool, entropy uint16) int {
	if r.pending == 0 {
		r.first, r.last = seq, seq
	}
	r.first, r.last = min(r.first, seq), max(r.last, seq)
	r.pending++
	if marked {
		r.marked++
	} else if r.unmarked < MaxEntropies {
		r.entropies[r.unmarked] = entropy
		r.unmarked++
	}
	return int(r.pending)
}

// Pending returns how many packets wait to be acknowledged.
func (r *Receiver) Pending() int { return int(r.pending) }

// Flush fills the report of all that is pending, and begins anew. The entropies
// stay valid until the next call of Note.
func (r *Receiver) Flush(out *Report) {
	*out = Report{
		Expected: r.expected, Base: r.first,
		Packets: r.pending, Marked: r.marked,
		Entropies: r.entropies[:r.unmarked],
	}
	r.bitmap(r.last-r.first+1, out)
	r.pending, r.marked, r.unmarked = 0, 0, 0
}

// FlushWide is Flush with a bitmap that begins at the first packet that has not
// arrived, and tells of all that arrived beyond it, pending or acknowledged before. If
// the bitmap would not reach the last pending packet it begins at the first of those.
func (r *Receiver) FlushWide(out *Report) {
	last := r.last
	r.Flush(out)
	if last < r.expected || last-r.expected < SelectiveBits {
		out.Base = r.expected
	}
	r.bitmap(r.packets-out.Base, out)
}

// bitmap fills that of a report from its base on, for so many packets, or SelectiveBits if these are more.
func (r *Receiver) bitmap(packets uint32, out *Report) {
	first, shift := out.Base/64, out.Base%64
	for i := range uint32(len(out.Bitmap)) {
		w := r.word(first+i) >> shift
		if shift > 0 {
			w |= r.word(first+i+1) << (64 - shift)
		}
		if left := max(packets, 64*i) - 64*i; left < 64 {
			w &= 1<<left - 1
		}
		out.Bitmap[i] = w
	}
}

// word returns a bit for each packet from 64·i on that has arrived.
func (r *Receiver) word(i uint32) uint64 {
	switch at := r.expected / 64; {
	case i < at:
		return ^uint64(0)
	case i-at >= uint32(len(r.words)):
		return 0
	}
	return r.words[i&uint32(len(r.words)-1)]
}

// Warm reads, without effect, what the next calls will need.
func (r *Receiver) Warm() (sum uint64) {
	if len(r.words) > 0 {
		sum = r.words[r.expected/64&uint32(len(r.words)-1)]
	}
	return sum + uint64(r.pending)
}
