package sending

import "weft/unit"

// bitWork is the work of sending one bit, in units of 10⁻¹² bit. A rate of r bit/s does r units
// of work per picosecond.
const bitWork = 1_000_000_000_000

// gap is the wait of a connection after a frame that it sent at a rate. It keeps fractions of a
// picosecond, so that neither successive frames nor changes of the rate accumulate rounding
// errors. Work fits in 64 bits: the largest frame is 5.2·10¹⁷.
type gap struct {
	// until is when the frame's work is done at the rate, rounded down. rest is the work left
	// then, less than the rate does in a picosecond. The rate is 0 if there was no frame.
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

// change continues the rest of the wait at another rate.
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
