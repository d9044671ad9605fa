package study

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// group commits the runs that a study keeps. It syncs their files, then their folders, and
// then adds their lines to the index. So the index never names a run that a power failure
// can damage. It commits many runs at a time, and accepts more meanwhile, since a study may
// have ten thousand runs of a millisecond each. After a power failure, whoever opens the
// study next checks runs that were kept but not committed, and repeats damaged ones.
type group struct {
	runs  string // the folder of the store
	write func([]line) error
	sync  syncer

	mu      sync.Mutex
	changed sync.Cond
	waiting []commit
	err     error
	closing chan struct{}
	done    chan struct{}
}

// commit is a kept run to be committed.
type commit struct {
	path string
	line line
}

// syncer syncs files and folders.
type syncer struct{ path, folder func(string) error }

const (
	// groupPause is how long a run waits for others to commit with.
	groupPause = time.Second
	// mostWaiting is the most runs that may wait. Adding another one blocks.
	mostWaiting = 4096
	// syncsAtOnce is the number of files synced at a time; a file system commits them
	// together.
	syncsAtOnce = 8
)

// newGroup starts to commit. It passes lines to write, which is nil if there is no index.
func newGroup(runs string, write func([]line) error, s syncer) *group {
	g := &group{runs: runs, write: write, sync: s, closing: make(chan struct{}), done: make(chan struct{})}
	g.changed.L = &g.mu
	go g.run()
	return g
}

// add accepts a kept run. Its error may come from an earlier run.
func (g *group) add(path string, l line) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.waiting) >= mostWaiting && g.err == nil {
		g.changed.Wait()
	}
	g.waiting = append(g.waiting, commit{path, l})
	g.changed.Broadcast()
	return g.err
}

// close commits the waiting runs.
func (g *group) close() error {
	g.mu.Lock()
	close(g.closing)
	g.changed.Broadcast()
	g.mu.Unlock()
	<-g.done
	return g.err
}

func (g *group) run() {
	defer close(g.done)
	g.mu.Lock()
	defer g.mu.Unlock()
	for {
		for len(g.waiting) == 0 && !g.isClosing() {
			g.changed.Wait()
		}
		if len(g.waiting) == 0 || g.err != nil {
			return
		}
		g.mu.Unlock()
		select {
		case <-time.After(groupPause):
		case <-g.closing:
		}
		g.mu.Lock()
		batch := g.waiting
		g.waiting = nil
		g.mu.Unlock()
		err := g.commit(batch)
		g.mu.Lock()
		g.err = err
		g.changed.Broadcast()
	}
}

func (g *group) isClosing() bool {
	select {
	case <-g.closing:
		return true
	default:
		return false
	}
}

func (g *group) commit(batch []commit) error {
	var paths []string
	folders := map[string]bool{g.runs: true}
	lines := make([]line, len(batch))
	for i, c := range batch {
		paths = append(paths, c.path)
		folders[filepath.Dir(c.path)] = true
		lines[i] = c.line
	}
	err := each(paths, g.sync.path)
	if err == nil {
		err = each(slices.Collect(maps.Keys(folders)), g.sync.folder)
	}
	if err != nil {
		return fmt.Errorf("runs are kept, but may not survive the loss of power: %w", err)
	}
	if g.write == nil {
		return nil
	}
	if err := g.write(lines); err != nil {
		return fmt.Errorf("the index of the study: %w", err)
	}
	return nil
}

// each calls do for all paths, several at a time.
func each(paths []string, do func(string) error) error {
	var all sync.WaitGroup
	next := make(chan string)
	errs := make([]error, min(syncsAtOnce, len(paths)))
	for i := range errs {
		all.Go(func() {
			for path := range next {
				if err := do(path); err != nil && errs[i] == nil {
					errs[i] = err
				}
			}
		})
	}
	for _, path := range paths {
		next <- path
	}
	close(next)
	all.Wait()
	return errors.Join(errs...)
}
