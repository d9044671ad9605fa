package socket

import "time"

// Waiter waits for short times. On Linux it is late by tens of microseconds; the runtime's timers
// are late by a millisecond. It serves one goroutine at a time.
type Waiter struct{ clock clock }

// clock is a system's way to wait.
type clock interface {
	// wait waits for the given time or for a wake, and reports whether it was woken. It may also
	// return early.
	wait(left time.Duration, wake <-chan struct{}) (woken bool)
	// wake ends the current wait after the given time, or the next one at once. It may be early.
	wake(left time.Duration)
	close() error
}

// NewWaiter makes a Waiter. The caller must close it.
func NewWaiter() *Waiter {
	if c, err := newClock(); err == nil {
		return &Waiter{clock: c}
	}
	return &Waiter{clock: newGoClock()}
}

// Until waits until a time. It returns earlier only if it receives from wake, or Wake or Sooner
// is called. If the time has passed, it checks neither. wake may be nil. Waiting for a wake
// channel makes the wait 10 to 30 µs less exact.
func (w *Waiter) Until(at time.Time, wake <-chan struct{}) {
	for {
		left := time.Until(at)
		if left <= 0 || w.clock.wait(left, wake) {
			return
		}
	}
}

// Wake ends the current call of Until, or the next one if there is none. Wakes are not counted.
// Any goroutine may call it.
func (w *Waiter) Wake() { w.clock.wake(0) }

// Sooner ends the current call of Until no later than the given time; without one, it ends the
// next call at once. It is meant for times before Until's. It costs less than Wake followed
// by a new wait.
func (w *Waiter) Sooner(at time.Time) { w.clock.wake(time.Until(at)) }

// Close frees the waiter's resources. Afterwards Until returns at once.
func (w *Waiter) Close() error { return w.clock.close() }

// goClock waits with the runtime's timers.
type goClock struct {
	timer *time.Timer
	woken chan struct{}
	done  chan struct{}
}

func newGoClock() *goClock {
	c := &goClock{timer: time.NewTimer(time.Hour), woken: make(chan struct{}, 1), done: make(chan struct{})}
	c.timer.Stop()
	return c
}

func (c *goClock) wait(left time.Duration, wake <-chan struct{}) bool {
	c.timer.Reset(left)
	select {
	case <-c.timer.C:
		return false
	case <-wake:
	case <-c.woken:
	case <-c.done:
	}
	c.timer.Stop()
	return true
}

func (c *goClock) wake(time.Duration) {
	select {
	case c.woken <- struct{}{}:
	default:
	}
}

func (c *goClock) close() error {
	select {
	case <-c.done:
	default:
		close(c.done)
	}
	return nil
}
