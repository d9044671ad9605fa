package netns

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// onThread calls a function on a thread that ends afterwards, so that the function
// may change the thread's namespaces.
func onThread(f func() error) error {
	done := make(chan error, 1)
	go func() {
		// A goroutine that ends locked ends its thread, too.
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

// ExactSleep makes the calling thread sleep exactly as long as it asks, instead of
// up to 50 µs longer. A goroutine that uses Tap.Wait must lock its thread
// (runtime.LockOSThread) and call ExactSleep once.
func ExactSleep() error {
	if err := unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set the slack of the thread's timers: %w", err)
	}
	return nil
}

// Isolate reserves a processor for the calling thread: no other thread of the
// process, or of its children, runs there until the returned function is called. It
// does nothing if the process may use only one processor.
func Isolate() (end func(), err error) {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return nil, fmt.Errorf("ask for the processors of the thread: %w", err)
	}
	if all.Count() < 2 {
		return func() {}, nil
	}
	var mine unix.CPUSet
	others := all
	for last := range maxCPU {
		if cpu := maxCPU - 1 - last; all.IsSet(cpu) {
			mine.Set(cpu)
			others.Clear(cpu)
			break
		}
	}
	thread := unix.Gettid()
	if err := eachThread(func(id int) error {
		if id == thread {
			return unix.SchedSetaffinity(id, &mine)
		}
		return unix.SchedSetaffinity(id, &others)
	}); err != nil {
		return nil, fmt.Errorf("keep other threads off a processor: %w", err)
	}
	return func() { _ = eachThread(func(id int) error { return unix.SchedSetaffinity(id, &all) }) }, nil
}

// maxCPU is the number of processors in a CPUSet.
const maxCPU = 1024

// eachThread calls a function for each thread of the process. Threads may end meanwhile.
func eachThread(f func(id int) error) error {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, t := range tasks {
		id, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		if err := f(id); err != nil && !errors.Is(err, unix.ESRCH) {
			return err
		}
	}
	return nil
}

// FreeMemory returns how many bytes of the machine's memory are unused, or 0 if that is unknown.
func FreeMemory() int64 {
	var i unix.Sysinfo_t
	if err := unix.Sysinfo(&i); err != nil {
		return 0
	}
	return int64(i.Freeram) * int64(i.Unit)
}
