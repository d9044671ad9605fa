package wire

import (
	"time"

	"weft/unit"
	"weft/wire/internal/carrier"
)

// schedule is when what is sent next.
type schedule struct {
	// rung is when the pacer wakes, due when there is something to send or to look after, and put off when what
	// waits for company is sent in any case; Forever if nothing does.
	rung, due, putOff unit.Time
	// handed counts what arrived and will be answered soon, and in vain how often nobody did lately.
	answered      int
	vain, without int
}

// mostAtOnce is how many datagrams are sent before others may have the lock.
const mostAtOnce = 64

// company is how long the confirmation of a small message waits for the reply, or for the next request, which it then
// leaves with.
const company = 200 * unit.Microsecond

// mostVain bounds for how many confirmations none is put off, after nothing came that they could leave with.
const mostVain = 64

// answers notes that a message came for which somebody may send something at once.
func (e *Endpoint) answers(m *carrier.Message) {
	if m.Kind != carrier.OneWay && len(m.Body) <= int(e.cfg.Datagram) {
		e.answered++
	}
}

// react sends what arrivals lead to. If all were messages that others are about to answer, what confirms them leaves with
// the answers.
func (e *Endpoint) react(now unit.Time, arrivals int) {
	all := e.answered == arrivals
	e.answered = 0
	switch {
	case !all:
		e.pump()
	case e.without > 0:
		e.without--
		e.pump()
	default:
		e.putOff = min(e.putOff, now+company)
		e.ring(now)
	}
}

// pump sends what may be sent now, and has the pacer send what may be later.
func (e *Endpoint) pump() {
	if e.putOff < unit.Forever {
		e.putOff, e.vain = unit.Forever, 0
	}
	for left := mostAtOnce; left > 0; {
		n := e.gather(left)
		if n == 0 {
			break
		}
		left -= n
	}
	now := e.now()
	e.due = min(e.carrier.Wake(now), e.out.Wake())
	e.ring(now)
}

// ring has the pacer wake in time.
func (e *Endpoint) ring(now unit.Time) {
	at := min(e.due, e.putOff)
	if at >= e.rung {
		return
	}
	e.rung = at
	if at <= now {
		e.waiter.Wake()
	} else {
		e.waiter.Sooner(e.at(at))
	}
}

// at is a time of the carrier's clock.
func (e *Endpoint) at(t unit.Time) time.Time {
	if t >= unit.Forever {
		return e.began.Add(longest)
	}
	return e.began.Add(time.Duration(t/unit.Nanosecond) + 1)
}

// longest is how long an endpoint lives.
const longest = 100 * 365 * 24 * time.Hour

// gather sends what may leave at this instant, in bursts as far as possible, and returns how many datagrams that were.
func (e *Endpoint) gather(most int) (n int) {
	now := e.now()
	for n < most {
		room := e.out.Room()
		if room == nil {
			break
		}
		d, ok := e.carrier.Next(now, room)
		if !ok {
			break
		}
		e.late.leaves(d.Due)
		e.out.Add(now, d.Port, d.To, d.Size, e.path(d.Peer), d.Repairs)
		n++
	}
	e.heed()
	e.out.Flush(now)
	e.late.left(e.now())
	return n
}

// pace calls the carrier when time has passed.
func (e *Endpoint) pace() {
	defer e.done.Done()
	for e.ctx.Err() == nil {
		e.mu.Lock()
		now := e.now()
		e.rung = 0 // it looks itself
		if e.putOff <= now {
			e.vain = min(2*e.vain+1, mostVain)
			e.without = e.vain
			e.putOff = unit.Forever
			e.due = now
		}
		if e.due <= now {
			e.carrier.Expire(now)
			e.out.Expire(now)
			e.heed()
			e.pump()
		}
		at := min(e.due, e.putOff)
		e.rung = at
		e.mu.Unlock()
		if at > e.now() {
			e.waiter.Until(e.at(at), nil)
		}
	}
}
