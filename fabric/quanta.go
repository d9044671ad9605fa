package fabric

import (
	"fmt"

	"weft/sim"
	"weft/unit"
)

// Quanta is for how long a pause holds that nobody takes back (IEEE 802.1Qbb). The zero value is for ever.
//
// A pause that is refreshed holds until it is taken back as well: what sends it sees to it that it does not
// expire. Only the pause frames are counted, which nothing else notices.
//
// One that is not refreshed expires. Then the sending end goes on, though what paused it may be as full as before. A
// frame that comes afterwards and still finds a reason pauses anew. So much more can come than headroom is for.
//
// Simplification: what sent a pause takes it for expired when it is so at the far end.
type Quanta struct {
	// Count is in times that 512 bits take on the link, 1 to MostQuanta; 0 is for ever.
	Count int
	// Refresh is after which share of that time it is sent again; 0 is never.
	Refresh float64
}

// MostQuanta is what a pause frame can say.
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

// lapses tells whether pauses expire.
func (q *Quanta) lapses() bool { return q.Count > 0 && q.Refresh == 0 }

// Time returns how long a pause holds on a link of a rate.
func (q *Quanta) Time(rate unit.Rate) sim.Time {
	return rate.Transmit(PauseFrame * unit.Bytes(q.Count))
} // of 512 bits, as it happens

// hold is for how long the pauses of a directed link hold.
type hold struct {
	lapses  sim.Time // 0 for ever
	refresh sim.Time // how often they are sent again; 0 for never
}

// sentPause is a pause as who sent it remembers it.
type sentPause struct {
	since sim.Time // when it was decided
	until sim.Time // when it expires; Forever if never
}

// began notes a pause that was sent at a time and comes to the far end at another.
func (p *sentPause) began(h *hold, sent, comes sim.Time) {
	p.since, p.until = sent, sim.Forever
	if h.lapses > 0 {
		p.until = comes + h.lapses
	}
}

// repeats returns how often a pause was refreshed before a time.
func (p *sentPause) repeats(h *hold, now sim.Time) uint64 {
	if h.refresh == 0 || now <= p.since {
		return 0
	}
	return uint64((now - p.since - 1) / h.refresh)
}
