package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"weft/internal/printable"
	"weft/study"
	"weft/study/remote"
	"weft/study/workers"
)

const (
	// window is the most tasks that the server holds at a time.
	window       = 10_000
	publishBatch = 256
	// lookEvery is the interval between checks for workers, and for tasks that the server
	// has lost.
	lookEvery = 30 * time.Second
	firstLook = 3 * time.Second
	ackPause  = 100 * time.Millisecond
)

// coordinator executes the tasks of one study. Except for channels, its fields belong to
// the goroutine that called execute.
type coordinator struct {
	remote.Options
	watcher study.Watcher
	notes   *mailbox
	queue   *queue
	scope   scope
	session string

	entries map[string]*entry
	order   []*entry
	next    int // index into order: earlier entries were sent or had ended
	open    int // entries that have not ended
	sent    int // entries that the server or a worker holds

	publish  chan publication
	stored   chan publication
	outcomes chan *nats.Msg
	events   chan *nats.Msg
	due      chan *entry
	returned chan struct{}
	census   chan census
	heldBy   chan holdings
	fatal    chan error

	unacked  *nats.Msg // the last stored outcome, not yet acknowledged
	ackTimer *time.Timer

	lastLook  string // the last notice about missing workers
	lastNews  time.Time
	reconcile bool
	unread    int // messages that were not outcomes
}

// publication is a task on its way to the server.
type publication struct {
	entry   *entry
	attempt int
	msg     *nats.Msg
}

func execute(ctx context.Context, o remote.Options, tasks []study.Task, w study.Watcher) (err error) {
	c := &coordinator{
		Options: o, watcher: w, notes: newMailbox(), scope: newScope(o.Program, o.Study), session: nuid.Next(),
		entries: map[string]*entry{},
		publish: make(chan publication, window+1), stored: make(chan publication, window+1),
		outcomes: make(chan *nats.Msg), events: make(chan *nats.Msg, 8192),
		due: make(chan *entry), returned: make(chan struct{}, 1), census: make(chan census), heldBy: make(chan holdings), fatal: make(chan error, 8),
		lastNews: time.Now(), ackTimer: time.NewTimer(ackPause),
	}
	for _, t := range tasks {
		if c.entries[t.Key] == nil {
			e := &entry{task: t}
			c.entries[t.Key] = e
			c.order = append(c.order, e)
		}
	}
	c.open = len(c.order)
	defer c.ackTimer.Stop()
	defer c.passNotes()
	return c.connect(ctx)
}

// connect connects to the server and executes the tasks, as long as some are open.
func (c *coordinator) connect(ctx context.Context) error {
	shown := remote.WithoutSecrets(c.URL)
	reconnected := func() {
		select {
		case c.returned <- struct{}{}:
		default:
		}
	}
	conn, err := connectTo(ctx, c.URL, c.Auth, c.ConnectTimeout, connectOptions(shown, "weft coordinator", c.notes.put, reconnected)...)
	if err != nil {
		return err
	}
	defer conn.Close()
	if c.queue, err = newQueue(conn, shown); err != nil {
		return err
	}
	if err := hasJetStream(ctx, c.queue.js, shown); err != nil {
		return err
	}
	if err := c.claim(ctx); err != nil {
		return err
	}
	if err := c.queue.prepare(ctx); err != nil {
		return err
	}
	return c.run(ctx, func(reconnected func()) (*nats.Conn, error) {
		// The other connection reports what happens to both.
		return connectTo(ctx, c.URL, c.Auth, c.ConnectTimeout, connectOptions(shown, "weft workers", func(string) {}, reconnected)...)
	})
}

// claim makes sure that no other process executes the study.
func (c *coordinator) claim(ctx context.Context) error {
	conn := c.queue.conn
	owner := ""
	err := patiently(ctx, func(ctx context.Context) error {
		m, err := conn.RequestWithContext(ctx, c.scope.owner(), nil)
		if err == nil {
			owner = printable.Line(string(m.Data))
		}
		return err
	})
	if err == nil {
		return fmt.Errorf("another process executes this study with %s: %s", c.queue.shown, owner)
	} else if !errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("asking %s who executes this study: %w", c.queue.shown, withRemedy(err))
	}
	me := []byte(workers.Name(os.Getpid()))
	_, err = conn.Subscribe(c.scope.owner(), func(m *nats.Msg) { _ = m.Respond(me) })
	return err
}

