package scenario

import (
	"weft/explain"
	"weft/fabric"
	"weft/topo"
	"weft/unit"
)

// Queued implements fabric.Follower.
func (r *follower) Queued(now unit.Time, link topo.PortID, id fabric.FrameID) {
	if f := r.frame(id); f != nil {
		r.hop(f, link, id, explain.Hop{Ready: now, Begin: explain.Never, Departs: explain.Never})
	}
}

// hop adds the port that a frame has reached. When it first sees a frame it also notes the
// class in which the frame left its host, since switches may change the class.
func (r *follower) hop(f *explain.Frame, link topo.PortID, id fabric.FrameID, h explain.Hop) {
	h.Port, h.Arrives, h.Class = int32(link), explain.Never, int8(r.network.FollowedClass(id))
	if f.Class == explain.AnyClass {
		f.Class = h.Class
		if f.Kind == explain.Data && f.Own {
			r.trace.Class = f.Class
		}
	}
	f.Deflected = r.network.FollowedDeflections(id)
	f.Hops = append(f.Hops, h)
}

// Sent implements fabric.Follower.
func (r *follower) Sent(link topo.PortID, id fabric.FrameID, begin, departs unit.Time) {
	if link == r.uplink && !r.done && !r.asks {
		b := explain.Busy{Span: explain.Span{From: begin, To: departs}, Own: r.own}
		if n := len(r.trace.Wire); n > 0 && !r.started { // before the message starts, only the latest matters
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
	r.hop(f, link, id, explain.Hop{Ready: ready, Begin: begin, Departs: departs})
}

// Arrived implements fabric.Follower.
func (r *follower) Arrived(now unit.Time, _ topo.PortID, id fabric.FrameID, late unit.Time) {
	if f := r.frame(id); f != nil {
		h := &f.Hops[len(f.Hops)-1]
		h.Arrives, h.Late = now, late
	}
}

// Dropped implements fabric.Follower.
func (r *follower) Dropped(now unit.Time, link topo.PortID, id fabric.FrameID, why fabric.Reason) {
	if n := len(r.trace.Wire); link == r.uplink && why == fabric.LinkDown && n > 0 && !r.asks {
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

// Paused implements fabric.Follower.
func (r *follower) Paused(now unit.Time, link topo.PortID, class uint8, pause bool) {
	if r.done {
		return
	}
	before := r.paused[link]
	after := before | 1<<class
	if !pause {
		after = before &^ (1 << class)
	}
	r.paused[link] = after
	r.pause(now, explain.Paused{Port: int32(link), Class: int8(class)}, pause)
	if (before == 0) != (after == 0) {
		r.pause(now, explain.Paused{Port: int32(link), Class: explain.AnyClass}, pause)
	}
}

// pause begins or ends a span in which a class is paused.
func (r *follower) pause(now unit.Time, at explain.Paused, begins bool) {
	spans := r.trace.Pauses[at]
	switch last := len(spans) - 1; {
	case begins:
		spans = append(spans, explain.Span{From: now, To: unit.Forever})
	case !r.started: // before the message starts, only open spans matter
		spans = spans[:last]
	default:
		spans[last].To = now
	}
	r.trace.Pauses[at] = spans
}

// Trimmed implements fabric.Follower.
func (r *follower) Trimmed(now unit.Time, link topo.PortID, id fabric.FrameID) {
	if f := r.frame(id); f != nil {
		f.TrimmedAt, f.TrimPort = now, int32(link)
	}
}
