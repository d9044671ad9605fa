package watch

import (
	"testing"

	"weft/unit"
)

// TestTicksAdvance finds each tick later than the last one, whatever the interval, and idle times skipped to the first multiple
// after what happens next.
func TestTicksAdvance(t *testing.T) {
	t.Parallel()
	for _, every := range []unit.Time{-unit.Second, 0, 1, unit.Nanosecond, unit.Forever - 1, unit.Forever} {
		for _, idle := range []bool{false, true} {
			for _, next := range []unit.Time{0, 5, unit.Second, unit.Forever - 1, unit.Forever} {
				k := NewTicks(0, every)
				for range 4 {
					now := k.Due
					if now == unit.Forever {
						break
					}
					k.Advance(now, max(now, next), idle)
					if k.Due <= now {
						t.Errorf("every %d, idle %v, next %d: the tick after %d is at %d", every, idle, next, now, k.Due)
					}
				}
			}
		}
	}
	k := NewTicks(0, 20)
	k.Advance(0, 45, true)
	if k.Due != 60 {
		t.Errorf("what happens next comes at 45, and the first multiple of 20 after it is at %d", k.Due)
	}
}
