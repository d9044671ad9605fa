package explain

import (
	"cmp"
	"slices"

	"weft/unit"
)

// walker walks the critical path of a trace backwards.
type walker struct {
	*Trace
	// own lists the times when each port serialised frames of the message.
	own map[int32][]Span
	// at is the position of the walk: everything from there to the end has a segment.
	at       unit.Time
	segments []Segment // last one first
	steps    []Step    // last one first, with Parts not yet filled in
}

// walk walks the whole path and leaves its segments in order of time.
func (t *Trace) walk() *walker {
	w := &walker{Trace: t, own: map[int32][]Span{}, at: t.End}
	for _, f := range t.Frames {
		if !f.Own {
			continue
		}
		for _, h := range f.Hops {
			served := Span{h.Begin, h.Departs}
			if f.LostAt != Never {
				served.To = min(served.To, f.LostAt)
			}
			if served.From < served.To {
				w.own[h.Port] = append(w.own[h.Port], served)
			}
		}
	}
	for _, spans := range w.own {
		slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	}
	f := w.first()
	for w.at > w.Start {
		before := w.at
		f = w.cause(f)
		if w.at == before { // a cause lies before what it causes
			f = w.guess()
		}
	}
	slices.Reverse(w.segments)
	slices.Reverse(w.steps)
	for i := range w.segments {
		w.segments[i].Step = len(w.steps) - 1 - w.segments[i].Step
	}
	return w
}

// step begins a step of the walk.
func (w *walker) step(does StepKind, f *Frame) {
	s := Step{Does: does, LostPort: None}
	if f != nil {
		s.Packet, s.Other = f.Packet, !f.Own
	}
	w.steps = append(w.steps, s)
}

// first covers the time from the sending of the last packet and returns that packet.
func (w *walker) first() *Frame {
	f := w.Last
	if f != nil {
		w.step(LastJourney, f)
	} else {
		w.step(Standstill, nil)
	}
	switch {
	case f == nil:
		w.stands(w.Start, w.Class, w.Blocked.kind(), 0)
	case !w.Finished && f.Sent < w.End:
		gone := f.gone()
		if gone == Never {
			gone = w.End
		}
		if f.LostAt == Never && f.TrimmedAt == Never {
			w.stands(gone, w.classOf(f), w.Blocked.kind(), f.Packet)
		} else {
			w.back(gone, Segment{Kind: Retransmission, What: Waiting, Packet: f.Packet, Port: None})
		}
		w.journey(f, asItIs, Free)
	case w.Finished:
		w.journey(f, asItIs, Free)
	}
	return f
}

// stands covers the time at the end of a run in which nothing of the message was
// sent. Time in which its host was paused counts as paused, the rest as kind.
func (w *walker) stands(from unit.Time, class int8, kind Kind, packet uint32) {
	w.paused(from, class, Segment{What: Waiting, Packet: packet, Port: w.Uplink}, func(from unit.Time, _ Segment) {
		w.back(from, Segment{Kind: kind, What: Waiting, Packet: packet, Port: None})
	})
}

// back covers the time from an instant up to the position of the walk.
func (w *walker) back(from unit.Time, s Segment) {
	from = max(from, w.Start)
	if from >= w.at {
		return
	}
	s.From, s.To, s.Step = from, w.at, len(w.steps)-1
	w.at = from
	if n := len(w.segments); n > 0 {
		if last := &w.segments[n-1]; s.same(last) {
			last.From = s.From
			return
		}
	}
	w.segments = append(w.segments, s)
}

// cause covers the time before the sending of a data packet, which is the position of the
// walk. It goes back to the sending of the packet that caused it, and returns that packet.
func (w *walker) cause(f *Frame) *Frame {
	from := w.Start
	opening, loss := f.Opening, f.Loss
	if opening != nil && opening.At >= from {
		from = opening.At
	}
	if loss != nil && loss.At >= from {
		from, opening = loss.At, nil
	} else {
		loss = nil
	}
	w.step(Turn, f)
	w.paused(from, w.classOf(f), Segment{What: Waiting, Frame: f.Kind, Packet: f.Packet, Port: w.Uplink}, func(from unit.Time, s Segment) {
		w.wire(from, s, w.resting())
	})
	switch {
	case w.at <= w.Start:
		return f
	case loss != nil:
		return w.lost(loss)
	case opening == nil || opening.At < from:
	case opening.Loss != nil:
		return w.lost(opening.Loss)
	case opening.After == ByPace && opening.Before != nil:
		return w.spaced(opening.Before, f)
	case opening.Ack != nil && opening.Ack.Trigger != nil:
		return w.acknowledged(opening.Ack, opening.After)
	}
	return w.guess()
}

