package wire

import "weft/internal/fifo"

// handlers are the goroutines that call Config.Handler, and the messages that wait for one.
type handlers struct {
	// idle are those without a message, each by the channel on which it gets the next one. The one that was
	// busy last comes first, since its stack is in the caches.
	idle  []chan *Message
	inbox fifo.Queue[*Message]
}

// hand gives a message to a handler.
func (e *Endpoint) hand(m *Message) {
	last := len(e.idle) - 1
	if last < 0 {
		e.inbox.Push(m)
		return
	}
	e.idle[last] <- m // which has room for one
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
		case !e.inbox.Empty(): // also of an endpoint that is closed: its sender knows that it came
			m = e.inbox.First()
			*e.inbox.At(0) = nil // the ring is kept
			e.inbox.Pop()
			e.mu.Unlock()
		case e.closed:
			e.mu.Unlock()
			return
		default:
			e.idle = append(e.idle, next)
			e.relax()
			e.mu.Unlock()
			if m = <-next; m == nil {
				return
			}
		}
		size := len(m.Body)
		e.cfg.Handler(e.ctx, m)
		e.mu.Lock()
		e.carrier.Read(size)
	}
}

// dismiss ends the handlers that are idle. The others end after their message.
func (e *Endpoint) dismiss() {
	for _, next := range e.idle {
		close(next)
	}
	e.idle = nil
}
