package transport

import (
	"weft/fabric"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/sim"
	"weft/unit"
)

// inbound is a message that is being received.
type inbound struct {
	reliable.Receiver
	// The packet noted last, which a flush on another packet's behalf reports as
	// its trigger.
	seq     uint32
	entropy uint16
	marked  bool

	// order is for a group whose receivers take packets in order only.
	order reliable.InOrder
	// payload is what of it has arrived.
	payload unit.Bytes
	// peer is the number of its connection with the receiving side of the congestion
	// control, if there is one.
	peer int32
	// heard is the same with the receiving end that answers.
	heard int32
	// Whom to answer when no packet prompts it.
	src     int32
	message uint32
	serial  uint32
	group   uint8
	// since is when the first of the pending packets arrived; armed tells that a
	// deadline is set for them, which knows the message by its generation.
	armed      bool
	since      unit.Time
	generation uint32
	// held is the frame of the packet noted last, if it brought a trail and keeps, so that an answer that no
	// packet prompts returns it.
	held  fabric.FrameID
	keeps bool
}

// complete marks a table entry whose message has fully arrived.
const complete int32 = -1

// receiveData handles a data packet, or what is left of one.
func (e *Endpoint) receiveData(now sim.Time, h int32, id fabric.FrameID) {
	f := e.d.Frame(id)
	host := &e.hosts[h]
	var asked asked
	packets := e.aux(id)
	var incast *protocol.Incast
	if f.Flags&fabric.Extended != 0 && !f.Tracked() {
		if g := &e.t.groups[f.Group()]; g.Congestion.ListBytes > 0 {
			incast = e.takeList(g, id)
		} else {
			asked = e.takeAsk(id)
		}
		packets = f.Aux
	}
	entry := e.incoming(host, f, packets)
	if entry == nil {
		e.counts.Spurious++
		e.d.Free(id) // a late copy; its sender knows that it arrived
		return
	}
	if asked.wire > 0 {
		e.tellReceiver(now, host, entry, f, &asked)
	}
	if entry.inbound == complete {
		e.counts.Spurious++
		e.reply(id, ack, packets)
		host.control.push(id)
		return
	}
	in := &e.inbound[entry.inbound]
	group := f.Group()
	g := &e.t.groups[group]
	if f.Flags&fabric.Trimmed != 0 {
		copied := in.Has(f.Seq)
		if host.answers != nil {
			e.hear(now, host, in, f, incast, copied, false)
		}
		if copied {
			e.counts.Spurious++
			e.reply(id, ack, in.Expected())
		} else {
			e.reply(id, nack, 0)
		}
		host.control.push(id)
		return
	}
	if g.Recovery.Kind == GoBackN && f.Seq > in.Expected() {
		e.discard(now, host, in, id)
		return
	}
	fresh := in.Receive(f.Seq)
	if fresh {
		payload := unit.Bytes(f.Size) - g.Header
		p := &e.packets[group]
		p.Arrived++
		p.Payload += payload
		if f.Flags&fabric.Marked != 0 {
			p.Marked++
		}
		in.payload += payload
		if e.gauge != nil {
			e.gauge.deliver(now, f.Src(), f.Dst(), payload)
		}
	} else {
		e.counts.Spurious++
	}
	done := in.Done()
	if host.answers != nil {
		e.hear(now, host, in, f, incast, !fresh, done)
	}
	if done {
		e.arrived += uint64(in.payload)
		e.deliver(now, h, f)
	}
	if !g.coalesces() {
		e.reply(id, ack, in.Expected())
		if host.answers != nil {
			e.answer(now, host, in, id)
		}
		e.trackAck(g, id)
		host.control.push(id)
	} else {
		in.src, in.message, in.serial, in.group = f.Src(), f.Message, f.Serial, group
		ahead := g.Recovery.Kind >= IRN && f.Seq >= in.Expected() // which is to be reported
		e.coalesce(now, host, g, in, id, done || !fresh || ahead)
		if in.Pending() == 1 {
			in.since = now
		}
		if in.Pending() > 0 && !in.armed && g.AckDelay > 0 {
			in.armed = true
			e.setDeadline(host, h, deadline{at: in.since + g.AckDelay, slot: uint32(entry.inbound), serial: in.generation, source: overdueReport})
		}
	}
	if done {
		if g.Reply > 0 {
			e.d.Frame(id).Size += uint16(g.Reply)
		}
		e.leave(now, host, in)
		if host.answers != nil {
			e.endAnswers(now, host, in, group)
		}
		e.spare = append(e.spare, entry.inbound)
		entry.inbound = complete
	}
}

