package workers

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"weft/study"
)

const (
	progressEvery = 250 * time.Millisecond
	// grace is the time for a run to notice that its parent is gone and to clean up.
	grace = 2 * time.Second
)

// Serve is the main loop of a child. It reads tasks and executes them one at a time, until
// the other end is closed or the context is done. It returns even if a run ignores its
// context and continues. The process must end then.
func Serve(ctx context.Context, in io.Reader, out io.Writer, run study.Runner) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &child{out: bufio.NewWriterSize(out, pipeBuffer), run: run}
	if err := c.write(kindReady); err != nil {
		return err
	}
	tasks := make(chan []byte)
	lost := make(chan error, 1)
	go func() {
		// The loss of the parent must be noticed in the middle of a run.
		defer cancel()
		reader := bufio.NewReaderSize(in, pipeBuffer)
		for {
			k, body, err := readFrame(reader)
			if err == nil && k != kindTask {
				err = fmt.Errorf("the parent sent a frame of kind %q", k)
			}
			if err != nil {
				lost <- err
				return
			}
			select {
			case tasks <- body:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case body := <-tasks:
			if err := c.execute(ctx, body); err != nil {
				return err
			}
		case <-ctx.Done():
			select {
			case err := <-lost:
				if errors.Is(err, io.EOF) {
					return nil
				}
				return err
			default:
				return ctx.Err()
			}
		}
	}
}

type child struct {
	mu  sync.Mutex
	out *bufio.Writer
	run study.Runner
}

func (c *child) write(k kind, parts ...[]byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return writeFrame(c.out, k, parts...)
}

func (c *child) execute(ctx context.Context, body []byte) error {
	r := &Result{Started: time.Now()}
	p := &progress{child: c, last: r.Started, open: true}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Packed, r.Failure = c.guarded(ctx, body, p.tell)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(grace):
		}
		// The result of an abandoned run is discarded.
		return ctx.Err()
	}
	p.close()
	r.Took = time.Since(r.Started)
	if r.Failure != nil {
		r.Packed = nil
	}
	head, rest, err := r.encode()
	if err != nil {
		return err
	}
	return c.write(kindEnded, head, rest)
}

// guarded runs a task and turns a panic into a failure.
func (c *child) guarded(ctx context.Context, body []byte, tell func(float64)) (packed []byte, failure *study.Failure) {
	defer func() {
		if v := recover(); v != nil {
			failure = &study.Failure{Message: fmt.Sprintf("panic: %v\n\n%s", v, debug.Stack()), Permanent: true}
		}
	}()
	var t study.Task
	if err := json.Unmarshal(body, &t); err != nil {
		return nil, &study.Failure{Message: fmt.Sprintf("the task cannot be read: %v", err), Permanent: true}
	}
	return c.run(ctx, t, tell)
}

// progress forwards the progress of a run, but not too often.
type progress struct {
	*child
	mu   sync.Mutex
	last time.Time
	open bool
}

func (p *progress) tell(share float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if !p.open || now.Sub(p.last) < progressEvery {
		return
	}
	p.last = now
	// The loss of the parent is noticed elsewhere.
	_ = p.write(kindProgress, binary.LittleEndian.AppendUint64(nil, math.Float64bits(share)))
}

func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = false
}
