package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"weft/study/workers"
)

// supervisor keeps worker processes on this machine busy with tasks of a program. It alone
// talks to the server, so a process that dies cannot leave an exchange unfinished.
type supervisor struct {
	queue   *queue
	program string
	slots   int
	command workers.Command
	inputs  *inputs
	notice  func(string)
	// full is called if the server has no room; nil means to keep trying.
	full func(error)

	// last outlives the context of run for a while, for final messages.
	last       context.Context
	deliveries sync.WaitGroup

	mu   sync.Mutex
	held map[*held]struct{}
	// stored holds the times at which the server stored outcomes, by message ids of their
	// tasks.
	stored map[string]time.Time
	// connection ends when the connection is lost; gone ends it.
	connection context.Context
	gone       context.CancelFunc

	busy, done, failed, lost atomic.Int64
}

const (
	// beganAfter is the least length of a run whose start is reported.
	beganAfter = 50 * time.Millisecond
	// shortRun is the longest run during which the next task is fetched early. It also
	// limits how long a fetched task may wait, since another worker may be idle.
	shortRun = time.Second
	// farewell is the time for giving back tasks and publishing outcomes at the end.
	farewell = 5 * time.Second
	// remembered is how long a stored outcome is remembered. The server may have delivered
	// its task again just before, as after a machine slept.
	remembered = time.Minute
)

func newSupervisor(s *supervisor) *supervisor {
	s.held, s.stored = map[*held]struct{}{}, map[string]time.Time{}
	s.connection, s.gone = context.WithCancel(context.Background())
	return s
}

// run keeps the processes running until the context is done. Then it gives back their tasks
// and returns nil. It fails if processes cannot be kept alive.
func (s *supervisor) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	last, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	s.last = last
	defer context.AfterFunc(ctx, func() { time.AfterFunc(farewell, end) })()
	sub, err := s.queue.conn.Subscribe(helloSubject, s.greet)
	if err != nil {
		return fmt.Errorf("listening at %s: %w", s.queue.shown, err)
	}
	defer func() { _ = sub.Unsubscribe() }()

	var slots sync.WaitGroup
	for range s.slots {
		slots.Go(func() {
			if err := newSlot(s).run(ctx); err != nil {
				cancel(err)
			}
		})
	}
	slots.Wait()
	s.deliveries.Wait()
	flush, stop := context.WithTimeout(context.Background(), farewell)
	defer stop()
	_ = s.queue.conn.FlushWithContext(flush)
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// greet answers a question for workers.
func (s *supervisor) greet(m *nats.Msg) {
	b, err := json.Marshal(hello{Program: s.program, Worker: workers.Name(os.Getpid()), Slots: s.slots})
	if err == nil {
		_ = m.Respond(b)
	}
}

// held is a task that the server delivered to this machine, whether started or not.
// Heartbeats tell the server about it until it is let go.
type held struct {
	s     *supervisor
	msg   *nats.Msg
	meta  taskMeta
	scope scope
	beat  *time.Timer
	mu    sync.Mutex
	over  bool
}

// hold takes over a task. It returns nil for a task that this machine already holds. The
// server delivers such a task again if it heard nothing about it for some time.
func (s *supervisor) hold(msg *nats.Msg) (*held, error) {
	meta, err := readTaskMeta(msg.Header)
	if err != nil {
		return nil, err
	}
	sc, ok := scopeOf(msg.Subject)
	if !ok || sc.task(meta.Key) != msg.Subject {
		return nil, fmt.Errorf("its subject is %q, and its run is %.100q", msg.Subject, meta.Key)
	}
	h := &held{s: s, msg: msg, meta: meta, scope: sc}
	if s.hasAlready(h) {
		return nil, nil
	}
	every := meta.AckWait / 3
	h.mu.Lock()
	h.beat = time.AfterFunc(every, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if !h.over {
			h.say(inProgress)
			h.beat.Reset(every)
		}
	})
	h.mu.Unlock()
	return h, nil
}