// incoming returns the entry of the message that a data frame or a request belongs to,
// a new one if it is the first of it, and nil if it is of a message before.
func (e *Endpoint) incoming(h *host, f *fabric.Frame, packets uint32) *entry {
	en := h.incoming.at(f.Message)
	if !en.used || int32(f.Serial-en.serial) > 0 {
		en.used, en.serial = true, f.Serial
		en.inbound = e.newInbound(packets)
		in := &e.inbound[en.inbound]
		in.peer, in.heard = noPeer, noPeer
	} else if en.serial != f.Serial {
		return nil
	}
	return en
}

// deliver notes that the message of a data frame has arrived in full.
func (e *Endpoint) deliver(now sim.Time, h int32, f *fabric.Frame) {
	group := f.Group()
	if f.Bits>>partsShift > 0 && !e.allArrived(&e.hosts[h], f) {
		return
	}
	e.counts.Delivered++
	if f.Bits&measured != 0 {
		e.ends.add(ending{now, originOf(int32(group), f.Src()), f.Serial})
	}
	sources := e.hosts[h].sources
	if w := sources[group].hears; w != nobody && sources[w].receiver != nil {
		sources[w].receiver.Received(now, f.Src(), uint64(f.Serial))
		e.schedule(now, h, &sources[w])
	}
}

// newInbound returns an inbound for a message of the given number of packets.
func (e *Endpoint) newInbound(packets uint32) int32 {
	var i int32
	if n := len(e.spare); n > 0 {
		i = e.spare[n-1]
		e.spare = e.spare[:n-1]
	} else {
		i = int32(len(e.inbound))
		e.inbound = append(e.inbound, inbound{})
	}
	in := &e.inbound[i]
	in.Reset(packets)
	in.payload = 0
	in.order.Reset()
	in.armed = false
	in.generation++
	return i
}

// reply turns a data frame into the acknowledgement or report that answers it.
// It keeps the packet's entropy, by which it is routed too.
func (e *Endpoint) reply(id fabric.FrameID, kind uint8, aux uint32) {
	f := e.d.Frame(id)
	g := &e.t.groups[f.Group()]
	f.TurnBack()
	f.Size = uint16(g.AckSize)
	f.Kind = kind
	f.Bits &= again
	if f.Flags&(fabric.Marked|fabric.Trimmed) != 0 { // a trimmed one met a full queue
		f.Bits |= echo
	}
	if f.Tracked() {
		f.Flags &= fabric.Extended | fabric.Forward | fabric.Backward
		e.d.Carry(id, aux)
	} else {
		f.Flags, f.Aux = 0, aux
	}
	f.SetClass(g.AckClass, g.Spray)
	e.counts.Acks++
}

// coalesces tells whether acknowledgements report packets together, or with a bitmap.
func (g *Group) coalesces() bool { return g.AckEvery > 1 || g.AckBitmap }

