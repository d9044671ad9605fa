package scenario

import (
	"weft/explain"
	"weft/fabric"
	"weft/transport"
	"weft/unit"
)

// sending is the state of a sender: of a connection, or of a host transport.
type sending struct {
	state   transport.State
	opening *explain.Opening // since when it may send
	last    *explain.Frame   // the data frame that it sent last
}

// Counts sums up the events of an explained message.
type Counts struct {
	// Sent counts data packets on the wire. Retransmits counts the retransmitted ones among
	// them.
	Sent, Retransmits int
	// Timeouts and TrimReports count the ways in which the sender learned of losses. Marked
	// counts the packets that arrived with a congestion mark.
	Timeouts, TrimReports, Marked int
	// WindowClosed is how long a used-up window kept the message from sending. With several
	// connections, it is the time in which none of them could send and at least one had a
	// used-up window.
	WindowClosed unit.Time
	// Paced is how long only the pace of the congestion control kept it from sending.
	Paced unit.Time
	// Credited reports that receivers grant credit. Unscheduled counts the packets sent
	// before anything came from the receiver. They were unscheduled, or used credit granted
	// for other messages: transports do not distinguish the two. Grants counts the grants
	// that came. NoCredit is how long the message had packets to send but no credit.
	Credited            bool
	Unscheduled, Grants int
	NoCredit            unit.Time
}

func (o *RunOptions) watcher() transport.Watcher {
	if o.follow == nil {
		return nil
	}
	return o.follow
}

func (o *RunOptions) follower() fabric.Follower {
	if o.follow == nil {
		return o.tap
	}
	return o.follow
}

// frame returns the record of a frame in the network, or nil if the frame is not followed.
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
	if m.Group != r.group || m.Src != r.src || m.Dst != r.dst || r.done {
		return false
	}
	its := m.Ordinal == r.ordinal
	if !its && (m.Hosted || !r.perPair) {
		return false
	}
	r.messages[m.Message] = true
	if its {
		r.bases[m.Part] = r.packets
		r.started, r.hosted, r.message = true, m.Hosted, m.Message
		r.packets += m.Packets
		r.bytes += m.Bytes
		r.trace.Start, r.trace.Hosted = now, m.Hosted
	}
	return true
}

// number returns the number of a packet within the message. A host transport numbers
// packets in the order in which they were first sent. Otherwise the number is the packet's
// place in its part, counted from the part's first packet.
func (r *follower) number(name transport.PacketName) uint32 {
	n, known := r.numbers[name]
	if known {
		return n
	}
	n = uint32(len(r.names))
	if !r.hosted {
		n = r.bases[name.Part] + uint32(name.Seq)
	}
	r.numbers[name] = n
	r.names = append(r.names, name)
	return n
}

// Pulled implements transport.Watcher.
func (r *follower) Pulled(now unit.Time, host int32, s transport.Sight) {
	if r.done {
		return
	}
	if host == r.src {
		r.own, r.asks = false, false
	}
	if s.Kind == transport.HostControl {
		r.control(now, s)
	}
	if s.Kind != transport.DataFrame {
		if f := r.frame(s.ID); f != nil {
			f.Sent = now
			r.asks = r.asks || f.Kind == explain.Request
		}
		return
	}
	if !r.messages[s.Message] {
		r.setFrame(s.ID, nil)
		return
	}
	f := explain.NewFrame()
	f.Own = r.started && s.Message == r.message
	f.Packet, f.Size, f.Entropy, f.Sent = uint32(s.Seq), s.Size, s.Entropy, now
	if f.Own {
		f.Packet = r.number(s.PacketName)
	}
	f.Copy = 1
	last := r.copies[s.PacketName]
	if last != nil {
		f.Copy = last.Copy + 1
	}
	if r.started { // causes of earlier packets do not matter
		f.Opening = r.opened(now, s.Conn)
		if last != nil {
			f.Loss = r.lost(now, s.PacketName, last)
		}
	}
	r.copies[s.PacketName] = f
	if s.Conn >= 0 {
		r.conn(s.Conn).last = f
	}
	r.setFrame(s.ID, f)
	if f.Own {
		r.own = true
		r.keep(f)
		r.count(f, s.Payload)
	}
}

