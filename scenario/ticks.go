package scenario

import "weft/unit"

// ticks are the instants at which a run looks at something again and again. Each is later than the one before, whatever the interval,
// so that no look keeps a run at one instant.
type ticks struct {
	// due is the next of them, Forever if there is none.
	due   unit.Time
	every unit.Time
}

// noTicks are none.
var noTicks = ticks{due: unit.Forever, every: 1}

// newTicks returns those from a time on. An interval of zero is the least there is.
func newTicks(first, every unit.Time) ticks { return ticks{due: first, every: max(1, every)} }

// advance sets the next tick one interval after now, when nothing happens before the time next and the state is idle: then it is the
// first multiple of the interval after that.
func (t *ticks) advance(now, next unit.Time, idle bool) {
	t.due = now.Plus(t.every)
	switch {
	case !idle || next < t.due:
	case next > unit.Forever-t.every:
		t.due = unit.Forever
	default:
		t.due = next - next%t.every + t.every
	}
}
