package scenario

import (
	"weft/explain"
	"weft/fabric"
	"weft/protocol"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// follower records what happens to one message while it is simulated, and to the
// other messages of its connection. It is a fabric.Follower and a
// transport.Watcher.
type follower struct {
	group, src, dst int32
	ordinal         uint64
	perPair         bool
	ackDelay        unit.Time
	uplink          topo.PortID

	trace   explain.Trace
	started bool
	done    bool
	message uint64 // its number
	packets uint32
	arrived map[uint32]bool // packets of the message

	under []*explain.Frame // by frame in the network, nil for those of others
	// messages of the connection, by number; the last copy and the last loss of
	// each of their packets.
	messages map[uint64]bool
	copies   map[packetName]*explain.Frame
	losses   map[packetName]*explain.Loss
	delivery map[uint64][]*explain.Frame // data that arrived, in order, by message

	// What is being handled at a host.
	trigger *explain.Frame // data that arrived
	answer  *explain.Frame // acknowledgement or report that arrived
	loss    *explain.Loss  // that became known

	state   transport.State
	since   unit.Time        // of the state
	opening *explain.Opening // since when the connection may send
	own     bool             // the frame that the sender's wire takes is the message's
	counts  Counts
}

// Counts sums up what happened to an explained message.
type Counts struct {
	// Sent counts data packets on the wire, Retransmits those sent again.
	Sent, Retransmits int
	// Timeouts and TrimReports count how the sender learned of losses, Marked the
	// packets that arrived with a congestion mark.
	Timeouts, TrimReports, Marked int
	// WindowClosed is how long the connection might not send because its window
	// was used up.
	WindowClosed unit.Time
}

type packetName struct {
	message uint64
	seq     uint32
}

func (o *RunOptions) watcher() transport.Watcher {
	if o.follow == nil {
		return nil
	}
	return o.follow
}

func (o *RunOptions) follower() fabric.Follower {
	if o.follow == nil {
		return nil
	}
	return o.follow
}

// frame returns the record of a frame in the network, nil if it is another's.
func (r *follower) frame(id fabric.FrameID) *explain.Frame {
	if int(id) >= len(r.under) {
		return nil
	}
	return r.under[id]
}

func (r *follower) setFrame(id fabric.FrameID, f *explain.Frame) {
	for int(id) >= len(r.under) {
		r.under = append(r.under, nil)
	}
	r.under[id] = f
}

// Started implements transport.Watcher.
func (r *follower) Started(now unit.Time, m transport.Started) bool {
	if m.Group != r.group || m.Src != r.src || m.Dst != r.dst || !r.perPair && m.Ordinal != r.ordinal || r.done {
		return false
	}
	r.messages[m.Message] = true
	if m.Ordinal == r.ordinal {
		r.started, r.message, r.packets = true, m.Message, m.Packets
		r.trace.Start = now
	}
	return true
}

// Pulled implements transport.Watcher.
func (r *follower) Pulled(now unit.Time, host int32, s transport.Sight) {
	if r.done {
		return
	}
	if host == r.src {
		r.own = false
	}
	if !r.messages[s.Message] {
		r.setFrame(s.ID, nil)
		return
	}
	if s.Kind != transport.DataFrame {
		if f := r.frame(s.ID); f != nil {
			f.Sent = now
		}
		return
	}
	f := explain.NewFrame()
	f.Own = r.started && s.Message == r.message
	f.Packet, f.Size, f.Entropy, f.Sent = s.Seq, s.Size, s.Entropy, now
	name := packetName{s.Message, s.Seq}
	f.Copy = 1
	last := r.copies[name]
	if last != nil {
		f.Copy = last.Copy + 1
	}
	if r.started { // what caused the sending of earlier ones is not asked for
		f.Opening = r.opening
		if last != nil {
			f.Loss = r.losses[name]
		}
	}
	r.copies[name] = f
	r.setFrame(s.ID, f)
	if f.Own {
		r.own = true
		r.keep(f)
		r.counts.Sent++
		if f.Copy > 1 {
			r.counts.Retransmits++
		}
	}
}

// end stops recording.
func (r *follower) end(now unit.Time) {
	r.account(now)
	r.done, r.under = true, nil
	r.trace.End = now
}

// keep adds a frame to the trace.
func (r *follower) keep(f *explain.Frame) {
	if f.Own {
		r.trace.Frames = append(r.trace.Frames, f)
	}
}

// Received implements transport.Watcher.
func (r *follower) Received(now unit.Time, _ int32, s transport.Sight) {
	f := r.frame(s.ID)
	r.trigger, r.answer = nil, nil
	if f == nil {
		return
	}
	r.setFrame(s.ID, nil)
	f.Delivered, f.Marked = now, s.Marked
	if s.Kind != transport.DataFrame {
		r.answer = f
		return
	}
	r.trigger = f
	if s.Trimmed {
		return
	}
	r.delivery[s.Message] = append(r.delivery[s.Message], f)
	if !f.Own {
		return
	}
	if s.Marked {
		r.counts.Marked++
	}
	r.arrived[s.Seq] = true
	if len(r.arrived) == int(r.packets) {
		r.trace.Finished, r.trace.Last = true, f
		r.end(now)
	}
}

// Replied implements transport.Watcher.
func (r *follower) Replied(now unit.Time, _ int32, s transport.Sight, timed bool) {
	if r.done {
		return
	}
	if !r.messages[s.Message] {
		r.setFrame(s.ID, nil)
		return
	}
	f := explain.NewFrame()
	f.Kind = explain.Ack
	if s.Kind == transport.TrimReport {
		f.Kind = explain.Report
	}
	f.Own = r.started && s.Message == r.message
	f.Packet, f.Size, f.Entropy = s.Seq, s.Size, s.Entropy
	f.Ready = now
	f.Trigger, f.Since = r.trigger, now
	if timed {
		f.Trigger = r.waited(s.Message, now-r.ackDelay)
		if f.Trigger != nil {
			f.Since = f.Trigger.Delivered
		}
	}
	r.setFrame(s.ID, f)
	r.keep(f)
}

// waited returns the packet of a message that arrived at an instant or else last
// before it.
func (r *follower) waited(message uint64, at unit.Time) *explain.Frame {
	list := r.delivery[message]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Delivered <= at {
			return list[i]
		}
	}
	return nil
}

