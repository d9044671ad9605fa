// Package pool shares independent tasks among threads. What a task computes may
// depend on its number only, so that results are the same for any threads.
package pool

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Options say how tasks are run.
type Options struct {
	// Threads is how many run at a time; as many as the machine has if it is 0.
	Threads int
	// Progress, unless it is nil, is called now and then by one of the threads at a
	// time, with the share of tasks done.
	Progress func(share float64)
}

// Each makes a worker for every thread and has the workers run tasks 0 to n-1.
// It returns the workers, whose sums the caller adds up: sums must not depend on
// the order. It ends early, with its error, if ctx does.
func Each[W any](ctx context.Context, n int, o Options, worker func() W, task func(w W, i int)) ([]W, error) {
	threads := o.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	threads = max(1, min(threads, n))
	var (
		next, done atomic.Int64
		telling    sync.Mutex
		group      sync.WaitGroup
		workers    = make([]W, threads)
	)
	for t := range threads {
		workers[t] = worker()
		group.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				task(workers[t], i)
				share := float64(done.Add(1)) / float64(n)
				if o.Progress != nil && telling.TryLock() {
					o.Progress(share)
					telling.Unlock()
				}
			}
		})
	}
	group.Wait()
	return workers, ctx.Err()
}
