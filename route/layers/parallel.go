package layers

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Work controls how a computation is carried out. It never changes the result.
type Work struct {
	// Workers is the number of goroutines. 0 means the number of processors.
	Workers int
	// Progress, if not nil, is called with the share that is done, from 0 to 1, by one
	// goroutine at a time.
	Progress func(share float64)
}

// progress reports the progress of a number of equal tasks.
type progress struct {
	report func(float64)
	done   atomic.Int64
	of     int
	mutex  sync.Mutex
}

func (p *progress) add() {
	done := p.done.Add(1)
	// A goroutine that finds another one reporting continues with its work.
	if p.report == nil || !p.mutex.TryLock() {
		return
	}
	p.report(float64(done) / float64(p.of))
	p.mutex.Unlock()
}

// each calls the functions that newWorker returns with every number below n, in any order.
// Each of several goroutines has a worker of its own. It returns early if ctx ends.
func (w Work) each(ctx context.Context, p *progress, n int, newWorker func() func(int)) error {
	workers := w.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var taken atomic.Int64
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			work := newWorker()
			for ctx.Err() == nil {
				i := int(taken.Add(1)) - 1
				if i >= n {
					return
				}
				work(i)
				p.add()
			}
		})
	}
	group.Wait()
	return ctx.Err()
}
