package reliable

import "weft/unit"

// Timer is the retransmission timer of a connection as TCP's is (RFC 6298): one for all
// that is in flight, which lasts the longer the longer and the less even round trips
// are, which every acknowledgement of something new starts again, and which each
// expiry doubles.
//
//	first round trip R:  SRTT = R, RTTVAR = R/2                                  (2.2)
//	each later one:      RTTVAR = 3/4·RTTVAR + 1/4·|SRTT-R|, SRTT = 7/8·SRTT + 1/8·R  (2.3)
//	timeout:             SRTT + 4·RTTVAR, Least at least                          (2.3, 2.4)
//
// Departures: all that is in flight is given up, where (5.4) sends the earliest segment
// again and the rest as the window allows, and there is no clock granularity G. Because a
// fabric's round trips are known to be microseconds, Least is the user's instead of 1 s, the
// timeout before the first round trip is Least instead of 1 s, and the largest one is
// TimeoutGrowth times the one by round trips (as in ns-2) instead of 60 s or more.
type Timer struct {
	// Least is the least timeout.
	Least unit.Time

	mean, deviation unit.Time // 0 before the first round trip
	doublings       uint8
	since           unit.Time
}

// TimeoutGrowth is how many times the timeout by round trips the largest one is.
const TimeoutGrowth = 1 << mostDoublings

const mostDoublings = 6

// Reset forgets what was measured.
func (t *Timer) Reset() { *t = Timer{Least: t.Least} }

// Began tells that a packet is sent while nothing else is in flight (5.1).
func (t *Timer) Began(now unit.Time) { t.since = now }

// Heard tells that something new was acknowledged (5.3), and the round trip of a
// packet that was sent once, or 0 (section 3, Karn's algorithm). A round trip ends the
// doubling.
func (t *Timer) Heard(now, rtt unit.Time) {
	t.since = now
	switch {
	case rtt <= 0:
		return
	case t.mean == 0:
		t.mean, t.deviation = rtt, rtt/2
	default:
		t.deviation += (max(t.mean-rtt, rtt-t.mean) - t.deviation) / 4
		t.mean += (rtt - t.mean) / 8
	}
	t.doublings = 0
}

// Expired tells that what is in flight was given up since Due has come (5.5, 5.6).
func (t *Timer) Expired(now unit.Time) {
	t.since = now
	t.doublings = min(t.doublings+1, mostDoublings)
}

// Due is when what is in flight is to be given up if nothing is heard until then.
func (t *Timer) Due() unit.Time {
	return t.since + max(t.Least, t.mean+4*t.deviation)<<t.doublings
}
