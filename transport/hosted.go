package transport

import (
	"math/rand/v2"

	"weft/fabric"
	"weft/internal/connection/end"
	"weft/protocol"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// This file carries host transports (protocol.HostTransport) over the fabric.
// hosted_frame.go writes their packets into frames and reads them back, hosted_choosers.go
// chooses entropies, and hosted_credit.go locates their credit. The host transport carries
// all messages of the groups that ask for it. A host without one pays one comparison.

// hosted is a host transport with the carrier's state.
type hosted struct {
	protocol.HostTransport
	deferrer protocol.Deferrer // the host transport, if it defers work; else nil
	out      protocol.HostOutput
	rng      rand.PCG // for the transport
	// entropy draws the entropies of packets without payload.
	entropy rand.PCG
	groups  protocol.GroupSet // groups that it serves
	classes int
	uses    uint8 // its classes; it sends nothing while one of them is paused
	// outgoing holds the host's messages, by group.
	outgoing []outbox
	// routes holds the choosers of entropies, by group and peer.
	routes   [][]*chooser
	lineRate unit.Rate
	// yielded reports that it is the turn of a connection of the host.
	yielded bool
	books   hostBooks
}

// openHosted makes the host transport, if any group has one.
func (e *Endpoint) openHosted(h *host) {
	var first *end.Group
	groups, echo := protocol.GroupSet(0), protocol.GroupSet(0)
	for i := range e.t.net.Groups {
		g := &e.t.net.Groups[i]
		if g.Congestion.NewHost == nil {
			continue
		}
		if first == nil {
			first = g
		}
		groups |= 1 << i
		if !g.Balancer.Oblivious {
			echo |= 1 << i
		}
	}
	if first == nil {
		return
	}
	t := &hosted{
		groups: groups, classes: max(1, e.t.env.classes),
		outgoing: make([]outbox, len(e.t.net.Groups)),
		routes:   make([][]*chooser, len(e.t.net.Groups)),
		lineRate: h.Line,
	}
	sim.SeedStream(&t.rng, e.t.net.Seed, h.Name, "host transport")
	sim.SeedStream(&t.entropy, e.t.net.Seed, h.Name, "packet paths")
	t.uses = 1<<first.AckClass | uint8(0xff)<<first.Class&(1<<t.classes-1)
	env := HostEnv(&first.Params, len(e.t.net.Names), e.t.env.classes, e.t.env.credits)
	env.Rand, env.Out = &t.rng, &t.out
	env.Host, env.Echo = h.ID, echo
	env.LineRate = t.lineRate
	t.HostTransport = first.Congestion.NewHost(env)
	t.deferrer, _ = t.HostTransport.(protocol.Deferrer)
	h.hosted = t
}

// hostedEnv is what host transports know of the ports of a network.
type hostedEnv struct {
	// classes is how many priority classes ports have; 0 means 1.
	classes int
	// credits is the class of credits.
	credits protocol.CreditClass
}

// HostEnv returns the part of the environment of a host transport that is the same for all hosts.
func HostEnv(p *Params, hosts, classes int, credits protocol.CreditClass) protocol.HostEnv {
	return protocol.HostEnv{
		LineRate: p.Env.LineRate,
		Packet:   p.Payload + p.Header, BDP: p.Env.BDP, BaseRTT: p.Env.BaseRTT,
		Hosts:   int32(hosts),
		Payload: p.Payload, Header: p.Header, Control: p.AckSize,
		Class: p.Class, ControlClass: p.AckClass, Classes: max(1, classes),
		Queue: p.Env.Queue, Credits: credits,
	}
}

// submit submits a message of a source to the host transport.
func (e *Endpoint) submit(now sim.Time, h int32, s *source, w workload.Message, record int32) {
	host := &e.hosts[h]
	t := host.hosted
	t.outgoing[s.group].add(outgoing{start: now, size: w.Size, dst: w.Dst, record: record})
	r := e.chooser(now, host, s.group, w.Dst)
	if r.active == 0 {
		r.Resume(now)
	}
	r.active++
	tag := uint64(uint32(s.ordinal))
	if record >= 0 {
		tag |= measuredTag
	}
	e.submission = protocol.HostMessage{Peer: w.Dst, Group: uint8(s.group), Tag: tag, Bytes: max(1, w.Size)}
	if e.watched != nil {
		e.watched.submitted(now, h, &e.submission, s.ordinal, e.t.net.Groups[s.group].CountPackets(w.Size))
	}
	t.books.submitted += e.submission.Bytes
	t.books.messages++
	e.catchUp(now, h, t)
	t.Submit(now, &e.submission)
	e.handleEvents(now, h, host)
}

// receiveHosted hands a frame to the host transport.
func (e *Endpoint) receiveHosted(now sim.Time, h int32, id fabric.FrameID) {
	host := &e.hosts[h]
	t := host.hosted
	e.readPacket(id, &e.packet)
	p := &e.packet.Packet
	e.d.Free(id)
	group, src := p.Group, p.Peer
	t.books.brought = protocol.HostMessage{Peer: src, Group: group, Tag: p.Tag, Bytes: p.Payload}
	if p.EchoAt > 0 {
		e.Sending.AddRTT(int32(group), now-p.EchoAt)
	}
	if p.Flags&protocol.Echoes != 0 {
		a := &e.acked
		*a = protocol.Ack{Now: now, Entropy: p.Echo, Packets: 1}
		if p.Flags&protocol.EchoMarked != 0 {
			a.Marked, a.MarkedPackets = true, 1
		}
		if p.EchoAt > 0 {
			a.RTT = now - p.EchoAt
		}
		e.chooser(now, host, int32(group), src).Acked(a)
	}
	whole := p.Payload > 0 && p.Flags&protocol.WasTrimmed == 0
	e.catchUp(now, h, t)
	fresh := t.Receive(now, p)
	switch {
	case fresh == 0 && whole:
		e.Counts.Spurious++
	case fresh != 0:
		if uint64(fresh) > uint64(t.books.brought.Bytes) {
			host.broke(now, "Receive returned %d B of new payload for a packet that carries %d B", fresh, t.books.brought.Bytes)
			return
		}
		t.books.fresh += fresh
		e.Receiving.Packets[group].Arrived++
		e.Receiving.Packets[group].Payload += fresh
		if p.Flags&protocol.Marked != 0 {
			e.Receiving.Packets[group].Marked++
		}
		if e.gauge != nil {
			e.gauge.Deliver(now, src, host.ID, fresh)
		}
	}
	e.handleEvents(now, h, host)
	t.books.brought.Bytes = 0
}

// handleEvents acts on the events that the host transport reported.
func (e *Endpoint) handleEvents(now sim.Time, h int32, host *host) {
	t := host.hosted
	for i := 0; i < len(t.out.Events); i++ {
		v := t.out.Events[i]
		switch v.Kind {
		case protocol.MessageDelivered:
			if !host.mayDeliver(now, &v) {
				return
			}
			e.Counts.Delivered++
			e.Receiving.Arrived += uint64(v.Bytes)
			t.books.delivered++
			t.books.reported += v.Bytes
			if e.watched != nil {
				e.watched.watcher.Delivered(now, end.Identify(int32(v.Group), v.Peer, uint32(v.Tag)))
			}
			if v.Tag&measuredTag != 0 {
				e.ends.add(ending{now, originOf(int32(v.Group), v.Peer), uint32(v.Tag)})
			}
			e.notifySource(now, h, end.Delivery{Group: v.Group, Src: v.Peer, Serial: uint32(v.Tag)})
		case protocol.MessageCompleted:
			if host.mine(now, &v) == nil {
				return
			}
			e.completeHosted(now, h, host, &v)
		case protocol.MessageWithdrawn: // an incomplete message has no state here
		case protocol.PacketLost:
			o := host.mine(now, &v)
			if o == nil {
				return
			}
			e.Counts.Timeouts++
			if o.record >= 0 {
				e.records.at(o.record).Timeouts++
			}
			l := &e.lost
			*l = protocol.Loss{Now: now, Unplaced: true, Cause: v.Cause, Wire: v.Bytes}
			e.chooser(now, host, int32(v.Group), v.Peer).Lost(l)
		default:
			host.broke(now, "it reported an event of unknown kind %d", v.Kind)
			return
		}
	}
	t.out.Events = t.out.Events[:0]
}

// completeHosted ends a message that its sender has completed.
func (e *Endpoint) completeHosted(now sim.Time, h int32, host *host, v *protocol.HostEvent) {
	box := &host.hosted.outgoing[v.Group]
	o, ordinal := box.at(v.Tag)
	o.done = true
	host.hosted.books.completed++
	if v.Unconfirmed {
		host.hosted.books.unconfirmed++
	} else if o.record >= 0 {
		e.records.at(o.record).Completed = now
	}
	host.hosted.routes[v.Group][o.dst].active--
	box.shrink()
	e.Counts.Completed++
	s := &e.sourcesOf(h)[v.Group]
	s.Completed(now, ordinal)
	e.schedule(now, h, s)
}

// awaken sets the timer that the host transport needs, and reports whether it may
// have something to send now.
func (e *Endpoint) awaken(now sim.Time, h int32, t *hosted) (ready bool) {
	return e.awakenAfter(now, now, h, t)
}

// awakenAfter does what awaken does, for a host whose wire is free at free. A
// packet that is ready by then needs no timer.
func (e *Endpoint) awakenAfter(now, free sim.Time, h int32, t *hosted) (ready bool) {
	at, ok := t.Deadline()
	if !ok {
		at = unit.Forever
	}
	if soon, ok := t.Ready(); ok {
		if soon <= free {
			ready = true
		} else {
			at = min(at, soon)
		}
	}
	if at < unit.Forever {
		e.d.SetTimer(h, max(at, now))
	}
	return ready
}

// expireHosted runs the deadline of the host transport, if it has passed.
func (e *Endpoint) expireHosted(now sim.Time, h int32, host *host) {
	t := host.hosted
	if t.deferrer != nil {
		t.deferrer.CatchUp(now, true)
	}
	if at, ok := t.Deadline(); ok && at <= now {
		t.Expire(now)
		e.handleEvents(now, h, host)
		host.countExpiry(now)
	}
}

// catchUp makes the host transport do the work that it deferred and that is due
// before the current event, as if the host's timer had fired for it.
func (e *Endpoint) catchUp(now sim.Time, h int32, t *hosted) {
	if t.deferrer != nil {
		t.deferrer.CatchUp(now, e.d.TimerPassed(h))
	}
}

// pullHosted returns the next frame of a host with a host transport. If the host
// also has connections, both take turns.
func (e *Endpoint) pullHosted(now sim.Time, h int32, host *host) (id fabric.FrameID, more, ok bool) {
	t := host.hosted
	if t.yielded && e.Sending.Ready(h) {
		t.yielded = false
		if id, _, ok = e.Sending.Next(now, h); ok {
			return id, e.awaken(now, h, t) || e.Sending.Ready(h), true
		}
	}
	p := &e.packet.Packet
	*p = protocol.Packet{}
	e.catchUp(now, h, t)
	if !t.Next(now, p) {
		if len(t.out.Events) > 0 {
			e.handleEvents(now, h, host)
		}
		e.awaken(now, h, t)
		return e.Sending.Next(now, h)
	}
	if !e.sound(host, p) {
		host.broke(now, "%s", e.unsound(host, p))
		return e.Sending.Next(now, h)
	}
	t.yielded = true
	if p.Flags&protocol.Pinned == 0 {
		if p.Payload > 0 {
			p.Entropy = e.chooser(now, host, int32(p.Group), p.Peer).Choose(now, e.t.net.Groups[p.Group].Balancer.Run)
		} else {
			p.Entropy = uint16(t.entropy.Uint64() >> 48)
		}
	}
	if p.Payload > 0 && p.Flags&protocol.Resent == 0 { // the common case
		e.Sending.Load(host.Local).Sent += p.Payload
	} else {
		e.countOther(host, p)
	}
	id = e.writePacket(host.ID, p)
	if len(t.out.Events) > 0 {
		e.handleEvents(now, h, host)
	}
	return id, e.awakenAfter(now, now+t.lineRate.Transmit(p.Wire), h, t) || e.Sending.Ready(h), true
}

// oldestHosted returns the message that has waited longest: w, or one of a host transport.
func (e *Endpoint) oldestHosted(h *host, w Waiting, ok bool) (Waiting, bool) {
	for g := range h.hosted.outgoing {
		box := &h.hosted.outgoing[g]
		if box.n == 0 {
			continue
		}
		o, ordinal := box.at(box.base)
		if ok && (o.start > w.Start || o.start == w.Start && h.ID > w.Src) {
			continue
		}
		payload := e.t.net.Groups[g].Payload
		packets := uint32(max(1, (o.size+payload-1)/payload))
		w, ok = Waiting{
			Group: g, Src: h.ID, Dst: o.dst, Ordinal: ordinal, Start: o.start,
			Packets: packets, Left: packets, Hosted: true,
		}, true
	}
	return w, ok
}
