package reliable

import "weft/unit"

// Patience is how long a connection waits for the acknowledgement of each packet when
// nobody fixes that time:
//
//	timeout = max(Least, 2·R)·2^n
//
// Least is what a fabric without faults may take at its worst. Until something was heard it is First, if that is longer: then
// nothing tells of queues that have no bound. R is the largest round trip
// that was heard of recently, so that a path that is slower than its links' nominal rates
// does not make every packet time out. n counts the timeouts in a row in which nothing was
// heard (RFC 6298, 5.5), and 64 times is the most.
//
// Recent is what was heard in the last timeout or two. A connection that hears nothing
// forgets nothing.
type Patience struct {
	Least, First unit.Time

	recent
	since     unit.Time // heard of something, or doubled
	spent     unit.Time // the timeout of the packet that was given up last
	doublings uint8
}

// recent is what was heard of round trips in the last span of time or two.
type recent struct {
	current, previous unit.Time // largest of this span and of the one before
	end               unit.Time // of this span
}

// shift begins another span, whose end is still to be set.
func (r *recent) shift() { r.previous, r.current = r.current, 0 }

// longest returns the largest round trip, 0 if there was none.
func (r *recent) longest() unit.Time { return max(r.current, r.previous) }

// Reset forgets what was heard.
func (p *Patience) Reset() { *p = Patience{Least: p.Least, First: p.First} }

// Timeout returns how long after it was sent a packet is given up.
func (p *Patience) Timeout() unit.Time {
	t := p.settled()
	if t > unit.Forever>>(p.doublings+2) {
		return unit.Forever >> 2
	}
	return t << p.doublings
}

// settled returns the timeout without doublings.
func (p *Patience) settled() unit.Time {
	longest := p.longest()
	if longest == 0 {
		return max(p.Least, p.First)
	}
	return max(p.Least, longest.Times(2))
}

// Heard tells that something new was acknowledged or reported. It takes the round trip of
// the packet, 0 if that is not known.
func (p *Patience) Heard(now, rtt unit.Time) {
	p.since, p.doublings = now, 0
	if rtt <= 0 {
		return
	}
	if now >= p.end {
		p.shift()
		p.end = now + p.settled()
	}
	p.current = max(p.current, rtt)
}

// HeardLate is Heard for the first copy of a packet that was given up too soon. It takes the
// time since the last copy was sent. The round trip is longer than that by a timeout.
func (p *Patience) HeardLate(now, since unit.Time) { p.Heard(now, since+p.spent) }

// Expired tells that a packet was given up that had been sent at the given time. Of the
// packets of one flight only the first one doubles the timeout, and none does that was sent
// before something was heard.
func (p *Patience) Expired(now, sent unit.Time) {
	p.spent = p.Timeout()
	if sent < p.since {
		return
	}
	p.since = now
	p.doublings = min(p.doublings+1, mostDoublings)
}
