package netns

import "time"

// stamps converts the kernel's timestamps of frames, which use the wall clock, into
// times since a start, by the monotonic clock.
type stamps struct {
	start time.Time
	// offset is the difference of the two clocks, as read at the time read.
	offset, read time.Duration
	known        bool
}

const (
	// fresh is how long an offset is valid, since somebody may set the clock.
	fresh = 10 * time.Millisecond
	// tight is the largest time between the two clock readings of one offset. A
	// thread that was preempted in between would be wrong by that time.
	tight = 2 * time.Microsecond
)

// update renews the offset if it is due and the two clocks can be read close together.
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

// at converts a timestamp.
func (s *stamps) at(sec, nsec uint32) time.Duration {
	return s.offset + time.Duration(sec)*time.Second + time.Duration(nsec)
}