// run first processes the leftovers of former executions, and then executes the remaining
// tasks.
func (c *coordinator) run(ctx context.Context, connectWorkers func(reconnected func()) (*nats.Conn, error)) error {
	if err := c.queue.workers(ctx, c.Program, c.AckWait); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()

	pending, err := c.queue.outcomes(ctx, c.scope)
	if err != nil {
		return err
	}
	sub, err := c.queue.conn.ChanSubscribe(c.scope.events(), c.events)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	all.Go(func() { c.receive(ctx) })
	if err := c.takeFormer(ctx, pending); err != nil {
		return err
	}
	all.Go(func() { c.send(ctx) })
	if c.Workers > 0 {
		s := newSupervisor(&supervisor{
			program: c.Program, slots: c.Workers, command: c.Command, inputs: newInputs(""), notice: c.notes.put, full: c.fail,
		})
		conn, err := connectWorkers(s.reconnected)
		if err != nil {
			return err
		}
		defer conn.Close()
		if s.queue, err = newQueue(conn, c.queue.shown); err != nil {
			return err
		}
		// They must end before the connection does.
		defer all.Wait()
		defer cancel()
		all.Go(func() {
			if err := s.run(ctx); err != nil {
				c.fail(err)
			}
		})
	}
	err = c.loop(ctx)
	if last := c.acknowledgeLast(); err == nil {
		err = last
	}
	if err != nil {
		if ctx.Err() != nil {
			c.withdraw()
		}
		return err
	}
	c.cleanUp()
	return nil
}

// fail stops the execution with an error, from any goroutine.
func (c *coordinator) fail(err error) {
	select {
	case c.fatal <- err:
	default:
	}
}

// loop executes the open tasks.
func (c *coordinator) loop(ctx context.Context) error {
	look := time.NewTimer(firstLook)
	defer look.Stop()
	for c.open > 0 {
		if err := c.fill(); err != nil {
			return err
		}
		select {
		case m := <-c.outcomes:
			if err := c.outcome(ctx, m); err != nil {
				return err
			}
		case <-c.ackTimer.C:
			if err := c.acknowledgeLast(); err != nil {
				return err
			}
		case m := <-c.events:
			var ev event
			if json.Unmarshal(m.Data, &ev) == nil {
				if err := c.event(ctx, ev); err != nil {
					return err
				}
			}
		case p := <-c.stored:
			c.confirmed(p)
		case e := <-c.due:
			if err := c.enqueue(e); err != nil {
				return err
			}
		case <-c.notes.signal:
			c.passNotes()
		case <-c.returned:
			look.Reset(firstLook)
			c.reconcile = true
		case <-look.C:
			c.look(ctx)
			look.Reset(lookEvery)
		case n := <-c.census:
			c.workersAre(n)
		case h := <-c.heldBy:
			if err := c.compare(ctx, h); err != nil {
				return err
			}
		case err := <-c.fatal:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (c *coordinator) passNotes() {
	for _, text := range c.notes.take() {
		c.watcher.Notice(text)
	}
}

// fill sends more tasks to the server, up to the window.
func (c *coordinator) fill() error {
	if c.sent > window/2 {
		return nil
	}
	for c.next < len(c.order) && c.sent < window {
		e := c.order[c.next]
		c.next++
		if e.state != waiting {
			continue
		}
		if err := c.enqueue(e); err != nil {
			return err
		}
	}
	return nil
}

// enqueue sends a task to the server. A task that is too large for the server ends at once.
func (c *coordinator) enqueue(e *entry) error {
	if e.state == ended {
		return nil
	}
	if e.state != queued {
		c.sent++
	}
	e.state, e.session, e.sent, e.worker, e.unread = queued, c.session, time.Time{}, "", ""
	e.attempt++
	body, err := json.Marshal(e.task)
	if err != nil {
		return fmt.Errorf("run %s cannot be handed out: %w", e.task.Name, err)
	}
	if limit := int(c.queue.conn.MaxPayload()) - payloadReserve; len(body) > limit {
		me := workers.Name(os.Getpid())
		c.began(e, me)
		return c.ended(e, study.Outcome{Key: e.task.Key, Worker: me, Attempts: 1, Started: time.Now(), Failure: &study.Failure{
			Message: fmt.Sprintf("its scenario has %d KB, and the server takes %d; have it name a file, or raise max_payload of the server", len(body)>>10, limit>>10),
		}})
	}
	msg := taskMessage(c.scope.task(e.task.Key), taskMeta{
		Key: e.task.Key, Session: e.session, Attempt: e.attempt, AckWait: c.AckWait, Inputs: len(e.task.Inputs) > 0,
	}, body)
	c.publish <- publication{e, e.attempt, msg}
	return nil
}

// confirmed records that the server has stored a task.
func (c *coordinator) confirmed(p publication) {
	if p.attempt != p.entry.attempt {
		return
	}
	p.entry.sent = time.Now()
	if p.entry.dangling {
		c.unqueue(p.entry)
	}
}
