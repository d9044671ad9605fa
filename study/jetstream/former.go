package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	js "github.com/nats-io/nats.go/jetstream"

	"weft/record"
)

// takeFormer takes over what former executions left on the server. It takes outcomes first,
// so that no finished run is repeated. Then it keeps the tasks that are still wanted. A run
// that a worker of a former execution is working on continues.
func (c *coordinator) takeFormer(ctx context.Context, pending uint64) error {
	for n := pending; n > 0; n-- {
		select {
		case m := <-c.outcomes:
			if err := c.outcome(ctx, m); err != nil {
				return err
			}
		case <-time.After(requestTimeout):
			return fmt.Errorf("%s has %d outcomes of this study and does not hand them out; try again", c.queue.shown, n)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := c.adopt(ctx); err != nil {
		return fmt.Errorf("the tasks at %s: %w", c.queue.shown, withRemedy(err))
	}
	wanted := make([]taskInputs, 0)
	for _, e := range c.order {
		if e.state != ended && len(e.task.Inputs) > 0 {
			wanted = append(wanted, taskInputs{e.task.Name, e.task.Inputs})
		}
	}
	return newInputs("").upload(ctx, c.queue, c.scope, wanted)
}

// adopt keeps the wanted tasks on the server and removes the others, including those for
// former versions of the program.
func (c *coordinator) adopt(ctx context.Context) error {
	// A study belongs to one program at a time.
	for _, stream := range []string{taskStream, outcomeStream} {
		prefix := taskSubjects
		if stream == outcomeStream {
			prefix = outcomeSubjects
		}
		there, err := c.queue.present(ctx, stream, prefix+"*."+c.scope.study+".*")
		if err != nil {
			return err
		}
		others := map[string]bool{}
		for subject := range there {
			program, _, _ := strings.Cut(strings.TrimPrefix(subject, prefix), ".")
			if program != c.scope.program && !others[program] {
				others[program] = true
				if err := c.queue.remove(ctx, stream, prefix+program+"."+c.scope.study+".*"); err != nil {
					return err
				}
			}
		}
	}
	there, err := c.queue.present(ctx, taskStream, c.scope.tasks())
	if err != nil {
		return err
	}
	var subjects []string
	for _, e := range c.order {
		if subject := c.scope.task(e.task.Key); e.state == waiting && there[subject] > 0 {
			subjects = append(subjects, subject)
		}
	}
	metas, err := c.queue.taskMetas(ctx, subjects)
	if err != nil {
		return err
	}
	wanted := 0
	for _, e := range c.order {
		subject := c.scope.task(e.task.Key)
		m, ok := metas[subject]
		if e.state != waiting || !ok || m.Key != e.task.Key {
			continue // anything that is not a task of this study is removed
		}
		delete(there, subject)
		e.state, e.session, e.attempt, e.sent = queued, m.Session, m.Attempt, time.Now()
		c.sent++
		wanted++
	}
	if err := c.queue.removeEach(ctx, taskStream, slices.Collect(maps.Keys(there))); err != nil {
		return err
	}
	if wanted > 0 {
		c.notes.put(fmt.Sprintf("%d runs are with %s already", wanted, c.queue.shown))
	}
	return nil
}

// unqueue removes an ended task from the server.
func (c *coordinator) unqueue(e *entry) {
	subject := c.scope.task(e.task.Key)
	go func() {
		// If this fails, the task's second outcome is dropped.
		ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
		defer cancel()
		_ = c.queue.remove(ctx, taskStream, subject)
	}()
}

// withdraw removes the tasks that no worker has started, so that nobody works for a stopped
// study.
func (c *coordinator) withdraw() {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	var subjects []string
	for _, e := range c.order {
		if e.state == queued && e.worker == "" {
			subjects = append(subjects, c.scope.task(e.task.Key))
		}
	}
	if err := c.queue.removeEach(ctx, taskStream, subjects); err != nil {
		c.notes.put(fmt.Sprintf("runs of this study stay with %s: %v; its workers go on with them, and the study takes their results when it is run again", c.queue.shown, err))
	}
}

// cleanUp removes the study from the server.
func (c *coordinator) cleanUp() {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	// A failure only costs some space there.
	_ = c.queue.conn.FlushWithContext(ctx)
	_ = c.queue.js.DeleteConsumer(ctx, outcomeStream, c.scope.consumer())
	if err := c.queue.js.DeleteObjectStore(ctx, c.scope.bucket()); err != nil && !errors.Is(err, js.ErrStreamNotFound) && !errors.Is(err, js.ErrBucketNotFound) {
		c.notes.put(fmt.Sprintf("files of this study stay at %s: %v", c.queue.shown, err))
	}
}

// fetchLarge reads a result from the study's bucket.
func (c *coordinator) fetchLarge(ctx context.Context, name string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	b, err := c.queue.bucket(ctx, c.scope, false)
	if err != nil {
		return nil, err
	}
	object, err := b.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	packed, err := io.ReadAll(io.LimitReader(object, record.MostPacked+1))
	if err == nil && len(packed) > record.MostPacked {
		err = fmt.Errorf("it has more than %d MiB, the most of a result", record.MostPacked>>20)
	}
	return packed, err
}

// forget removes a result from the bucket.
func (c *coordinator) forget(ctx context.Context, name string) {
	if name == "" {
		return
	}
	if b, err := c.queue.bucket(ctx, c.scope, false); err == nil {
		_ = b.Delete(ctx, name) // the bucket is removed with the study
	}
}
