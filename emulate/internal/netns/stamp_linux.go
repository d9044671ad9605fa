package netns

import "time"

// stamps turns times of the clock that people set, by which the kernel stamps frames, into times
// since a start, by the clock that only runs.
type stamps struct {
	start time.Time
	// offset is the difference of the two, as it was read at a time.
	offset, read time.Duration
	known        bool
}

const (
	// fresh is how long an offset is used: it changes when somebody sets the clock.
	fresh = 10 * time.Millisecond
	// tight is how far apart both clocks are read at most. A thread that lost its
	// processor in between would be wrong by that time.
	tight = 2 * time.Microsecond
)

// update reads the offset anew if it is due, and if the two clocks can be read together.
func (s *stamps) update() {
	before := time.Since(s.start)
	if s.known && before-s.read < fresh {
		return
	}
	least := time.Duration(0)
	for i := range 4 {
		now := time.Now()
		after := time.Since(s.start)
		if apart := after - before; i == 0 || apart < least {
			least = apart
			if !s.known || apart <= tight {
				s.offset, s.read = now.Sub(s.start)-time.Duration(now.UnixNano()), after
			}
			if apart <= tight {
				break
			}
		}
		before = after
	}
	s.known = true
}

// at returns the time of a stamp.
func (s *stamps) at(sec, nsec uint32) time.Duration {
	return s.offset + time.Duration(sec)*time.Second + time.Duration(nsec)
}
