package arcane

import "weft/unit"

// maxRTT keeps the maximum of the round-trip times of the last period, and of no
// more than the one before. It counts them in spans of one period: the current
// one, which ends at end, and the previous one.
type maxRTT struct {
	period            unit.Time
	end               unit.Time
	current, previous unit.Time
}

// restart forgets all samples.
func (m *maxRTT) restart(now unit.Time) {
	m.current, m.previous = 0, 0
	m.end = later(now, m.period)
}

// observe takes a sample; 0 is none.
func (m *maxRTT) observe(now, rtt unit.Time) {
	if now >= m.end {
		m.turn(now)
	}
	m.current = max(m.current, rtt)
}

func (m *maxRTT) turn(now unit.Time) {
	if now-m.end >= m.period {
		m.restart(now)
		return
	}
	m.previous, m.current = m.current, 0
	m.end = later(m.end, m.period)
}

// max returns the maximum as of now, or 0 if there were no samples.
func (m *maxRTT) max(now unit.Time) unit.Time {
	switch {
	case now < m.end:
		return max(m.current, m.previous)
	case now-m.end < m.period:
		return m.current
	}
	return 0
}