// guess continues, without a known cause, from the previous packet of the message.
func (w *walker) guess() *Frame {
	var last *Frame
	for _, f := range w.Frames {
		if f.Kind == Data && f.Own && f.Sent < w.at && (last == nil || f.Sent > last.Sent) {
			last = f
		}
	}
	if last == nil {
		w.step(Guess, nil)
		w.wait(w.Start, Segment{What: Waiting, Port: w.Uplink})
		return nil
	}
	w.step(Guess, last)
	w.wait(last.Sent, Segment{What: Waiting, Packet: last.Packet, Port: w.Uplink})
	return last
}

// spaced covers the time since the sending of the previous packet, and returns that packet.
func (w *walker) spaced(before, f *Frame) *Frame {
	w.step(Spacing, f)
	w.wire(before.Sent, Segment{What: Waiting, Frame: f.Kind, Packet: f.Packet, Port: w.Uplink}, Paced)
	return before
}

// wait covers a time at the sender whose cause is unknown.
func (w *walker) wait(from unit.Time, s Segment) {
	if w.Hosted {
		w.wire(from, s, Credit)
		return
	}
	s.Kind = HostWire
	w.back(from, s)
}

// resting returns the part for a time in which the sender's wire was idle although
// a packet might have been sent.
func (w *walker) resting() Kind {
	if w.Hosted {
		return Credit
	}
	return HostWire
}

// acknowledged covers the round trip of a data packet and the acknowledgement that
// it triggered, and returns the packet.
func (w *walker) acknowledged(a *Frame, after Reason) *Frame {
	does := RoundTrip
	switch {
	case a.Trigger.Kind == Request:
		does = RequestTrip
	case a.Kind == Grant:
		does = CreditTrip
	}
	w.step(does, a.Trigger)
	s := Segment{What: Waiting, Frame: a.Kind, Packet: a.Packet, Port: None}
	w.wire(a.Delivered, s, after.kind()) // until the sender made use of it
	w.journey(a, round, after)
	if s.Port = a.first(); a.Ready < w.at {
		s.Kind = HostWire
		w.paused(a.Ready, a.Class, s, w.back)
	}
	s.Port = None
	if a.Kind == Grant {
		w.wire(a.Since, s, Grants)
	} else {
		s.Kind = HeldAck
		w.back(a.Since, s)
	}
	w.journey(a.Trigger, round, after)
	return a.Trigger
}

// lost covers the time from the sending of a lost copy until its sender knew of the
// loss, and returns the copy.
func (w *walker) lost(l *Loss) *Frame {
	c := l.Copy
	w.step(LostCopy, c)
	s := &w.steps[len(w.steps)-1]
	switch {
	case c.LostAt != Never:
		s.LostPort, s.Why = c.LostPort, c.Why
	case c.TrimmedAt != Never:
		s.LostPort, s.Why = c.TrimPort, WasTrimmed
	}
	if r := l.Report; r != nil {
		w.journey(r, notice, Free)
		w.back(r.Ready, Segment{Kind: Retransmission, What: Waiting, Frame: r.Kind, Packet: r.Packet, Port: r.first()})
	}
	// If a trimmed copy was reported, its header informed the receiver.
	if gone := c.gone(); gone != Never && (l.Report == nil || c.TrimmedAt == Never) {
		what := Timeout
		if l.Report != nil || l.Asked { // of a later packet, or of a probe
			what = Waiting
		}
		w.back(gone, Segment{Kind: Retransmission, What: what, Packet: c.Packet, Port: c.LostPort})
	}
	w.journey(c, asItIs, Free)
	return c
}

// gone returns when a copy was lost, trimmed or delivered, or Never.
func (f *Frame) gone() unit.Time {
	switch {
	case f.TrimmedAt != Never:
		return f.TrimmedAt
	case f.LostAt != Never:
		return f.LostAt
	}
	return f.Delivered
}

func (f *Frame) first() int32 {
	if len(f.Hops) == 0 {
		return None
	}
	return f.Hops[0].Port
}

// manner is how the time of a journey counts.
type manner uint8

const (
	// asItIs: as what happened.
	asItIs manner = iota
	// round: as a round trip that the sender had to wait for.
	round
	// notice: as a wait for a retransmission.
	notice
)

// journey covers a frame's journey up to the position of the walk.
func (w *walker) journey(f *Frame, m manner, after Reason) {
	pieces := f.pieces()
	for _, p := range slices.Backward(pieces) {
		if p.From >= w.at {
			continue
		}
		s := Segment{What: p.what, Frame: f.Kind, Packet: f.Packet, Port: p.port}
		switch {
		case m == notice || f.TrimmedAt != Never && p.From >= f.TrimmedAt && m == asItIs:
			s.Kind = Retransmission
			w.back(p.From, s)
		case p.what == Waiting: // its NIC held it back
			s.Kind = HostWire
			w.back(p.From, s)
		case p.what == Late && m == round:
			w.wire(p.From, s, LateHost)
		case p.what == Late:
			s.Kind = LateHost
			w.back(p.From, s)
		case p.what == Queueing:
			w.paused(p.From, p.class, s, w.queue)
		case m == round:
			w.wire(p.From, s, after.kind())
		case p.what == Serialising:
			s.Kind = Serialisation
			w.back(p.From, s)
		default:
			s.Kind = Propagation
			w.back(p.From, s)
		}
	}
	w.back(f.Sent, Segment{Kind: Propagation, What: Propagating, Frame: f.Kind, Packet: f.Packet, Port: None})
}

