package netns

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// onThread calls a function on a thread that ends afterwards, so the function may change the
// namespaces of its thread.
func onThread(f func() error) error {
	done := make(chan error, 1)
	go func() {
		// A goroutine that ends locked takes its thread along.
		runtime.LockOSThread()
		// The first thread never ends, and /proc/self shows its namespaces as the process's.
		if unix.Gettid() == unix.Getpid() {
			done <- onThread(f)
			runtime.UnlockOSThread()
			return
		}
		err := errors.New("the function ended its goroutine")
		defer func() { done <- err }()
		err = f()
	}()
	return <-done
}

// ExactSleep has the calling thread sleep as exactly as it asks for, and not up to 50 µs longer. A
// goroutine that uses Tap.Wait locks its thread (runtime.LockOSThread) and calls it once.
func ExactSleep() error {
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set the slack of the thread's timers: %w", err)
	}
	return nil
}

// behind is how nice threads are that yield to another.
const behind = 10

// GoFirst has all other threads of the process yield to the calling one, and those that they will start. It cannot be undone
// by an ordinary user.
func GoFirst() error {
	mine := unix.Gettid()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("list the threads of the process: %w", err)
	}
	for _, t := range tasks {
		id, err := strconv.Atoi(t.Name())
		if err != nil || id == mine {
			continue
		}
		if err := unix.Setpriority(unix.PRIO_PROCESS, id, behind); err != nil && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("have a thread yield: %w", err)
		}
	}
	return nil
}
