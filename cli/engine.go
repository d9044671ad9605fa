package cli

import (
	"context"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"weft/study"
)

type engineFlags struct {
	url     string
	workers int
}

func (f *engineFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.url, "engine", "", "")
	c.Flags().IntVar(&f.workers, "workers", 0, "")
}

func (p *program) engine(s *study.Study, shard study.Shard, f engineFlags) (study.Engine, error) {
	return &inline{p}, nil
}

type inline struct{ p *program }

func (e *inline) Execute(ctx context.Context, tasks []study.Task, w study.Watcher) error {
	ch := make(chan study.Task)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			id, _ := study.Program()
			run := study.NewRunner(e.p.reg, id)
			for t := range ch {
				mu.Lock()
				w.Began(t.Key, "inline")
				mu.Unlock()
				s := time.Now()
				packed, f := run(ctx, t, func(x float64) { mu.Lock(); w.Progressed(t.Key, x); mu.Unlock() })
				mu.Lock()
				w.Ended(study.Outcome{Key: t.Key, Result: packed, Failure: f, Worker: "inline", Attempts: 1, Started: s, Took: time.Since(s)})
				mu.Unlock()
			}
		}()
	}
	for _, t := range tasks {
		if ctx.Err() != nil {
			break
		}
		ch <- t
	}
	close(ch)
	wg.Wait()
	return nil
}
