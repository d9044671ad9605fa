package perfetto

import "weft/unit"

// mostTracks is how many rows of one kind a rank has for what lasts at the same time.
const mostTracks = 64

// tracks gives spans of time, in the order of their begins, rows in which they do not overlap.
type tracks struct {
	busy [mostTracks]unit.Time // until when
	used int
}

func (l *tracks) reset() { l.used = 0 }

// take returns the first row that is free from a time on, and holds it until another. It is mostTracks if there is
// none.
func (l *tracks) take(from, to unit.Time) int {
	i := 0
	for i < l.used && l.busy[i] > from {
		i++
	}
	if i == mostTracks {
		return i
	}
	l.used = max(l.used, i+1)
	l.busy[i] = to
	return i
}
