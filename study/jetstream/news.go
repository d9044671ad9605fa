package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"weft/study"
)

// outcome processes the end of an attempt, and acknowledges it once it is stored. It drops
// a message that it cannot read, since anybody may have sent it. If a worker did, compare
// finds out when the server lists what it holds of the run.
func (c *coordinator) outcome(ctx context.Context, msg *nats.Msg) error {
	c.lastNews = time.Now()
	m, packed, err := decodeOutcome(msg.Data)
	if err == nil && c.scope.outcome(m.Key) != msg.Subject {
		err = errors.New("it is of another run")
	}
	e := c.entries[m.Key]
	if err != nil {
		c.notOutcome(err)
		if e = c.entryOf(msg.Subject); e != nil && e.state == queued {
			e.unread = fmt.Sprintf("its outcome cannot be read: %v", err)
			c.lookSoon()
		}
		return c.acknowledge(msg)
	}
	if e == nil || e.state == ended {
		// The outcome is unwanted, or the second of two.
		c.forget(ctx, m.Object)
		return c.acknowledge(msg)
	}
	if m.Object != "" {
		if packed, err = c.fetchLarge(ctx, m.Object); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			// Without its result, the attempt has failed.
			m.Failure = &study.Failure{Message: fmt.Sprintf("its result of %s cannot be fetched: %v", m.Worker, err)}
		}
	}
	if err := c.settle(ctx, e, m, packed); err != nil {
		return err
	}
	c.forget(ctx, m.Object)
	return c.acknowledge(msg)
}

// notOutcome reports a dropped message. It stops after the first few.
func (c *coordinator) notOutcome(err error) {
	const most = 10
	c.unread++
	text := fmt.Sprintf("a message in %s is no outcome: %v; it is dropped", outcomeStream, err)
	if c.unread == most {
		text += ", as are further ones without a notice"
	}
	if c.unread <= most {
		c.notes.put(text)
	}
}

// lookSoon requests a check of what the server holds of the study.
func (c *coordinator) lookSoon() {
	if c.reconcile {
		return // it is already requested
	}
	select {
	case c.returned <- struct{}{}:
	default:
	}
}

// entryOf returns the task whose outcomes have a subject, or nil.
func (c *coordinator) entryOf(subject string) *entry {
	for _, e := range c.order {
		if c.scope.outcome(e.task.Key) == subject {
			return e
		}
	}
	return nil
}

// settle acts on the end of an attempt.
func (c *coordinator) settle(ctx context.Context, e *entry, m outcomeMeta, packed []byte) error {
	session, attempt := e.session, e.attempt
	what, failure := e.outcome(m, c.MaxAttempts)
	if what == ignore {
		return nil
	}
	c.began(e, m.Worker)
	if what == finish {
		err := c.finish(e, m, packed, failure)
		if !errors.Is(err, study.ErrNotResult) {
			if err == nil && attempt > 0 && (session != m.Session || attempt != m.Attempt) {
				// Another attempt is queued or running.
				if e.dangling = e.sent.IsZero(); !e.dangling {
					c.unqueue(e)
				}
			}
			return err
		}
		m.Failure = &study.Failure{Message: err.Error()}
		if what, failure = e.spoiled(m, c.MaxAttempts); what == finish {
			return c.finish(e, m, nil, failure)
		}
	}
	c.lost(e, m.Failure.Message)
	if what == repeat {
		return c.repeat(ctx, e, m.Lost)
	}
	return nil
}

func (c *coordinator) finish(e *entry, m outcomeMeta, packed []byte, failure *study.Failure) error {
	return c.ended(e, study.Outcome{
		Key: m.Key, Result: packed, Failure: failure, Worker: m.Worker, Attempts: e.tries.Begun, Started: m.Started, Took: m.Took,
	})
}

// acknowledge tells the server to drop an outcome. It waits for the next outcome or a short
// pause, since a stream that becomes empty after each message creates and removes a file
// each time. An outcome that is delivered again is dropped.
func (c *coordinator) acknowledge(msg *nats.Msg) error {
	last := c.unacked
	c.unacked = msg
	c.ackTimer.Reset(ackPause)
	return c.ack(last)
}

func (c *coordinator) ack(msg *nats.Msg) error {
	if msg == nil {
		return nil
	}
	if err := respond(c.queue.conn, msg, done); err != nil {
		return fmt.Errorf("an outcome cannot be acknowledged: %w", err)
	}
	return nil
}

// acknowledgeLast acknowledges the last outcome without waiting.
func (c *coordinator) acknowledgeLast() error {
	last := c.unacked
	c.unacked = nil
	return c.ack(last)
}

// ended reports the end of a task.
func (c *coordinator) ended(e *entry, o study.Outcome) error {
	if o.Failure != nil {
		o.Result = nil
	}
	if err := c.watcher.Ended(o); err != nil {
		return err
	}
	if e.state == queued {
		c.sent--
	}
	e.state, e.worker = ended, ""
	e.task.Scenario = nil
	c.open--
	return nil
}

func (c *coordinator) began(e *entry, worker string) {
	if e.worker == "" {
		e.worker = worker
		c.watcher.Began(e.task.Key, worker)
	}
}

func (c *coordinator) lost(e *entry, why string) {
	c.watcher.Lost(e.task.Key, e.worker, why)
	e.worker = ""
}

// repeat starts a task again: at once after a process died, and with growing delays after a
// lack of resources.
func (c *coordinator) repeat(ctx context.Context, e *entry, lost bool) error {
	if e.state != queued {
		return nil // the task has not been sent yet
	}
	if lost {
		return c.enqueue(e)
	}
	e.state, e.worker = resting, ""
	c.sent--
	wait := e.tries.Delay(c.RetryDelay)
	time.AfterFunc(wait, func() {
		select {
		case c.due <- e:
		case <-ctx.Done():
		}
	})
	return nil
}

// event processes a progress report.
func (c *coordinator) event(ctx context.Context, ev event) error {
	c.lastNews = time.Now()
	e := c.entries[ev.Key]
	if e == nil || e.state != queued || e.stale(ev.Session, ev.Attempt) {
		return nil
	}
	switch ev.Kind {
	case eventBegan, eventProgress:
		if e.worker != "" && e.worker != ev.Worker {
			if ev.Kind == eventProgress {
				return nil // from a worker that was given up but is alive
			}
			return c.redelivered(ctx, e, ev.Worker)
		}
		c.began(e, ev.Worker)
		if ev.Kind == eventProgress {
			c.watcher.Progressed(ev.Key, ev.Share)
		}
	case eventReturned:
		if e.worker == ev.Worker {
			e.tries.Begun++
			c.lost(e, "the worker was stopped")
		}
	}
	return nil
}

// redelivered records that the server gave a task to another worker, since it had not heard from
// the first.
func (c *coordinator) redelivered(ctx context.Context, e *entry, next string) error {
	why := fmt.Sprintf("nothing was heard of it for %v", c.AckWait)
	first := e.worker
	what, failure := e.fail(&study.Failure{Message: why}, true, c.MaxAttempts)
	if what != finish {
		c.lost(e, why)
		c.began(e, next)
		return nil
	}
	if err := c.ended(e, study.Outcome{Key: e.task.Key, Failure: failure, Worker: first, Attempts: e.tries.Begun, Started: time.Now()}); err != nil {
		return err
	}
	c.unqueue(e)
	return nil
}
