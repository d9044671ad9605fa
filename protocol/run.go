package protocol

import "weft/unit"

// MaxRun is the most packets of a run; see [Runs].
const MaxRun = 64

// Runs is a chooser with the run of data packets that have the entropy that it chose last, as if a kernel or an adapter cut them
// from one burst: a burst has one source port. A run ends when the chooser starts or resumes.
type Runs struct {
	Entropy
	left    int32
	entropy uint16
}

// Start starts the chooser.
func (r *Runs) Start(now unit.Time) {
	r.Entropy.Start(now)
	r.End()
}

// Resume resumes the chooser.
func (r *Runs) Resume(now unit.Time) {
	r.Entropy.Resume(now)
	r.End()
}

// End has the chooser choose for the next packet.
func (r *Runs) End() { r.left = 0 }

// Choose returns the entropy of the next data packet: that of the packet before, or, after n packets, one that the chooser
// chooses. With n of 1 or less it chooses each.
func (r *Runs) Choose(now unit.Time, n int) uint16 {
	if n <= 1 {
		return r.Next(now)
	}
	if r.left == 0 {
		r.left, r.entropy = int32(n), r.Next(now)
	}
	r.left--
	return r.entropy
}
