package socket

import "time"

// Waiter waits short times. On Linux it is late by tens of microseconds, where timers of the
// runtime are late by a millisecond. It serves one goroutine at a time.
type Waiter struct{ clock clock }

// clock waits as a system can.
type clock interface {
	// wait waits for a time or for a wake, and tells whether it was woken. It may also
	// return early.
	wait(left time.Duration, wake <-chan struct{}) (woken bool)
	// wake ends a wait after a while, or the next one at once. It may be early.
	wake(left time.Duration)
	close() error
}

// NewWaiter makes a Waiter, which has to be closed.
func NewWaiter() *Waiter {
	if c, err := newClock(); err == nil {
		return &Waiter{clock: c}
	}
	return &Waiter{clock: newGoClock()}
}

// Until waits until a time, and never returns before it unless something can be received
// from wake, which it then has received, or Wake is called. It looks at neither if the time has
// passed. A wake may be nil. To wait for one makes the wait 10 to 30 µs less exact.
func (w *Waiter) Until(at time.Time, wake <-chan struct{}) {
	for {
		left := time.Until(at)
		if left <= 0 || w.clock.wait(left, wake) {
			return
		}
	}
}

// Wake ends a call of Until, or the next one if there is none. Wakes are not counted. Any
// goroutine may call it.
func (w *Waiter) Wake() { w.clock.wake(0) }

// Sooner ends a call of Until once a time has come, or before; if there is none, the next one at once. It is for
// times before that of Until. It costs less than a Wake, after which somebody waits anew.
func (w *Waiter) Sooner(at time.Time) { w.clock.wake(time.Until(at)) }

// Close frees what the waiter holds. A call of Until returns at once from then on.
func (w *Waiter) Close() error { return w.clock.close() }

// goClock waits by a timer of the runtime.
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
