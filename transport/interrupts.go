package transport

import (
	"weft/fabric"
	"weft/internal/packet"
	"weft/sim"
)

// throttled models hosts that take frames off their NICs by interrupts at a limited rate
// (FatPaths, SC 2020, §VII-A6: 100 kHz). It sits between fabric and endpoint. An interrupt
// hands over all frames that have arrived. A frame that arrives at least one period after the
// last interrupt causes one; earlier frames wait for the end of the period. At that instant
// they precede timers. Sending and pauses (PFC), which the NIC handles, are not delayed.
type throttled struct {
	*Endpoint
	period sim.Time
	due    []sim.Time // per host: no interrupt before this time
	held   []packet.Queue
}

func newThrottled(e *Endpoint, period sim.Time) *throttled {
	t := &throttled{Endpoint: e, period: period, due: make([]sim.Time, len(e.hosts)), held: make([]packet.Queue, len(e.hosts))}
	e.t.throttled = append(e.t.throttled, t)
	return t
}

// Held returns how many frames wait at hosts for an interrupt.
func (t *Transport) Held() (n uint64) {
	for _, e := range t.throttled {
		for i := range e.held {
			n += uint64(e.held[i].Len())
		}
	}
	return n
}

// Receive implements fabric.Endpoint.
func (t *throttled) Receive(now sim.Time, h int32, id fabric.FrameID) bool {
	t.held[h].Push(id)
	return t.interrupt(now, h)
}

// Timer implements fabric.Endpoint.
func (t *throttled) Timer(now sim.Time, h int32) bool {
	t.interrupt(now, h)
	return t.Endpoint.Timer(now, h)
}

// interrupt hands over the frames that have arrived at a host if an interrupt is
// due. Otherwise it sets a timer.
func (t *throttled) interrupt(now sim.Time, h int32) (ready bool) {
	q := &t.held[h]
	switch {
	case q.Empty():
		return false
	case now < t.due[h]:
		t.d.SetTimer(h, t.due[h])
		return false
	}
	t.due[h] = now + t.period
	for !q.Empty() {
		ready = t.Endpoint.Receive(now, h, q.Pop())
	}
	return ready
}
