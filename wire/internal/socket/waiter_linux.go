package socket

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// alarm waits by a timer of the kernel, which the runtime's poller watches as it watches
// sockets. The poller's own timeouts are whole milliseconds, but it wakes at once for what
// it watches, and the goroutine that waits runs on the thread that was woken. A thread of its
// own that sleeps in the kernel is as exact, but then hands over to another thread.
//
// A call of Wake has the timer ring at once, and one of Sooner before it would, which takes one system call. Nothing can wait
// for a file and for a channel at once, so a second goroutine waits for a channel. To start
// and stop it costs more than all else here.
type alarm struct {
	file  *os.File
	raw   syscall.RawConn
	rings [8]byte
	left  time.Duration
	// waiting tells that somebody waits, or is about to, and pending whether a wake has not
	// been heeded.
	waiting atomic.Bool
	pending atomic.Int32
	// wakers is held while the timer is set to ring for a wake, after rung.
	wakers sync.Mutex
	rung   time.Duration
	// start and ring set the timer. They are kept, as they would be allocated at each use.
	start, ring func(fd uintptr)

	// watch hands a channel to the second goroutine. What follows is one of two: unwatch
	// takes it back, or woke tells that something was received.
	watch   chan (<-chan struct{})
	unwatch chan struct{}
	woke    chan struct{}
	done    chan struct{}
	once    sync.Once
}

// Values of alarm.pending: no wake, one that comes later, one that comes at once.
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

// set starts a timer anew. What rang before is forgotten.
func set(fd uintptr, left time.Duration) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(left))}
	// It fails only for a time below zero.
	_ = unix.TimerfdSettime(int(fd), 0, &spec, nil)
}

// listen has the timer ring when a wake comes.
func (a *alarm) listen() {
	for {
		select {
		case wake := <-a.watch:
			select {
			case <-wake:
				// A timer that was closed rings no more, and nobody waits for it.
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
	// A wake from here on finds the timer set, and has it ring.
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

// sleep waits for the timer, and tells whether it was a wake that had it ring.
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
		return // it rings already, or is heeded before the next wait
	}
	// Whoever waits looks at this after it has set the timer.
	a.pending.Store(want)
	if a.waiting.Load() {
		a.rung = max(left, 1)
		// The file may be closed, and then nobody waits.
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
