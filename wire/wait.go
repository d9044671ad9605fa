package wire

import (
	"context"

	"weft/wire/internal/carrier"
)

// call identifies a request that waits for its reply.
type call struct {
	peer   *carrier.Peer
	number uint64
}

// wait is a goroutine that waits for the end of a message, and for a request also for its reply.
// The endpoint's lock guards it until it is woken.
type wait struct {
	handle uint64
	call   call
	left   int // number of events still to come
	reply  []byte
	err    error
	woken  chan struct{} // has room for one
}

// newWait returns a wait for a message.
func (e *Endpoint) newWait(handle uint64) *wait {
	w, ok := e.spare.Get().(*wait)
	if !ok {
		w = &wait{woken: make(chan struct{}, 1)}
	}
	*w = wait{handle: handle, left: 1, woken: w.woken}
	e.waiting[handle] = w
	return w
}

// replied makes a goroutine wait for the peer's reply as well.
func (e *Endpoint) replied(w *wait, by *carrier.Peer) {
	w.left++
	w.call = call{by, w.handle}
	e.calls[w.call] = w
	e.carrier.Await(e.now(), by, true)
}

// settle removes and returns the wait for a reply. It returns nil if there is none.
func (e *Endpoint) settle(key call) *wait {
	w := e.calls[key]
	if w != nil {
		delete(e.calls, key)
		e.carrier.Await(e.now(), key.peer, false)
	}
	return w
}

// ended handles the end of a message.
func (e *Endpoint) ended(w *wait, err error) {
	delete(e.waiting, w.handle)
	if err != nil {
		e.fail(w, err)
		return
	}
	w.came()
	e.notifyDrained()
}

// answer delivers a reply, or the reason why there is none.
func (e *Endpoint) answer(key call, body []byte, err error) {
	w := e.settle(key)
	switch {
	case w == nil:
	case err != nil:
		e.fail(w, err)
	default:
		w.reply = body
		w.came()
		e.notifyDrained()
	}
}

// came counts one event and wakes the goroutine after the last.
func (w *wait) came() {
	if w.left--; w.left == 0 {
		w.woken <- struct{}{}
	}
}

// fail wakes the goroutine with an error.
func (e *Endpoint) fail(w *wait, err error) {
	delete(e.waiting, w.handle)
	e.settle(w.call)
	w.left, w.err = 1, err
	w.came()
	e.notifyDrained()
}

// await waits until the message ends, or the context. It returns the reply, if any.
func (e *Endpoint) await(ctx context.Context, w *wait) (reply []byte, err error) {
	select {
	case <-w.woken:
	case <-ctx.Done():
		e.giveUp(ctx, w)
		<-w.woken
	}
	reply, err = w.reply, w.err
	w.reply = nil
	e.spare.Put(w)
	return reply, err
}

// giveUp cancels what a goroutine waits for, unless it has come.
func (e *Endpoint) giveUp(ctx context.Context, w *wait) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if w.left == 0 {
		return
	}
	if e.calls[w.call] == w { // the peer need not reply
		e.carrier.Forgo(e.now(), w.call.peer, w.call.number)
	}
	if e.waiting[w.handle] == w {
		e.carrier.Cancel(e.now(), w.handle, ctx.Err())
		e.handleEvents()
	} else {
		e.fail(w, ctx.Err())
	}
	e.pump()
}
