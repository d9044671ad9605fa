package wire

import (
	"time"

	"weft/unit"
	"weft/wire/internal/burst"
	"weft/wire/internal/carrier"
)

// schedule is the state of the pacer.
type schedule struct {
	// rung is when the pacer will wake. due is when there is something to send or check.
	rung, due unit.Time
	confirmDelay
	leaving []carrier.Datagram // gathered for the current burst
}

// mostAtOnce is how many datagrams are sent before the lock is offered to others.
const mostAtOnce = 64

// pump sends what may leave now and schedules the pacer for the rest.
func (e *Endpoint) pump() {
	e.sentInTime()
	now := e.now()
	for left, n := mostAtOnce, 1; n > 0 && left > 0; left -= n {
		n = e.gather(now, left)
		now = e.now()
		if e.due = min(e.carrier.Wake(now), e.out.Wake()); e.due > now {
			break
		}
	}
	e.ring(now)
}

// gather sends up to most datagrams that may leave now, in bursts where possible, and returns how
// many it sent.
func (e *Endpoint) gather(now unit.Time, most int) (n int) {
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
		var path *burst.Path // nil for a datagram that must leave alone
		if !d.Alone {
			path = e.path(d.Peer)
		}
		e.out.Add(now, burst.Way{Port: d.Port, To: d.To, Burst: d.Burst}, d.Size, path, d.Repairs)
		e.leaving = append(e.leaving, d)
		n++
	}
	e.handleEvents()
	for _, refused := range e.out.Flush(now) {
		e.carrier.TooLarge(now, &e.leaving[refused.Index], unit.Bytes(refused.Limit))
	}
	e.leaving = e.leaving[:0]
	if e.late.waits() {
		e.late.left(e.now())
	}
	return n
}

// ring makes the pacer wake in time.
func (e *Endpoint) ring(now unit.Time) {
	at := min(e.due, e.deadline)
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

// at converts a time of the carrier's clock.
func (e *Endpoint) at(t unit.Time) time.Time {
	if t >= unit.Forever {
		return e.began.Add(longest)
	}
	return e.began.Add(time.Duration(t/unit.Nanosecond) + 1)
}

// longest is the assumed maximum lifetime of an endpoint.
const longest = 100 * 365 * 24 * time.Hour

// pace calls the carrier when a deadline has passed.
func (e *Endpoint) pace() {
	defer e.done.Done()
	for e.ctx.Err() == nil {
		e.mu.Lock()
		now := e.now()
		e.rung = 0 // the pacer is awake
		if e.deadline <= now {
			e.sentLate()
			e.due = now
		}
		if e.due <= now {
			e.carrier.Expire(now)
			e.out.Expire(now)
			e.handleEvents()
			e.pump()
		}
		at := min(e.due, e.deadline)
		e.rung = at
		e.mu.Unlock()
		if at > e.now() {
			e.waiter.Until(e.at(at), nil)
		}
	}
}