// GaveUp implements transport.Watcher.
func (r *follower) GaveUp(now unit.Time, message uint64, seq uint32, cause protocol.LossCause) {
	if r.done || !r.messages[message] {
		return
	}
	name := packetName{message, seq}
	l := &explain.Loss{At: now, Copy: r.copies[name]}
	if cause == protocol.Trimmed {
		l.Report = r.answer
	}
	r.losses[name] = l
	r.loss = l
	if l.Copy.Own && cause == protocol.Trimmed {
		r.counts.TrimReports++
	} else if l.Copy.Own {
		r.counts.Timeouts++
	}
}

// State implements transport.Watcher.
func (r *follower) State(now unit.Time, s transport.State) {
	if r.done {
		return
	}
	before := r.state
	r.account(now)
	r.state, r.since = s, now
	switch {
	case s.Blocked != transport.NotBlocked:
		r.opening = nil
	case r.opening == nil:
		r.opening = &explain.Opening{At: now, After: reasons[before.Blocked], Loss: r.loss, Ack: r.answer}
	}
	r.trigger, r.answer, r.loss = nil, nil, nil
}

// account adds the time since the last look to what it was spent on.
func (r *follower) account(now unit.Time) {
	if r.started && r.state.Blocked == transport.ByWindow {
		r.counts.WindowClosed += now - max(r.since, r.trace.Start)
	}
}

// reasons are the words of the transport for why nothing is sent.
var reasons = [...]explain.Reason{
	transport.NotBlocked:     explain.Free,
	transport.NothingToSend:  explain.NoPacket,
	transport.ByWindow:       explain.ByWindow,
	transport.ByReorderLimit: explain.ByReorderLimit,
	transport.ByCredit:       explain.ByCredit,
}

// Sent implements fabric.Follower.
func (r *follower) Sent(link topo.PortID, id fabric.FrameID, begin, departs unit.Time) {
	if link == r.uplink && !r.done {
		b := explain.Busy{Span: explain.Span{From: begin, To: departs}, Own: r.own}
		if n := len(r.trace.Wire); n > 0 && !r.started { // only the latest may matter
			r.trace.Wire = r.trace.Wire[:n-1]
		}
		r.trace.Wire = append(r.trace.Wire, b)
	}
	f := r.frame(id)
	if f == nil {
		return
	}
	ready := f.Sent
	if n := len(f.Hops); n > 0 {
		h := &f.Hops[n-1]
		if h.Arrives == explain.Never {
			h.Begin, h.Departs = begin, departs
			return
		}
		ready = h.Arrives
	}
	f.Hops = append(f.Hops, explain.Hop{Port: int32(link), Ready: ready, Begin: begin, Departs: departs, Arrives: explain.Never})
}

// Arrived implements fabric.Follower.
func (r *follower) Arrived(now unit.Time, _ topo.PortID, id fabric.FrameID) {
	if f := r.frame(id); f != nil {
		f.Hops[len(f.Hops)-1].Arrives = now
	}
}

// Dropped implements fabric.Follower.
func (r *follower) Dropped(now unit.Time, link topo.PortID, id fabric.FrameID, why fabric.Reason) {
	if n := len(r.trace.Wire); link == r.uplink && why == fabric.LinkDown && n > 0 {
		last := &r.trace.Wire[n-1]
		last.To = max(last.From, min(last.To, now))
	}
	f := r.frame(id)
	if f == nil {
		return
	}
	r.setFrame(id, nil)
	f.LostAt, f.LostPort, f.Why = now, int32(link), why.String()
	if n := len(f.Hops); why == fabric.Loss && n > 0 {
		f.LostAt = f.Hops[n-1].Departs
	}
}

// Trimmed implements fabric.Follower.
func (r *follower) Trimmed(now unit.Time, link topo.PortID, id fabric.FrameID) {
	if f := r.frame(id); f != nil {
		f.TrimmedAt, f.TrimPort = now, int32(link)
	}
}
