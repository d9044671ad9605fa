package fleet

import (
	"iter"
	"sync/atomic"

	"weft/protocol"
	"weft/unit"
)

// credit is the location of a host's credit, as its transport last reported it. Endpoints call
// their transport in goroutines of their own, and another goroutine records the credit.
type credit struct {
	keeps                    atomic.Bool
	limit, outstanding, held atomic.Int64
}

// watch returns a control whose host transports report where their credit is, if they know.
func (c *credit) watch(control protocol.CongestionControl) protocol.CongestionControl {
	create := control.NewHost
	if create == nil {
		return control
	}
	control.NewHost = func(env protocol.HostEnv) protocol.HostTransport {
		t := create(env)
		keeper, ok := t.(protocol.CreditKeeper)
		if !ok {
			return t
		}
		w := &watched{HostTransport: t, keeper: keeper, credit: c}
		w.tell()
		c.keeps.Store(true)
		return w
	}
	return control
}

// places returns where the credit is, or false if the transport does not know.
func (c *credit) places() (p protocol.CreditPlaces, ok bool) {
	return protocol.CreditPlaces{
		Limit: unit.Bytes(c.limit.Load()), Outstanding: unit.Bytes(c.outstanding.Load()), Held: unit.Bytes(c.held.Load()),
	}, c.keeps.Load()
}

// watched is a host transport that reports its credit after every change.
type watched struct {
	protocol.HostTransport
	keeper protocol.CreditKeeper
	credit *credit
}

func (w *watched) tell() {
	p := w.keeper.Credit()
	w.credit.limit.Store(int64(p.Limit))
	w.credit.outstanding.Store(int64(p.Outstanding))
	w.credit.held.Store(int64(p.Held))
}

// Receive implements protocol.HostTransport, as do Next and Expire.
func (w *watched) Receive(now unit.Time, p *protocol.Packet) unit.Bytes {
	fresh := w.HostTransport.Receive(now, p)
	w.tell()
	return fresh
}

// Next reports the credit that a packet grants or spends.
func (w *watched) Next(now unit.Time, p *protocol.Packet) bool {
	ok := w.HostTransport.Next(now, p)
	if ok {
		w.tell()
	}
	return ok
}

// Expire reports credit that is taken back.
func (w *watched) Expire(now unit.Time) {
	w.HostTransport.Expire(now)
	w.tell()
}

// RTTs implements protocol.RTTKeeper, if the transport does.
func (w *watched) RTTs() iter.Seq2[unit.Time, uint64] { return protocol.RTTsOf(w.HostTransport) }

// Cancel implements protocol.Canceler.
func (w *watched) Cancel(now unit.Time, m *protocol.HostMessage) bool {
	t, ok := w.HostTransport.(protocol.Canceler)
	return ok && t.Cancel(now, m)
}

// Forget implements protocol.Forgetter.
func (w *watched) Forget(now unit.Time, peer int32) {
	if t, ok := w.HostTransport.(protocol.Forgetter); ok {
		t.Forget(now, peer)
	}
}
