package route

import (
	"sync"
	"sync/atomic"
)

// progress reports the progress of a number of equal tasks.
type progress struct {
	report func(float64)
	done   atomic.Int64
	of     int
	mutex  sync.Mutex
}

func (o *Options) progress(of int) *progress { return &progress{report: o.Progress, of: of} }

func (p *progress) add() {
	done := p.done.Add(1)
	// A goroutine that finds another one reporting continues with its work.
	if p.report == nil || !p.mutex.TryLock() {
		return
	}
	p.report(float64(done) / float64(p.of))
	p.mutex.Unlock()
}
