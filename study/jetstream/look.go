package jetstream

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"weft/study"
)

// census counts the workers that answered a question, as slots by program and host.
type census struct {
	own    int
	others map[string]int
}

// holdings lists what the server holds for this study.
type holdings struct {
	asked           time.Time
	tasks, outcomes map[string]uint64
}

// look checks whether any worker is connected, and whether the server still holds
// everything it was given.
func (c *coordinator) look(ctx context.Context) {
	if c.Workers == 0 && time.Since(c.lastNews) > firstLook/2 {
		go func() {
			if n, ok := askForWorkers(ctx, c.queue.conn, c.Program); ok {
				select {
				case c.census <- n:
				case <-ctx.Done():
				}
			}
		}()
	}
	if !c.reconcile && time.Since(c.lastNews) < lookEvery {
		return
	}
	c.reconcile = false
	go func() {
		h := holdings{asked: time.Now()}
		var err error
		// In this order: a worker publishes the outcome before it acknowledges the task.
		if h.tasks, err = c.queue.present(ctx, taskStream, c.scope.tasks()); err != nil {
			return
		}
		if h.outcomes, err = c.queue.present(ctx, outcomeStream, c.scope.outcomes()); err != nil {
			return
		}
		select {
		case c.heldBy <- h:
		case <-ctx.Done():
		}
	}()
}

// mostSlots and mostOthers limit what is accepted from answers.
const (
	mostSlots  = 1 << 20
	mostOthers = 100
)

// askForWorkers collects answers for one second.
func askForWorkers(ctx context.Context, conn *nats.Conn, program string) (census, bool) {
	n := census{others: map[string]int{}}
	inbox := conn.NewInbox()
	sub, err := conn.SubscribeSync(inbox)
	if err != nil {
		return n, false
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := conn.PublishRequest(helloSubject, inbox, nil); err != nil {
		return n, false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return n, conn.IsConnected()
		}
		var h hello
		if json.Unmarshal(m.Data, &h) != nil || h.Slots <= 0 || h.Slots > mostSlots || len(n.others) > mostOthers {
			continue // no worker answered, or the answer is not from a worker
		}
		if h.Program == program {
			n.own += h.Slots
		} else {
			host, _, _ := strings.Cut(h.Worker, "/")
			n.others[h.Program+" on "+host] += h.Slots
		}
	}
}

// workersAre warns if no worker serves this study.
func (c *coordinator) workersAre(n census) {
	text := ""
	if n.own == 0 {
		text = fmt.Sprintf("no worker of this program (%s) is connected to %s; start some with: weft-queue worker --connect %[2]s", c.Program, c.queue.shown)
		if len(n.others) > 0 {
			var list []string
			for who, slots := range n.others {
				list = append(list, fmt.Sprintf("%d of %s", slots, who))
			}
			slices.Sort(list)
			text += "; workers of other programs are: " + strings.Join(list, ", ")
		}
	}
	if text != c.lastLook && text != "" {
		c.notes.put(text)
	}
	c.lastLook = text
}

// compare sends again the tasks that the server has lost. If a task's outcome could not be
// read, it came from a worker, and the attempt has failed.
func (c *coordinator) compare(ctx context.Context, h holdings) error {
	again := 0
	for _, e := range c.order {
		if e.state != queued || e.sent.IsZero() || !e.sent.Before(h.asked) {
			continue
		}
		if h.tasks[c.scope.task(e.task.Key)] > 0 || h.outcomes[c.scope.outcome(e.task.Key)] > 0 {
			continue
		}
		if e.unread != "" {
			if err := c.settle(ctx, e, outcomeMeta{
				Key: e.task.Key, Session: e.session, Attempt: e.attempt, Worker: "a worker", Started: time.Now(), Failure: &study.Failure{Message: e.unread},
			}, nil); err != nil {
				return err
			}
			continue
		}
		if err := c.enqueue(e); err != nil {
			return err
		}
		again++
	}
	if again > 0 {
		c.notes.put(fmt.Sprintf("%s has lost %d runs; they are handed out again", c.queue.shown, again))
	}
	return nil
}