// coalesce reports a packet with others, at once if need be.
func (e *Endpoint) coalesce(now sim.Time, h *host, g *Group, in *inbound, id fabric.FrameID, atOnce bool) {
	f := e.d.Frame(id)
	if !in.Spans(f.Seq) {
		extra := e.d.Alloc()
		f = e.d.Frame(id)
		x := e.d.Frame(extra)
		*x = *f
		x.Flags &= fabric.Marked
		x.Seq, x.Entropy = in.seq, in.entropy
		x.Bits |= again // perhaps: which copy came is not remembered
		x.Flags &^= fabric.Marked
		if in.marked {
			x.Flags |= fabric.Marked
		}
		e.flush(now, h, in, extra)
		f = e.d.Frame(id)
	}
	in.seq, in.entropy, in.marked = f.Seq, f.Entropy, f.Flags&fabric.Marked != 0
	prompt := in.marked && g.Congestion.PromptMarks
	if in.Note(f.Seq, in.marked, f.Entropy) >= g.AckEvery || atOnce || prompt || f.Bits&askAck != 0 {
		e.flush(now, h, in, id)
		return
	}
	e.drop(in)
	if f.Flags&fabric.Forward == 0 {
		e.d.Free(id)
		return
	}
	in.held, in.keeps = id, true
}

// drop frees the frame that a message keeps.
func (e *Endpoint) drop(in *inbound) {
	if in.keeps {
		in.keeps = false
		e.d.Free(in.held)
	}
}

// reportOverdue acknowledges what has waited for AckDelay, and returns when to look again.
func (e *Endpoint) reportOverdue(now sim.Time, h *host, in *inbound) (unit.Time, bool) {
	due := in.since + e.t.groups[in.group].AckDelay
	if in.Pending() == 0 || due > now {
		return due, in.Pending() > 0
	}
	if in.keeps {
		in.keeps = false
		e.d.Frame(in.held).Bits |= again
		e.flush(now, h, in, in.held)
		return 0, false
	}
	id := e.d.Alloc()
	f := e.d.Frame(id)
	f.Address(in.src, h.id, in.group)
	f.Message, f.Serial, f.Seq = in.message, in.serial, in.seq
	f.Entropy, f.Kind, f.Bits = in.entropy, data, again
	if in.marked {
		f.Flags = fabric.Marked
	}
	e.flush(now, h, in, id)
	return 0, false
}

// flush sends all that is pending as the answer to a data frame.
func (e *Endpoint) flush(now sim.Time, h *host, in *inbound, id fabric.FrameID) {
	e.drop(in)
	g := &e.t.groups[e.d.Frame(id).Group()]
	if g.AckBitmap {
		in.FlushWide(&e.flushed)
	} else {
		in.Flush(&e.flushed)
	}
	e.reply(id, ack, 0)
	x := e.d.Extension(id)
	if x == nil {
		x = e.d.Extend(id)
	}
	writeReport(&e.flushed, x)
	e.d.Frame(id).Bits |= reported
	if h.answers != nil {
		e.answer(now, h, in, id)
	}
	e.trackAck(g, id)
	h.control.push(id)
}

// writeReport puts a report into a frame extension.
func writeReport(r *reliable.Report, x *fabric.Extension) {
	x[0] = uint64(r.Expected)<<32 | uint64(r.Base)
	copy(x[1:5], r.Bitmap[:])
	x[5] = uint64(r.Packets)<<32 | uint64(r.Marked)<<16 | uint64(len(r.Entropies))
	clear(x[6:])
	for i, v := range r.Entropies {
		x[6+i/4] |= uint64(v) << (i % 4 * 16)
	}
}

// readReport reads what writeReport wrote, keeping the memory of r.Entropies.
func readReport(x *fabric.Extension, r *reliable.Report) {
	r.Expected, r.Base = uint32(x[0]>>32), uint32(x[0])
	copy(r.Bitmap[:], x[1:5])
	r.Packets, r.Marked = uint16(x[5]>>32), uint16(x[5]>>16)
	if cap(r.Entropies) < reliable.MaxEntropies {
		r.Entropies = make([]uint16, reliable.MaxEntropies)
	}
	r.Entropies = r.Entropies[:uint16(x[5])]
	for i := range r.Entropies {
		r.Entropies[i] = uint16(x[6+i/4] >> (i % 4 * 16))
	}
}
