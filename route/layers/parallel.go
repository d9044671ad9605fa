package layers

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Work says how a computation is carried out; it never changes the result.
type Work struct {
	// Workers is how many goroutines work; as many as there are processors when 0.
	Workers int
	// Progress, if not nil, is told which share is done, from 0 to 1, by one
	// goroutine at a time.
	Progress func(share float64)
}

// progress reports what is done of a number of equal tasks.
type progress struct {
	report func(float64)
	done   atomic.Int64
	of     int
	mutex  sync.Mutex
}

func (p *progress) add() {
	done := p.done.Add(1)
	// Whoever finds another reporting goes on working.
	if p.report == nil || !p.mutex.TryLock() {
		return
	}
	p.report(float64(done) / float64(p.of))
	p.mutex.Unlock()
}

// each calls what newWorker returns with every number below n, in any order and
// by several goroutines that have a worker each. It returns early if ctx ends.
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
