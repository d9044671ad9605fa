package transport

import (
	"weft/fabric"
	"weft/internal/packet"
	"weft/sim"
)

// throttled stands between the fabric and the endpoint of hosts that take frames off their NICs by interrupts, of which there are
// only so many (FatPaths, SC 2020, §VII-A6: 100 kHz). An interrupt hands over all that has arrived. A frame that arrives a
// period after the last one or later is an interrupt of its own; those before wait for the end of the period. At that instant
// they come before what is due by the clock. Sending is not delayed, nor are pauses (PFC), which are the NIC's.
type throttled struct {
	*Endpoint
	period sim.Time
	due    []sim.Time // by host, before which there is no interrupt
	held   []packet.Queue
}

func newThrottled(e *Endpoint, period sim.Time) *throttled {
	t := &throttled{Endpoint: e, period: period, due: make([]sim.Time, len(e.hosts)), held: make([]packet.Queue, len(e.hosts))}
	e.t.throttled = append(e.t.throttled, t)
	return t
}

// Held returns how many frames have arrived at hosts and wait for an interrupt.
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

// interrupt hands over what has arrived at a host, if the time has come, and otherwise sees to it that it will.
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
