package wire

import "weft/internal/fifo"

// handlers holds the goroutines that call Config.Handler and the messages that wait for one.
type handlers struct {
	// idle lists the goroutines without a message, each by the channel on which it receives the
	// next. The most recently busy one is used first, since its stack is in the caches.
	idle  []chan *Message
	inbox fifo.Queue[*Message]
}

// hand gives a message to an idle handler, or queues it.
func (e *Endpoint) hand(m *Message) {
	last := len(e.idle) - 1
	if last < 0 {
		e.inbox.Push(m)
		return
	}
	e.idle[last] <- m // the channel has room for one
	e.idle = e.idle[:last]
}

// handle calls the handler for one message after another.
func (e *Endpoint) handle() {
	defer e.done.Done()
	next := make(chan *Message, 1)
	e.mu.Lock()
	for {
		var m *Message
		switch {
		case !e.inbox.Empty(): // even if the endpoint is closed: the sender has its confirmation
			m = e.inbox.First()
			*e.inbox.At(0) = nil // for the garbage collector, since the ring is reused
			e.inbox.Pop()
			e.mu.Unlock()
		case e.closed:
			e.mu.Unlock()
			return
		default:
			e.idle = append(e.idle, next)
			e.notifyDrained()
			e.mu.Unlock()
			if m = <-next; m == nil {
				return
			}
		}
		size := len(m.Body)
		e.cfg.Handler(m.ctx, m)
		e.mu.Lock()
		if m.request {
			m.end(nil)
			delete(e.asked, call{m.from, m.number})
		}
		e.carrier.Read(size)
	}
}

// dismiss ends the idle handlers. The others end after their message.
func (e *Endpoint) dismiss() {
	for _, next := range e.idle {
		close(next)
	}
	e.idle = nil
}
