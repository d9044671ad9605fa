package jetstream

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"weft/study"
	"weft/study/workers"
)

// slot keeps one worker process busy.
type slot struct {
	*supervisor
	fetcher *fetcher
	keeper  *workers.Keeper
	// lastRun is the time that the last run took.
	lastRun time.Duration
	// delivered is closed when the server has stored the outcome of the previous run.
	delivered chan struct{}
}

func newSlot(s *supervisor) *slot {
	done := make(chan struct{})
	close(done)
	return &slot{
		supervisor: s, keeper: workers.NewKeeper(s.command), delivered: done, lastRun: time.Hour,
		fetcher: &fetcher{s: s, want: make(chan struct{}, 1), got: make(chan *held)},
	}
}

// run works until the context is done. It fails if processes cannot be kept alive.
func (s *slot) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	fetched := make(chan struct{})
	go func() {
		defer close(fetched)
		s.fetcher.run(ctx)
	}()
	defer func() {
		cancel()
		<-fetched
		<-s.delivered
		s.keeper.Close()
	}()
	for {
		if err := s.keeper.Ready(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		h := s.next(ctx)
		if ctx.Err() != nil {
			if h != nil {
				h.giveBack()
			}
			return nil
		}
		if h != nil {
			s.execute(ctx, h)
		}
	}
}

// next waits for a task. It returns nil if the idle process died.
func (s *slot) next(ctx context.Context) *held {
	select {
	case h := <-s.fetcher.got:
		return h
	default:
		s.fetcher.ask()
	}
	select {
	case h := <-s.fetcher.got:
		return h
	case <-s.keeper.Exited():
		s.keeper.Close()
	case <-ctx.Done():
	}
	return nil
}

// execute runs a task once. Only the coordinator decides what follows a death or a lack of
// resources.
func (s *slot) execute(ctx context.Context, h *held) {
	// A leftover request would fetch a task during a long run.
	select {
	case <-s.fetcher.want:
	default:
	}
	if s.lastRun < shortRun {
		s.fetcher.ask()
	}
	s.busy.Add(1)
	defer s.busy.Add(-1)
	task := h.msg.Data
	m := outcomeMeta{
		Key: h.meta.Key, Session: h.meta.Session, Attempt: h.meta.Attempt,
		Worker: s.keeper.Worker(), Started: time.Now(),
	}
	if h.meta.Inputs {
		var failure *study.Failure
		if task, failure = s.inputs.localize(ctx, s.queue, h.scope, task); failure != nil {
			if ctx.Err() != nil {
				h.giveBack()
				return
			}
			m.Failure = failure
			s.deliver(h, m, nil)
			return
		}
	}
	began := time.AfterFunc(beganAfter, func() { h.tell(eventBegan, m.Worker, 0) })
	a, err := s.keeper.Run(ctx, task, func(share float64) { h.tell(eventProgress, m.Worker, share) })
	unsaid := began.Stop()
	if err != nil {
		if !unsaid {
			h.tell(eventReturned, m.Worker, 0)
		}
		h.giveBack()
		return
	}
	m.Failure, m.Lost, m.Started, m.Took = a.Failure, a.Lost, a.Started, a.Took
	if !a.Lost {
		s.lastRun = time.Since(a.Started)
	}
	s.deliver(h, m, a.Packed)
}

// deliver publishes an outcome and then acknowledges the task, while the slot continues.
// Publishing an outcome twice does no harm; a missing outcome would be a lost run.
func (s *slot) deliver(h *held, m outcomeMeta, packed []byte) {
	<-s.delivered
	done := make(chan struct{})
	s.delivered = done
	switch {
	case m.Lost:
		s.lost.Add(1)
	case m.Failure != nil:
		s.failed.Add(1)
	default:
		s.done.Add(1)
	}
	s.deliveries.Go(func() {
		defer h.release()
		stored := s.publish(s.last, h, m, packed)
		if stored {
			s.isStored(h)
		}
		close(done)
		if stored {
			s.acknowledge(s.last, h)
		}
	})
}

// publish tries until it succeeds or the context is done. In the second case the run is
// lost, and the server gives its task to another worker after AckWait.
func (s *supervisor) publish(ctx context.Context, h *held, m outcomeMeta, packed []byte) (stored bool) {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := s.tryPublish(ctx, h, m, packed)
		if err == nil {
			return true
		}
		if ctx.Err() != nil || s.queue.conn.IsClosed() {
			return false
		}
		switch {
		case errors.Is(err, context.Canceled): // the connection has changed
		case errors.Is(err, js.ErrNoStreamResponse) && s.queue.prepare(ctx) == nil: // the server had lost the stream
		default:
			s.notice(fmt.Sprintf("the outcome of run %s is not with %s yet: %v; trying again", m.Key, s.queue.shown, withRemedy(err)))
		}
		if s.full != nil && isFull(err) {
			s.full(withRemedy(err))
		}
		sleep(ctx, wait)
	}
}

func (s *supervisor) tryPublish(ctx context.Context, h *held, m outcomeMeta, packed []byte) error {
	if limit := int(s.queue.conn.MaxPayload()) - payloadReserve; len(packed) > limit {
		name, err := s.storeLarge(ctx, h, packed)
		if err != nil {
			return err
		}
		m.Object, packed = name, nil
	}
	body, err := m.encode(packed)
	if err != nil {
		return err
	}
	msg := nats.NewMsg(h.scope.outcome(m.Key))
	msg.Data = body
	id := h.meta.id()
	if m.Failure != nil {
		id += "/failed" // another worker may have a result of the same attempt
	}
	ctx, cancel := s.whileConnected(ctx, requestTimeout)
	defer cancel()
	_, err = s.queue.js.PublishMsg(ctx, msg, js.WithMsgID(id), js.WithRetryAttempts(0))
	return err
}

// acknowledge tells the server that a task is done, and waits for confirmation.
func (s *supervisor) acknowledge(ctx context.Context, h *held) {
	// A server that no longer knows the task does not answer. If another worker gets the
	// task again, its second outcome is dropped.
	for range 3 {
		ctx, cancel := s.whileConnected(ctx, ackTimeout)
		_, err := s.queue.conn.RequestWithContext(ctx, h.msg.Reply, done)
		cancel()
		if err == nil {
			return
		}
	}
}

// whileConnected returns a context that ends when a request can no longer be answered
// because its connection is gone.
func (s *supervisor) whileConnected(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, most)
	s.mu.Lock()
	connection := s.connection
	s.mu.Unlock()
	stop := context.AfterFunc(connection, cancel)
	return ctx, func() { stop(); cancel() }
}

// reconnected is called on a new connection. It repeats pending requests, and tells the
// server at once that all held tasks are still being worked on.
func (s *supervisor) reconnected() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone()
	s.connection, s.gone = context.WithCancel(context.Background())
	for h := range s.held {
		h.say(inProgress)
	}
}

// ackTimeout is how long to wait for the server's confirmation.
const ackTimeout = 2 * time.Second

// payloadReserve is room in a message for everything except the result.
const payloadReserve = 64 << 10

// storeLarge stores a result in the bucket of its study, under a unique name.
func (s *supervisor) storeLarge(ctx context.Context, h *held, packed []byte) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	b, err := s.queue.bucket(ctx, h.scope, true)
	if err != nil {
		return "", err
	}
	name := resultsOf(h.meta.Key) + nuid.Next()
	_, err = b.PutBytes(ctx, name, packed)
	return name, err
}
