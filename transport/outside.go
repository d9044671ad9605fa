package transport

import (
	"weft/internal/connection/end"
	"weft/unit"
)

// This file is for runs whose messages others carry, such as sockets of the machine. Sources,
// triggers and records work as in any run. An Outside replaces connections and host transports.

// Outside carries messages by means outside the simulated network.
type Outside interface {
	// Start takes over a message whose time has come and returns at once. It is
	// called within the network's Run.
	Start(now unit.Time, m Carried)
	// Credit returns where the credit is, or false if nobody keeps credit.
	Credit() (CreditPlaces, bool)
	// Convergence returns how long senders took to notice others; nil if nobody measures it.
	Convergence() *Convergence
}

// Carried is a message that Outside carries.
type Carried struct {
	Group    int
	Src, Dst int32
	Ordinal  uint64
	Size     unit.Bytes
}

// id identifies a message within a run.
func (m *Carried) id() uint64 { return end.Identify(int32(m.Group), m.Src, uint32(m.Ordinal)) }

// carriage is the state of a message while it is carried.
type carriage struct {
	Carried
	record             int32 // -1 if the message is not measured
	arrived, confirmed bool
}

// startOutside hands a message to the Outside.
func (e *Endpoint) startOutside(now unit.Time, m Carried, record int32) {
	e.t.carried[m.id()] = carriage{Carried: m, record: record}
	e.t.outside.Start(now, m)
}

// Arrived records that the receiver has a message in full, identified by group, hosts and
// ordinal. Call it, like Confirmed, between two calls of the network's Run. now is the time
// of the network. at is when it happened, by a clock that may be slightly ahead. It returns
// false if no such message was under way, or if it had arrived before.
func (t *Transport) Arrived(now, at unit.Time, m Carried) bool {
	c, ok := t.carried[m.id()]
	if !ok || c.arrived || c.Dst != m.Dst {
		return false
	}
	to := t.placeOf(c.Dst)
	e := to.e
	e.Counts.Delivered++
	e.Receiving.Arrived += uint64(c.Size)
	p := &e.Receiving.Packets[c.Group]
	p.Arrived += uint64(t.net.Groups[c.Group].CountPackets(c.Size))
	p.Payload += c.Size
	if e.gauge != nil {
		e.gauge.Deliver(at, c.Src, c.Dst, c.Size)
	}
	if c.record >= 0 {
		e.ends.add(ending{at, originOf(int32(c.Group), c.Src), uint32(c.Ordinal)})
	}
	c.arrived = true
	t.keep(c)
	e.notifySource(now, to.local, end.Delivery{Group: uint8(c.Group), Src: c.Src, Serial: uint32(c.Ordinal)})
	return true
}

// Confirmed records that the sender of a message knows that it arrived.
func (t *Transport) Confirmed(now, at unit.Time, m Carried) bool {
	c, ok := t.carried[m.id()]
	if !ok || c.confirmed {
		return false
	}
	from := t.placeOf(c.Src)
	e := from.e
	if c.record >= 0 {
		e.records.at(c.record).Completed = at
	}
	c.confirmed = true
	t.keep(c)
	e.Counts.Completed++
	s := &e.sourcesOf(from.local)[c.Group]
	s.Completed(now, c.Ordinal)
	e.schedule(now, from.local, s)
	return true
}

// placeOf returns the location of a host, which never changes.
func (t *Transport) placeOf(host int32) location {
	if t.located == nil {
		t.located = t.places()
	}
	return t.located[host]
}

// keep stores the state of a message until it has both arrived and been confirmed.
func (t *Transport) keep(c carriage) {
	if c.arrived && c.confirmed {
		delete(t.carried, c.id())
		return
	}
	t.carried[c.id()] = c
}

// NextStart returns when the next message or signal is due at a host of a run with
// Outside; Forever if none is.
func (t *Transport) NextStart() unit.Time {
	next := unit.Time(unit.Forever)
	for _, e := range t.endpoints {
		for i := range e.hosts {
			h := &e.hosts[i]
			if len(h.Agenda) > 0 {
				next = min(next, h.Agenda[0].At)
			}
			if len(h.signals) > 0 {
				next = min(next, h.signals[0].At)
			}
		}
	}
	return next
}

// AllCarried reports whether, in a run with Outside, no message is under way or still to come.
func (t *Transport) AllCarried() bool { return len(t.carried) == 0 && t.NextStart() == unit.Forever }
