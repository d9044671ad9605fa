package watch

import "weft/unit"

// Ticks are the times of a repeated look. Each is later than the one before, even with an
// interval of 0, so that no look keeps the run at one instant.
type Ticks struct {
	// Due is the next tick, or Forever if there is none.
	Due   unit.Time
	every unit.Time
}

// NoTicks returns Ticks without any tick.
func NoTicks() Ticks { return Ticks{Due: unit.Forever, every: 1} }

// NewTicks returns the ticks that start at a time. An interval of 0 is raised to the
// smallest time.
func NewTicks(first, every unit.Time) Ticks { return Ticks{Due: first, every: max(1, every)} }

// Advance sets the next tick to one interval after now. If the state is idle and nothing
// happens until after that, the next tick is the first multiple of the interval after the
// time next, when something may happen again.
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
