package socket

import (
	"sync"
	"testing"
	"time"
)

func onEachClock(t *testing.T, test func(t *testing.T, w *Waiter)) {
	for name, w := range map[string]*Waiter{"system": NewWaiter(), "runtime": {clock: newGoClock()}} {
		t.Run(name, func(t *testing.T) {
			defer w.Close()
			test(t, w)
		})
	}
}

func TestWaiterIsNeverEarly(t *testing.T) {
	onEachClock(t, func(t *testing.T, w *Waiter) {
		for _, wait := range []time.Duration{-time.Hour, 0, 1, 1000, 20 * time.Microsecond, 200 * time.Microsecond, 3 * time.Millisecond} {
			for range 20 {
				at := time.Now().Add(wait)
				w.Until(at, nil)
				if early := time.Until(at); early > 0 {
					t.Fatalf("a wait of %s ended %s early", wait, early)
				}
			}
		}
	})
}

func TestWaiterWakesWhenAsked(t *testing.T) {
	onEachClock(t, func(t *testing.T, w *Waiter) {
		wake := make(chan struct{}, 1)
		for range 20 {
			time.AfterFunc(time.Millisecond, func() { wake <- struct{}{} })
			at := time.Now().Add(time.Hour)
			w.Until(at, wake)
			// A wake that is there already ends the wait as well.
			wake <- struct{}{}
			w.Until(at, wake)
			// What was left of the long wait does no harm to a short one.
			at = time.Now().Add(100 * time.Microsecond)
			w.Until(at, wake)
			if early := time.Until(at); early > 0 {
				t.Fatalf("ended %s early", early)
			}
		}
		if len(wake) != 0 {
			t.Error("a wake was left")
		}
	})
}

// TestWaiterIsWokenAsItRings has wakes come when the time comes, so that rings are left over.
func TestWaiterIsWokenAsItRings(t *testing.T) {
	onEachClock(t, func(t *testing.T, w *Waiter) {
		wake := make(chan struct{})
		stop := make(chan struct{})
		var waker sync.WaitGroup
		waker.Go(func() {
			for {
				select {
				case wake <- struct{}{}:
				case <-stop:
					return
				}
				time.Sleep(50 * time.Microsecond)
			}
		})
		for range 200 {
			w.Until(time.Now().Add(50*time.Microsecond), wake)
			at := time.Now().Add(70 * time.Microsecond)
			w.Until(at, nil)
			if early := time.Until(at); early > 0 {
				t.Fatalf("ended %s early", early)
			}
		}
		close(stop)
		waker.Wait()
	})
}

func TestWakeEndsAWait(t *testing.T) {
	onEachClock(t, func(t *testing.T, w *Waiter) {
		at := time.Now().Add(time.Hour)
		for range 20 {
			time.AfterFunc(time.Millisecond, w.Wake)
			w.Until(at, nil)
			// Wakes that nobody waits for end the next wait, all together.
			w.Wake()
			w.Wake()
			w.Until(at, nil)
			soon := time.Now().Add(100 * time.Microsecond)
			w.Until(soon, nil)
			if early := time.Until(soon); early > 0 {
				t.Fatalf("ended %s early", early)
			}
		}
	})
}

// TestSoonerEndsAWait, at its time or before. One that comes before the wait ends it at once.
func TestSoonerEndsAWait(t *testing.T) {
	onEachClock(t, func(t *testing.T, w *Waiter) {
		late := time.Now().Add(time.Hour)
		for i := range 20 {
			called := make(chan struct{})
			time.AfterFunc(time.Millisecond, func() {
				w.Sooner(late.Add(-time.Minute))
				if i%3 == 0 {
					w.Wake()
				} else {
					w.Sooner(time.Now().Add(200 * time.Microsecond))
				}
				close(called)
			})
			w.Until(late, nil)
			<-called
			// What came since the wait ended, and what comes now, ends the next one, all together.
			w.Sooner(late)
			w.Until(late, nil)
			soon := time.Now().Add(100 * time.Microsecond)
			w.Until(soon, nil)
			if early := time.Until(soon); early > 0 {
				t.Fatalf("ended %s early", early)
			}
		}
	})
}

// TestNoWakeIsLost has many wakes come at any moment. One that were lost would have the
// test wait for an hour.
func TestNoWakeIsLost(t *testing.T) {
	onEachClock(t, func(t *testing.T, w *Waiter) {
		at := time.Now().Add(time.Hour)
		asked, wake := make(chan bool), make(chan struct{}, 1)
		go func() {
			defer close(asked)
			for i := range 2000 {
				asked <- i%2 == 0
				if i%2 == 0 {
					w.Wake()
				} else {
					wake <- struct{}{}
				}
			}
		}()
		for byCall := range asked {
			if byCall {
				w.Until(at, nil)
			} else {
				w.Until(at, wake)
			}
		}
	})
}

func TestClosedWaiterReturnsAtOnce(t *testing.T) {
	onEachClock(t, func(t *testing.T, w *Waiter) {
		done := make(chan struct{})
		go func() {
			w.Until(time.Now().Add(time.Hour), nil)
			close(done)
		}()
		time.Sleep(time.Millisecond)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		<-done
		w.Until(time.Now().Add(time.Hour), nil)
	})
}

func TestWaiterDoesNotAllocate(t *testing.T) {
	w := NewWaiter()
	defer w.Close()
	if n := testing.AllocsPerRun(100, func() {
		w.Until(time.Now().Add(10*time.Microsecond), nil)
		w.Wake()
		w.Until(time.Now().Add(time.Second), nil)
	}); n >= 1 {
		t.Errorf("%v allocations per wait", n)
	}
}