// hasAlready reports whether a task is held or done here, and otherwise records it as held.
// The holder of a task sends its heartbeats and acknowledges it in the end, whichever
// delivery that answers.
func (s *supervisor) hasAlready(h *held) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.stored[h.meta.id()]; ok {
		h.say(done)
		return true
	}
	for other := range s.held {
		if other.meta.id() == h.meta.id() {
			other.say(inProgress)
			return true
		}
	}
	s.held[h] = struct{}{}
	return false
}

// isStored records that the server has stored an outcome.
func (s *supervisor) isStored(h *held) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, at := range s.stored {
		if time.Since(at) > remembered {
			delete(s.stored, id)
		}
	}
	s.stored[h.meta.id()] = time.Now()
}

// release ends the heartbeats.
func (h *held) release() {
	h.mu.Lock()
	h.over = true
	h.beat.Stop()
	h.mu.Unlock()
	h.s.mu.Lock()
	delete(h.s.held, h)
	h.s.mu.Unlock()
}

// giveBack makes the task available to other workers.
func (h *held) giveBack() {
	h.release()
	h.say(giveBack)
}

// say sends an answer about the task to the server, if connected. If it does not arrive,
// the server redelivers the task after AckWait.
func (h *held) say(word []byte) { _ = respond(h.s.queue.conn, h.msg, word) }

// tell publishes an event. Nobody may be listening.
func (h *held) tell(kind, worker string, share float64) {
	b, err := json.Marshal(event{Kind: kind, Key: h.meta.Key, Session: h.meta.Session, Attempt: h.meta.Attempt, Worker: worker, Share: share})
	if err == nil {
		_ = h.s.queue.conn.Publish(h.scope.events(), b)
	}
}

// fetcher requests tasks from the server for a slot.
type fetcher struct {
	s    *supervisor
	want chan struct{}
	got  chan *held
}

func (f *fetcher) ask() {
	select {
	case f.want <- struct{}{}:
	default:
	}
}

// run fetches one task per request.
func (f *fetcher) run(ctx context.Context) {
	var tasks *puller
	defer func() {
		if tasks != nil {
			tasks.close()
		}
	}()
	for {
		select {
		case <-f.want:
		case <-ctx.Done():
			return
		}
		h := f.next(ctx, &tasks)
		if h == nil {
			return
		}
		timer := time.NewTimer(shortRun)
		select {
		case f.got <- h:
		case <-timer.C:
			h.giveBack()
		case <-ctx.Done():
			h.giveBack()
		}
		timer.Stop()
	}
}

// next waits for a task across reconnections. It returns nil if the context is done.
func (f *fetcher) next(ctx context.Context, tasks **puller) *held {
	for ctx.Err() == nil {
		if *tasks == nil {
			t, err := f.open(ctx)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				f.s.notice(fmt.Sprintf("no tasks from %s: %v; trying again", f.s.queue.shown, err))
				sleep(ctx, 2*time.Second)
				continue
			}
			*tasks = t
		}
		msg, err := (*tasks).next(ctx)
		switch {
		case err == nil:
			h, err := f.s.hold(msg)
			if h != nil {
				return h
			}
			if err == nil {
				continue
			}
			f.s.notice(fmt.Sprintf("a message in %s is no task: %v; it is dropped", taskStream, err))
			_ = respond(f.s.queue.conn, msg, never)
		case ctx.Err() == nil:
			(*tasks).close()
			*tasks = nil
			sleep(ctx, 200*time.Millisecond)
		}
	}
	return nil
}

func (f *fetcher) open(ctx context.Context) (*puller, error) {
	q := f.s.queue
	if err := q.prepare(ctx); err != nil {
		return nil, err
	}
	if err := q.workers(ctx, f.s.program, 0); err != nil {
		return nil, err
	}
	return newPuller(q.conn, taskStream, programConsumer(hashed(f.s.program)), 1, 0)
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
