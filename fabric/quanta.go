package fabric

import (
	"fmt"

	"weft/sim"
	"weft/unit"
)

// Quanta sets how long a pause holds that nobody ends (IEEE 802.1Qbb). In the zero
// value it holds for ever.
//
// A refreshed pause also holds until it is ended, since its sender refreshes it before it
// expires. Refreshes only add to the count of pause frames; nothing else depends on them.
//
// A pause that is not refreshed expires. The sending end then continues, although the
// switch may be as full as before. A later frame that still exceeds the threshold
// causes a new pause. So more frames can arrive than there is headroom for.
//
// Simplification: the sender of a pause takes it for expired when it expires at the far end.
type Quanta struct {
	// Count is the duration in times of 512 bits on the link, 1 to MostQuanta; 0 means for ever.
	Count int
	// Refresh is the share of that duration after which a pause is sent again; 0 means never.
	Refresh float64
}

// MostQuanta is the largest duration that a pause frame can state, in quanta.
const MostQuanta = 1<<16 - 1

func (q *Quanta) check() error {
	switch {
	case q.Count < 0 || q.Count > MostQuanta:
		return fmt.Errorf("fabric: a pause holds for %d quanta; it must be 0 to %d", q.Count, MostQuanta)
	case !(q.Refresh >= 0 && q.Refresh < 1):
		return fmt.Errorf("fabric: a pause is refreshed after %v of its time; it must be at least 0 and less than 1", q.Refresh)
	}
	return nil
}

// expires reports whether pauses expire.
func (q *Quanta) expires() bool { return q.Count > 0 && q.Refresh == 0 }

// Time returns how long a pause holds on a link of the given rate.
func (q *Quanta) Time(rate unit.Rate) sim.Time {
	return rate.Transmit(PauseFrame * unit.Bytes(q.Count))
} // a pause frame has 512 bits, too

// hold is how long the pauses of a directed link hold.
type hold struct {
	expiry  sim.Time // 0 means for ever
	refresh sim.Time // interval between refreshes; 0 means never
}

// sentPause is a pause as its sender remembers it.
type sentPause struct {
	since sim.Time // when it was decided
	until sim.Time // when it expires; Forever if never
}

// began records a pause that was sent at one time and reaches the far end at another.
func (p *sentPause) began(h *hold, sent, comes sim.Time) {
	p.since, p.until = sent, sim.Forever
	if h.expiry > 0 {
		p.until = comes + h.expiry
	}
}

// repeats returns how often a pause was refreshed before now.
func (p *sentPause) repeats(h *hold, now sim.Time) uint64 {
	if h.refresh == 0 || now <= p.since {
		return 0
	}
	return uint64((now - p.since - 1) / h.refresh)
}
