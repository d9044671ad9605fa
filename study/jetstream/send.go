package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	js "github.com/nats-io/nats.go/jetstream"
)

// send publishes tasks in batches until the context is done.
func (c *coordinator) send(ctx context.Context) {
	batch := make([]publication, 0, publishBatch)
	for {
		batch = batch[:0]
		select {
		case p := <-c.publish:
			batch = append(batch, p)
		case <-ctx.Done():
			return
		}
	more:
		for len(batch) < publishBatch {
			select {
			case p := <-c.publish:
				batch = append(batch, p)
			default:
				break more
			}
		}
		for try := 0; len(batch) > 0; try++ {
			if try > 0 {
				sleep(ctx, min(100*time.Millisecond<<min(try, 10), 10*time.Second))
			}
			if ctx.Err() != nil {
				return
			}
			batch = c.sendBatch(ctx, batch)
		}
	}
}

// sendBatch publishes tasks and returns those that the server did not confirm. Their ids
// keep it from storing them twice.
func (c *coordinator) sendBatch(ctx context.Context, batch []publication) []publication {
	futures := make([]js.PubAckFuture, len(batch))
	var why error
	for i, p := range batch {
		f, err := c.queue.js.PublishMsgAsync(p.msg)
		if err != nil {
			why = err
		}
		futures[i] = f
	}
	left := batch[:0]
	timeout := time.NewTimer(requestTimeout)
	defer timeout.Stop()
	for i, f := range futures {
		if f == nil {
			left = append(left, batch[i])
			continue
		}
		select {
		case <-f.Ok():
			select {
			case c.stored <- batch[i]:
			case <-ctx.Done():
				return nil
			}
			continue
		case why = <-f.Err():
		case <-timeout.C:
			why = context.DeadlineExceeded
			timeout.Reset(0)
		case <-ctx.Done():
			return nil
		}
		left = append(left, batch[i])
	}
	if isFull(why) {
		c.fail(fmt.Errorf("runs cannot be handed to %s: %w", c.queue.shown, withRemedy(why)))
		return nil
	}
	if len(left) > 0 && ctx.Err() == nil {
		c.notes.put(fmt.Sprintf("%d runs are not with %s yet: %v; trying again", len(left), c.queue.shown, why))
	}
	return left
}

// receive forwards the outcomes on the server until the context is done.
func (c *coordinator) receive(ctx context.Context) {
	const together = 64
	var messages *puller
	defer func() {
		if messages != nil {
			messages.close()
		}
	}()
	for ctx.Err() == nil {
		var err error
		if messages == nil {
			// The number of bytes limits the memory of this process.
			most := max(2*int(c.queue.conn.MaxPayload()), 16<<20)
			if messages, err = newPuller(c.queue.conn, outcomeStream, c.scope.consumer(), together, most); err != nil {
				messages = nil
				sleep(ctx, time.Second)
				continue
			}
		}
		m, err := messages.next(ctx)
		switch {
		case err == nil:
			select {
			case c.outcomes <- m:
			case <-ctx.Done():
			}
		case ctx.Err() == nil:
			messages.close()
			messages = nil
			sleep(ctx, 200*time.Millisecond)
			if errors.Is(err, errNoConsumer) {
				// This creates them again if they are gone.
				_ = c.queue.prepare(ctx)
				_, _ = c.queue.ensureOutcomes(ctx, c.scope)
			}
		}
	}
}
