package transport

import (
	"weft/fabric"
	"weft/internal/connection"
	"weft/internal/connection/end"
	"weft/internal/minheap"
	"weft/internal/packet"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// Endpoint is the transport of the hosts of one domain. It implements
// fabric.Endpoint and end.Carrier.
type Endpoint struct {
	d *fabric.Domain
	t *Transport
	connection.Hosts
	hosts   []host
	sources []source // by host and group
	records chunks[sent]
	ends    chunks[ending]
	gauge   *gauge // or nil
	scratch
	watched *watched // or nil
}

// scratch holds values that are passed to interfaces, so that they are not allocated on each call.
type scratch struct {
	packet     hostedPacket
	acked      protocol.Ack
	lost       protocol.Loss
	pathList   []protocol.Path
	submission protocol.HostMessage
}

// host carries the transports of one host.
type host struct {
	*end.Host
	// signals have yet to take effect. Signals from other domains and from within the domain
	// are inserted at different moments, so the order must also be total among equal times.
	signals minheap.Heap[fabric.Signal]
	// hosted is the host transport, or nil.
	hosted *hosted
	// plain reports that connections alone decide what is sent, that no NIC queue
	// holds their frames, and that the host has never been paused.
	plain bool
	// alone reports that the host transport carries all traffic of the host, without a NIC queue.
	alone bool
	// reckons reports that the sending side needs to know when the wire is idle or taken.
	reckons bool
}

// SetTimer implements end.Carrier.
func (e *Endpoint) SetTimer(h int32, at unit.Time) { e.d.SetTimer(h, at) }

// Receive implements fabric.Endpoint.
func (e *Endpoint) Receive(now sim.Time, h int32, id fabric.FrameID) bool {
	switch e.d.Frame(id).Kind { // nearly all frames are of the first two kinds, which save a call here
	case end.Data:
		e.ReceiveData(now, h, id)
	case end.Ack:
		e.Sending.Ack(now, h, id)
	case end.Hosted:
		e.receiveHosted(now, h, id)
		if host := &e.hosts[h]; host.alone {
			return e.awaken(now, h, host.hosted)
		}
	default:
		e.Hosts.Receive(now, h, id)
	}
	if e.hosts[h].plain {
		return e.Ready(h)
	}
	if e.t.net.Queue != nil {
		e.Sending.Enqueue(now, h)
	}
	return e.hasFrames(now, h, &e.hosts[h])
}

// hasFrames reports whether a host has something to send.
func (e *Endpoint) hasFrames(now sim.Time, h int32, host *host) bool {
	ready := host.hosted != nil && e.awaken(now, h, host.hosted)
	return ready || host.Out.Ready() || e.Sending.Ready(h)
}

// Pull implements fabric.Endpoint.
func (e *Endpoint) Pull(now sim.Time, h int32) (id fabric.FrameID, more, ok bool) {
	host := &e.hosts[h]
	if !host.plain {
		return e.pullAny(now, h, host)
	}
	if out := &host.Out; !out.Empty() {
		return out.Pop(), !out.Empty() || e.Sending.Ready(h), true
	}
	return e.Sending.Next(now, h)
}

// pullAny does what Pull does, for any kind of host.
func (e *Endpoint) pullAny(now sim.Time, h int32, host *host) (id packet.ID, more, ok bool) {
	if host.reckons {
		e.Sending.Idle(now, h)
	}
	if out := &host.Out; !out.Empty() || out.Paused() {
		id, ok = e.Control(now, h)
	}
	switch {
	case ok:
		more = e.hasFrames(now, h, host)
	case host.hosted != nil && host.Out.Pauses&host.hosted.uses == 0:
		id, more, ok = e.pullHosted(now, h, host)
	default:
		id, more, ok = e.Sending.Next(now, h)
	}
	if host.reckons && ok {
		e.Sending.Took(now, h, unit.Bytes(e.d.Frame(id).Size))
	}
	return id, more, ok
}

// Timer implements fabric.Endpoint.
func (e *Endpoint) Timer(now sim.Time, h int32) bool {
	host := &e.hosts[h]
	e.takeSignals(now, h)
	for len(host.Agenda) > 0 && host.Agenda[0].At <= now {
		if d := host.Agenda.Pop(); d.What >= 0 {
			e.expireSource(now, h, &e.sourcesOf(h)[d.What])
		} else {
			e.Expire(now, h, d)
		}
	}
	if host.hosted != nil {
		e.expireHosted(now, h, host)
	}
	if len(host.Agenda) > 0 {
		e.d.SetTimer(h, host.Agenda[0].At)
	}
	if len(host.signals) > 0 {
		e.d.SetTimer(h, host.signals[0].At)
	}
	if e.t.net.Queue != nil {
		e.Sending.Enqueue(now, h)
	}
	return e.hasFrames(now, h, host)
}

// Paused implements fabric.Endpoint. A host transport stops when any class that it uses is paused.
func (e *Endpoint) Paused(now sim.Time, h int32, classes uint8) bool {
	host := &e.hosts[h]
	host.plain = false
	e.Pause(now, h, classes)
	return e.hasFrames(now, h, host)
}

// Warm implements fabric.Warmer.
func (e *Endpoint) Warm(frames uint64) uint64 { return e.Hosts.Warm(frames) }