// piece is a part of a journey.
type piece struct {
	Span
	what  What
	port  int32
	class int8 // at the hop
}

// pieces returns the parts of a frame's journey, split where it was trimmed.
func (f *Frame) pieces() (list []piece) {
	class := f.Class
	add := func(from, to unit.Time, what What, port int32) {
		if f.LostAt != Never {
			to = min(to, f.LostAt)
		}
		if cut := f.TrimmedAt; from < cut && cut < to {
			list = append(list, piece{Span{from, cut}, what, port, class})
			from = cut
		}
		if from < to {
			list = append(list, piece{Span{from, to}, what, port, class})
		}
	}
	ready := f.Sent
	for i, h := range f.Hops {
		if f.Deflected > 0 {
			class = h.Class
		}
		if h.Begin == Never {
			ready = unit.Forever
			add(h.Ready, ready, Queueing, h.Port)
			break
		}
		before := Queueing
		if i == 0 {
			before = Waiting
		}
		add(h.Ready, h.Begin, before, h.Port)
		add(h.Begin, h.Departs, Serialising, h.Port)
		ready = h.Arrives
		if h.Arrives == Never {
			ready = unit.Forever
			add(h.Departs, ready, Propagating, h.Port)
			break
		}
		add(h.Departs, h.Arrives-h.Late, Propagating, h.Port)
		add(h.Arrives-h.Late, h.Arrives, Late, h.Port)
	}
	if f.Delivered == Never && ready != unit.Forever {
		port := f.LostPort
		if port == None {
			port = f.TrimPort
		}
		add(ready, unit.Forever, Queueing, port)
	}
	return list
}

// queue covers queueing. Time in which the port serialises frames of the message is
// queueing behind own packets.
func (w *walker) queue(from unit.Time, s Segment) {
	spans := w.own[s.Port]
	i, _ := slices.BinarySearchFunc(spans, w.at, func(s Span, t unit.Time) int { return cmp.Compare(s.From, t) })
	for i--; i >= 0 && spans[i].To > from; i-- {
		s.Kind = QueueOthers
		w.back(max(from, spans[i].To), s)
		s.Kind = QueueOwn
		w.back(max(from, spans[i].From), s)
	}
	s.Kind = QueueOthers
	w.back(from, s)
}

// classOf returns the class of a frame at the sender's wire. A host transport stops
// when any class is paused.
func (w *walker) classOf(f *Frame) int8 {
	switch {
	case w.Hosted:
		return AnyClass
	case f.Class == AnyClass:
		return w.Class
	}
	return f.Class
}

// paused covers a wait at a port. Time in which the class was paused counts as
// Pause; rest covers the other time.
func (w *walker) paused(from unit.Time, class int8, s Segment, rest func(from unit.Time, s Segment)) {
	from = max(from, w.Start)
	spans := w.Pauses[Paused{s.Port, class}]
	i, _ := slices.BinarySearchFunc(spans, w.at, func(p Span, t unit.Time) int { return cmp.Compare(p.From, t) })
	for i--; i >= 0 && spans[i].To > from; i-- {
		rest(max(from, spans[i].To), s)
		pause := s
		pause.Kind = Pause
		w.back(max(from, spans[i].From), pause)
	}
	rest(from, s)
}

// wire covers a time by the state of the sender's wire: it carried packets of the
// message or other frames, its link was down, or it was idle.
func (w *walker) wire(from unit.Time, s Segment, idle Kind) {
	from = max(from, w.Start)
	i, _ := slices.BinarySearchFunc(w.Wire, w.at, func(b Busy, t unit.Time) int { return cmp.Compare(b.From, t) })
	for i--; i >= 0 && w.Wire[i].To > from; i-- {
		b := w.Wire[i]
		w.idle(max(from, b.To), s, idle)
		s.Kind = HostWire
		if b.Own {
			s.Kind = Serialisation
		}
		w.back(max(from, b.From), s)
	}
	w.idle(from, s, idle)
}

// idle covers a time in which the sender's wire was idle.
func (w *walker) idle(from unit.Time, s Segment, kind Kind) {
	i, _ := slices.BinarySearchFunc(w.Down, w.at, func(d Span, t unit.Time) int { return cmp.Compare(d.From, t) })
	for i--; i >= 0 && w.Down[i].To > from; i-- {
		s.Kind = kind
		w.back(max(from, w.Down[i].To), s)
		s.Kind = LinkDown
		w.back(max(from, w.Down[i].From), s)
	}
	s.Kind = kind
	w.back(from, s)
}
