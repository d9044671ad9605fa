package socket

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// alarm waits with a kernel timer (timerfd), which the runtime's poller watches like a socket.
// The poller's own timeouts are whole milliseconds, but it wakes at once for files that it
// watches, and the waiting goroutine runs on the woken thread. A dedicated thread that sleeps in
// the kernel would be as exact, but must hand over to another thread.
//
// Wake makes the timer fire at once, and Sooner makes it fire earlier; each takes one system
// call. A goroutine cannot wait for a file and a channel at the same time, so a second goroutine
// waits for the channel. Starting and stopping that costs more than everything else here.
type alarm struct {
	file  *os.File
	raw   syscall.RawConn
	rings [8]byte
	left  time.Duration
	// waiting is set while a goroutine waits or is about to. pending says whether a wake has not
	// been handled yet.
	waiting atomic.Bool
	pending atomic.Int32
	// wakers is held while the timer is set for a wake. rung is the time until it fires.
	wakers sync.Mutex
	rung   time.Duration
	// start and ring set the timer. They are fields because closures would allocate at each use.
	start, ring func(fd uintptr)

	// watch passes a channel to the second goroutine. Afterwards either unwatch takes it back, or
	// woke says that something was received.
	watch   chan (<-chan struct{})
	unwatch chan struct{}
	woke    chan struct{}
	done    chan struct{}
	once    sync.Once
}

// Values of alarm.pending: no wake, a wake at a later time, an immediate wake.
const (
	none int32 = iota
	later
	atOnce
)

func newClock() (clock, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	a := &alarm{
		file: os.NewFile(uintptr(fd), "timer"), watch: make(chan (<-chan struct{})),
		unwatch: make(chan struct{}), woke: make(chan struct{}), done: make(chan struct{}),
	}
	a.start = func(fd uintptr) { set(fd, a.left) }
	a.ring = func(fd uintptr) { set(fd, a.rung) }
	// Deadlines work only for files that the poller watches.
	if err = a.file.SetReadDeadline(time.Time{}); err == nil {
		a.raw, err = a.file.SyscallConn()
	}
	if err != nil {
		a.file.Close()
		return nil, err
	}
	go a.listen()
	return a, nil
}

// set restarts a timer and clears earlier expirations.
func set(fd uintptr, left time.Duration) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(left))}
	// It fails only for a negative time.
	_ = unix.TimerfdSettime(int(fd), 0, &spec, nil)
}

// listen makes the timer fire when a wake arrives.
func (a *alarm) listen() {
	for {
		select {
		case wake := <-a.watch:
			select {
			case <-wake:
				// After close the timer no longer fires, and nobody waits for it.
				a.wakers.Lock()
				a.rung = 1
				_ = a.raw.Control(a.ring)
				a.wakers.Unlock()
				a.woke <- struct{}{}
			case <-a.unwatch:
			}
		case <-a.done:
			return
		}
	}
}

func (a *alarm) wait(left time.Duration, wake <-chan struct{}) bool {
	select {
	case <-wake:
		return true
	default:
	}
	a.waiting.Store(true)
	defer a.waiting.Store(false)
	a.left = left
	if a.raw.Control(a.start) != nil {
		return true
	}
	// A wake from here on finds the timer set and makes it fire.
	if a.pending.Swap(none) != none {
		return true
	}
	if wake == nil {
		return a.sleep()
	}
	select {
	case a.watch <- wake:
	case <-a.done:
		return true
	}
	woken := a.sleep()
	select {
	case a.unwatch <- struct{}{}:
		return woken
	case <-a.woke:
		return true
	}
}

// sleep waits for the timer and reports whether a wake made it fire.
func (a *alarm) sleep() bool {
	_, err := a.file.Read(a.rings[:])
	return a.pending.Swap(none) != none || err != nil
}

func (a *alarm) wake(left time.Duration) {
	a.wakers.Lock()
	defer a.wakers.Unlock()
	want := atOnce
	if left > 0 {
		want = later
	}
	was := a.pending.Load()
	if was == atOnce {
		return // it fires already, or is handled before the next wait
	}
	// The waiting goroutine checks this after it has set the timer.
	a.pending.Store(want)
	if a.waiting.Load() {
		a.rung = max(left, 1)
		// If the file is closed, nobody waits.
		_ = a.raw.Control(a.ring)
	}
}

func (a *alarm) close() (err error) {
	a.once.Do(func() {
		close(a.done)
		err = a.file.Close()
	})
	return err
}
