// Package pool runs independent tasks on several threads. The result of a task must depend only
// on its number, so that results do not depend on the number of threads.
package pool

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Options configures Each.
type Options struct {
	// Threads is the number of tasks run in parallel; 0 means one per processor.
	Threads int
	// Progress, if not nil, is called occasionally with the share of tasks done, by one thread at
	// a time.
	Progress func(share float64)
}

// Each makes a worker for every thread and lets the workers run tasks 0 to n-1. It returns the
// workers, whose results the caller combines; the combination must not depend on the order. If
// ctx ends, Each stops early and returns its error.
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
