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
	// lastRun is how long the last run took.
	lastRun time.Duration
	// delivered is closed when the outcome of the run before is with the server.
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

// run works until the context is done. The error is that processes cannot be kept.
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

// next waits for a task; nil if the process died idle.
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

// execute runs a task, and repeats nothing: what to do about a death or a lack is
// the coordinator's to say.
func (s *slot) execute(ctx context.Context, h *held) {
	// One left over would fetch during a long run.
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

// deliver brings an outcome to the server and then tells it that the task is done,
// while the slot goes on. An outcome that is with the server twice is no harm, and
// one that is not there would be a run lost.
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
		defer h.letGo()
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

// publish tries until it succeeds or the context is done. Then the run is lost, and
// the server gives its task to another when nothing is heard of it.
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
		case errors.Is(err, context.Canceled): // the connection is another
		case errors.Is(err, js.ErrNoStreamResponse) && s.queue.prepare(ctx) == nil: // the server had forgotten the stream
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

// acknowledge tells the server that a task is done, and makes sure that it heard.
func (s *supervisor) acknowledge(ctx context.Context, h *held) {
	// A server that does not know of it any more does not answer. Whoever gets the
	// task again brings forth a second outcome, which is dropped.
	for range 3 {
		ctx, cancel := s.whileConnected(ctx, ackTimeout)
		_, err := s.queue.conn.RequestWithContext(ctx, h.msg.Reply, done)
		cancel()
		if err == nil {
			return
		}
	}
}

// whileConnected is done when a request cannot be answered any more, because it was
// made on a connection that is gone.
func (s *supervisor) whileConnected(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, most)
	s.mu.Lock()
	connection := s.connection
	s.mu.Unlock()
	stop := context.AfterFunc(connection, cancel)
	return ctx, func() { stop(); cancel() }
}

// reconnected is called on a new connection: what was asked on the old one is asked
// again, and the server hears at once that all held tasks are in good hands.
func (s *supervisor) reconnected() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone()
	s.connection, s.gone = context.WithCancel(context.Background())
	for h := range s.held {
		h.say(inProgress)
	}
}

// ackTimeout is how long a server takes at most to say that it heard.
const ackTimeout = 2 * time.Second

// payloadReserve is room for all in a message that is not the result.
const payloadReserve = 64 << 10

// storeLarge puts a result into the bucket of its study, under a name of its own.
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
