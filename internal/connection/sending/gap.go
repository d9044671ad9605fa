package sending

import "weft/unit"

// bitWork is what a bit costs where work is counted in 10⁻¹² bit, of which a rate of r bit/s
// does r in a picosecond.
const bitWork = 1_000_000_000_000

// gap is the wait of a connection after a frame that it sent at a rate. What a picosecond does
// not do in full is kept, so that neither frames in a row nor changes of the rate lose any of
// it. Work fits 64 bits: the largest frame is 5.2·10¹⁷.
type gap struct {
	// until is when the frame is paid for at the rate, rounded down, and rest the work that is
	// left then, less than the rate does in a picosecond. The rate is 0 if there was no frame.
	until unit.Time
	rate  unit.Rate
	rest  uint64
}

// send begins the wait after a frame.
func (g *gap) send(now unit.Time, wire unit.Bytes, rate unit.Rate) {
	work := uint64(wire) * 8 * bitWork
	if now == g.until && g.rate > 0 {
		work += g.rest
	}
	g.begin(now, work, rate)
}

// change lets what is left of the wait go on at another rate.
func (g *gap) change(now unit.Time, rate unit.Rate) {
	switch {
	case rate == g.rate:
		return
	case now > g.until:
		g.rate, g.rest = rate, 0
		return
	}
	g.begin(now, uint64(g.until-now)*uint64(g.rate)+g.rest, rate)
}

func (g *gap) begin(now unit.Time, work uint64, rate unit.Rate) {
	g.until, g.rate, g.rest = now+unit.Time(work/uint64(rate)), rate, work%uint64(rate)
}
