package watch

import "weft/unit"

// Ticks are the instants at which a run looks at something again and again. Each is later than the one before, whatever the interval,
// so that no look keeps a run at one instant.
type Ticks struct {
	// Due is the next of them, Forever if there is none.
	Due   unit.Time
	every unit.Time
}

// NoTicks returns none.
func NoTicks() Ticks { return Ticks{Due: unit.Forever, every: 1} }

// NewTicks returns those from a time on. An interval of zero is the least there is.
func NewTicks(first, every unit.Time) Ticks { return Ticks{Due: first, every: max(1, every)} }

// Advance sets the next tick one interval after now, when nothing happens before the time next and the state is idle: then it is the
// first multiple of the interval after that.
func (t *Ticks) Advance(now, next unit.Time, idle bool) {
	t.Due = now.Plus(t.every)
	switch {
	case !idle || next < t.Due:
	case next > unit.Forever-t.every:
		t.Due = unit.Forever
	default:
		t.Due = next - next%t.every + t.every
	}
}
