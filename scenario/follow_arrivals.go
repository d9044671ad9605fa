package scenario

import (
	"weft/explain"
	"weft/protocol"
	"weft/transport"
	"weft/unit"
)

// Received implements transport.Watcher.
func (r *follower) Received(now unit.Time, _ int32, s transport.Sight) {
	f := r.frame(s.ID)
	r.trigger, r.answer = nil, nil
	if f == nil {
		return
	}
	r.setFrame(s.ID, nil)
	f.Delivered, f.Marked = now, s.Marked
	switch f.Kind {
	case explain.Data:
	case explain.Request:
		r.trigger, r.heard = f, f // if all packets have arrived, an acknowledgement answers it
		return
	case explain.Grant:
		r.answer, r.granted = f, f
		r.counts.Credited = true
		if r.started {
			r.counts.Grants++
		}
		return
	default:
		r.answer = f
		return
	}
	r.trigger, r.heard = f, f
	if s.Trimmed || s.Discarded {
		return
	}
	r.delivery[s.Message] = append(r.delivery[s.Message], f)
	if !f.Own {
		return
	}
	if s.Marked {
		r.counts.Marked++
	}
	r.arrived[f.Packet] = true
	if !r.hosted && len(r.arrived) == int(r.packets) {
		r.complete(now, f)
	}
}

// Delivered implements transport.Watcher.
func (r *follower) Delivered(now unit.Time, message uint64) {
	if r.started && !r.done && message == r.message {
		r.complete(now, r.trigger)
	}
}

// complete ends the trace with the packet that completed the message.
func (r *follower) complete(now unit.Time, last *explain.Frame) {
	r.trace.Finished, r.trace.Last = true, last
	r.end(now)
}

// Replied implements transport.Watcher.
func (r *follower) Replied(now unit.Time, _ int32, s transport.Sight, timed bool) {
	if r.done {
		return
	}
	if s.Kind == transport.PullFrame || s.Kind == transport.RequestFrame {
		r.control(now, s)
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
	f.Packet, f.Size, f.Entropy = uint32(s.Seq), s.Size, s.Entropy
	if n, known := r.numbers[s.PacketName]; known {
		f.Packet = n
	}
	f.Ready = now
	f.Trigger, f.Since = r.trigger, now
	if f.Trigger != nil && f.Trigger.Kind == explain.Request {
		f.Packet = f.Trigger.Packet
	}
	if timed {
		f.Trigger = r.waited(s.Message, now-r.ackDelay)
		if f.Trigger != nil {
			f.Since = f.Trigger.Delivered
		}
	}
	r.setFrame(s.ID, f)
	r.keep(f)
}

// waited returns the packet of a message that arrived at an instant, or else the last
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
func (r *follower) GaveUp(now unit.Time, name transport.PacketName, cause protocol.LossCause) {
	if r.done || !r.messages[name.Message] {
		return
	}
	l := &explain.Loss{At: now, Copy: r.copies[name]}
	if cause != protocol.Timeout {
		l.Report, l.Asked = r.answer, r.answer == nil
	}
	r.losses[name] = l
	r.loss = l
	switch {
	case !l.Copy.Own:
	case cause == protocol.Trimmed:
		r.counts.TrimReports++
	case cause == protocol.Timeout:
		r.counts.Timeouts++
	}
}