// opened returns since when the sender of a packet was allowed to send it.
func (r *follower) opened(now unit.Time, conn int32) *explain.Opening {
	if conn < 0 || int(conn) >= len(r.conns) {
		return nil
	}
	c := &r.conns[conn]
	if r.hosted && c.opening == nil { // the sender was allowed just when it sent
		return &explain.Opening{At: now, After: explain.ByCredit, Ack: r.granted}
	}
	return c.opening
}

// lost returns the event by which the sender learned that a copy was lost. A host transport
// does not report it. The follower then assumes the latest grant that came after the copy
// was sent, or else a timeout.
func (r *follower) lost(now unit.Time, name transport.PacketName, last *explain.Frame) *explain.Loss {
	if !r.hosted {
		return r.losses[name]
	}
	l := &explain.Loss{At: now, Copy: last}
	if g := r.granted; g != nil && g.Ready >= last.Sent {
		l.At, l.Report = g.Delivered, g
	}
	r.losses[name] = l
	return l
}

// count adds a data packet of the message to the counts.
func (r *follower) count(f *explain.Frame, payload unit.Bytes) {
	r.counts.Sent++
	if f.Copy == 1 {
		r.sent += payload
	}
	switch {
	case f.Copy == 1 && r.counts.Grants == 0:
		r.counts.Unscheduled++
	case f.Copy > 1:
		r.counts.Retransmits++
		if r.hosted {
			r.counts.Timeouts++
		}
	}
}

// control begins the record of a control packet between the message's two hosts.
func (r *follower) control(now unit.Time, s transport.Sight) {
	r.setFrame(s.ID, nil)
	there := s.Src == r.src && s.Dst == r.dst
	if len(r.messages) == 0 || !there && (s.Src != r.dst || s.Dst != r.src) {
		return
	}
	f := explain.NewFrame()
	f.Size, f.Entropy, f.Ready = s.Size, s.Entropy, now
	if there {
		f.Kind = explain.Request
		f.Opening = &explain.Opening{At: r.trace.Start}
		if r.granted != nil {
			f.Opening = &explain.Opening{At: r.granted.Delivered, After: explain.ByCredit, Ack: r.granted}
		}
	} else {
		f.Kind, f.Trigger, f.Since = explain.Grant, r.heard, now
		if r.heard != nil {
			f.Packet, f.Since = r.heard.Packet, r.heard.Delivered
		}
	}
	r.setFrame(s.ID, f)
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

// State implements transport.Watcher.
func (r *follower) State(now unit.Time, s transport.State) {
	if r.done {
		return
	}
	c := r.conn(s.Conn)
	before := c.state
	r.account(now)
	c.state = s
	switch {
	case s.Blocked != transport.NotBlocked:
		c.opening = nil
	case c.opening == nil:
		c.opening = &explain.Opening{At: now, After: reasons[before.Blocked], Loss: r.loss, Ack: r.answer}
		if r.hosted && r.answer == nil && now > r.trace.Start {
			c.opening.Ack = r.granted
		}
		if before.Blocked == transport.ByPace {
			c.opening.Before = c.last
		}
	}
	if int(s.Conn) == len(r.conns)-1 { // the last state reported for this event
		r.trigger, r.answer, r.loss = nil, nil, nil
	}
}

// conn returns the connection with a number.
func (r *follower) conn(number int32) *sending {
	for int(number) >= len(r.conns) {
		r.conns = append(r.conns, sending{})
	}
	return &r.conns[number]
}

// account charges the time since the last call to what blocked the message.
func (r *follower) account(now unit.Time) {
	took := now - max(r.since, r.trace.Start)
	r.since = now
	if !r.started || took <= 0 {
		return
	}
	window, credit, pace := false, false, false
	for i := range r.conns {
		switch r.conns[i].state.Blocked {
		case transport.NotBlocked:
			return
		case transport.ByWindow:
			window = true
		case transport.ByCredit:
			credit = true
		case transport.ByPace:
			pace = true
		}
	}
	if pace && !window {
		r.counts.Paced += took
	}
	if window {
		r.counts.WindowClosed += took
	}
	if credit && !(r.hosted && r.sent >= r.bytes) {
		r.counts.NoCredit += took
	}
}

// reasons translates the transport's reasons for not sending into the explanation's.
var reasons = [...]explain.Reason{
	transport.NotBlocked:     explain.Free,
	transport.NothingToSend:  explain.NoPacket,
	transport.ByWindow:       explain.ByWindow,
	transport.ByReorderLimit: explain.ByReorderLimit,
	transport.ByCredit:       explain.ByCredit,
	transport.ByPace:         explain.ByPace,
}
