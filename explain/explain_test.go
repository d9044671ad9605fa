package explain

import (
	"maps"
	"slices"
	"testing"

	"weft/unit"
)

// crossing is a frame's way over one link after another: it is ready when it
// arrived, waits, is serialised and flies.
func crossing(f *Frame, at unit.Time, hops ...[4]unit.Time) *Frame {
	f.Sent = at
	for _, h := range hops { // port, wait, serialisation, flight
		begin := at + h[1]
		f.Hops = append(f.Hops, Hop{Port: int32(h[0]), Ready: at, Begin: begin, Departs: begin + h[2], Arrives: begin + h[2] + h[3]})
		at = begin + h[2] + h[3]
	}
	f.Delivered = at
	return f
}

func data(packet uint32) *Frame {
	f := NewFrame()
	f.Own, f.Packet, f.Copy = true, packet, 1
	return f
}

// answer returns an acknowledgement that its receiver holds back and then sends.
func answer(to *Frame, held, waits unit.Time, kind FrameKind, hops ...[4]unit.Time) *Frame {
	f := NewFrame()
	f.Kind, f.Own, f.Packet, f.Trigger = kind, true, to.Packet, to
	f.Since = to.Delivered
	f.Ready = f.Since + held
	return crossing(f, f.Ready+waits, hops...)
}

// check builds an account and compares its parts, which must be those of the path
// and cover it without gap.
func check(t *testing.T, trace *Trace, want map[Kind]unit.Time) *Account {
	t.Helper()
	a := Build(trace)
	got, steps := map[Kind]unit.Time{}, map[Kind]unit.Time{}
	at := trace.Start
	for _, s := range a.Path {
		if s.From != at || s.To <= s.From {
			t.Errorf("%+v follows %d", s, at)
		}
		at = s.To
		got[s.Kind] += s.To - s.From
	}
	if at != trace.End {
		t.Errorf("the path ends at %d and not %d", at, trace.End)
	}
	for i := range a.Steps {
		for k, p := range a.Steps[i].Parts {
			if p > 0 {
				steps[Kind(k)] += p
			}
		}
	}
	if !maps.Equal(got, want) || !maps.Equal(steps, want) {
		t.Errorf("the parts are %v, and by steps %v; want %v", got, steps, want)
	}
	for k, p := range a.Parts {
		if p != want[Kind(k)] {
			t.Errorf("%v is %d, want %d", Kind(k), p, want[Kind(k)])
		}
	}
	return a
}

const uplink, switchPort, back = 1, 2, 3

// TestHeldAcknowledgement follows an acknowledgement that its receiver held back
// and then could not send at once, to a sender that was not allowed to go on. In
// the round trip of 10 + 5 + 20 + 10 + 5, 7 and 3, 10 + 5 the wire carries the
// first packet and, for the last 4, a frame of another message.
func TestHeldAcknowledgement(t *testing.T) {
	for reason, kind := range map[Reason]Kind{ByWindow: Window, ByCredit: Credit, ByReorderLimit: ReorderLimit, NoPacket: Window} {
		start := &Opening{At: 100}
		first := crossing(data(0), 100, [4]unit.Time{uplink, 0, 10, 5}, [4]unit.Time{switchPort, 20, 10, 5})
		first.Opening = start
		ack := answer(first, 7, 3, Ack, [4]unit.Time{back, 0, 10, 5})
		second := crossing(data(1), ack.Delivered, [4]unit.Time{uplink, 0, 10, 5}, [4]unit.Time{switchPort, 2, 10, 5})
		second.Opening = &Opening{At: ack.Delivered, After: reason, Ack: ack}
		trace := &Trace{
			Start: 100, End: second.Delivered, Finished: true, Last: second, Frames: []*Frame{first, ack, second}, Uplink: uplink,
			Wire: []Busy{{Span{100, 110}, true}, {Span{ack.Delivered - 4, ack.Delivered}, false}, {Span{ack.Delivered, ack.Delivered + 10}, true}},
		}
		a := check(t, trace, map[Kind]unit.Time{
			QueueOthers: 20 + 2, HeldAck: 7, HostWire: 3 + 4,
			kind:          5 + 10 + 5 + 10 + 5 - 4,
			Serialisation: 10 + 10 + 10, Propagation: 5 + 5,
		})
		if a.Count(RoundTrip) != 1 || a.Count(LastJourney) != 1 || len(a.Steps) != 2 {
			t.Errorf("the steps are %+v", a.Steps)
		}
		if len(a.Ports) != 1 || a.Ports[0] != (PortShare{Port: switchPort, Others: 22, Frames: 2}) {
			t.Errorf("the ports are %+v", a.Ports)
		}
	}
}

// TestQueueBehindOwn splits a wait of 30 by what the port serialised: own packets
// for 10 and 5 of it.
func TestQueueBehindOwn(t *testing.T) {
	last := crossing(data(2), 0, [4]unit.Time{uplink, 0, 10, 0}, [4]unit.Time{switchPort, 30, 10, 0})
	last.Opening = &Opening{At: 0}
	one, other := data(0), data(1)
	one.Hops = []Hop{{Port: switchPort, Begin: 15, Departs: 25, Arrives: 30}}
	other.Hops = []Hop{{Port: switchPort, Begin: 0, Departs: 15, Arrives: 20}}
	trace := &Trace{End: last.Delivered, Finished: true, Last: last, Frames: []*Frame{one, other, last}}
	a := check(t, trace, map[Kind]unit.Time{Serialisation: 20, QueueOwn: 15, QueueOthers: 15})
	if len(a.Ports) != 1 || a.Ports[0] != (PortShare{Port: switchPort, Own: 15, Others: 15, Frames: 1}) {
		t.Errorf("the ports are %+v", a.Ports)
	}
}

// TestPaused tells pauses of a frame's class from other waits: of the sender's NIC, of a port, of the receiver's NIC. A
// pause that begins before the wait or ends after it counts while it lasts, and one of another class does not.
func TestPaused(t *testing.T) {
	const class, other = 1, 2
	first := crossing(data(0), 20, [4]unit.Time{uplink, 0, 10, 5}, [4]unit.Time{switchPort, 30, 10, 5}) // waits from 35 to 65
	first.Class, first.Opening = class, &Opening{At: 0}
	ack := answer(first, 0, 9, Ack, [4]unit.Time{back, 0, 10, 5}) // waits from 80 to 89
	ack.Class = other
	last := crossing(data(1), ack.Delivered+8, [4]unit.Time{uplink, 0, 10, 5}, [4]unit.Time{switchPort, 0, 10, 5})
	last.Class, last.Opening = class, &Opening{At: ack.Delivered, After: ByWindow, Ack: ack}
	trace := &Trace{
		End: last.Delivered, Finished: true, Last: last, Frames: []*Frame{first, ack, last}, Uplink: uplink, Class: class,
		Wire: []Busy{{Span{0, 6}, false}, {Span{20, 30}, true}, {Span{last.Sent, last.Sent + 10}, true}},
		Pauses: map[Paused][]Span{
			{uplink, class}:     {{4, 17}, {ack.Delivered + 2, ack.Delivered + 8}},
			{uplink, other}:     {{0, 1000}},
			{switchPort, class}: {{30, 38}, {40, 45}, {60, 64}},
			{switchPort, other}: {{0, 1000}},
			{back, other}:       {{70, 85}},
		},
	}
	for _, hosted := range []bool{false, true} {
		trace.Hosted = hosted
		pauses := unit.Time(13+6) + (3 + 5 + 4) + 5
		want := map[Kind]unit.Time{Pause: pauses, QueueOthers: 30 - 12, Serialisation: 10 + 20, Propagation: 10, HostWire: 4 + (20 - 17) + 4 + 2, Window: 5 + 10 + 5 + 10 + 5}
		if hosted { // any class stops its transport, whose idle wire counts as credit
			trace.Pauses[Paused{uplink, AnyClass}] = trace.Pauses[Paused{uplink, class}]
			want[HostWire], want[Credit] = 4+4, 3+2
		}
		a := check(t, trace, want)
		shares := map[int32]unit.Time{}
		for _, p := range a.Ports {
			shares[p.Port] = p.Paused
		}
		if shares[uplink] != 19 || shares[switchPort] != 12 || shares[back] != 5 {
			t.Errorf("the ports are %+v", a.Ports)
		}
		for i := range a.Steps {
			if s := &a.Steps[i]; (s.Parts[Pause] > 0) != (s.Paused != None) || s.Does == Turn && s.Paused != uplink && s.Paused != None {
				t.Errorf("the step is %+v", s)
			}
		}
	}
	// A message that is not sent, in a class that is not known.
	check(t, &Trace{End: 100, Last: &Frame{Class: AnyClass, Sent: 100, Opening: &Opening{At: 0}}, Uplink: uplink, Class: AnyClass,
		Pauses: map[Paused][]Span{{uplink, AnyClass}: {{30, unit.Forever}}}}, map[Kind]unit.Time{HostWire: 30, Pause: 70})
}

// TestLosses goes from a copy to the copies before: one that was trimmed and
// reported, one that timed out after it was lost, and one that timed out though it
// was delivered.
func TestLosses(t *testing.T) {
	spurious := crossing(data(0), 0, [4]unit.Time{uplink, 0, 10, 5})
	spurious.Opening = &Opening{At: 0}
	lost := crossing(data(0), 100, [4]unit.Time{uplink, 0, 10, 5}, [4]unit.Time{switchPort, 50, 10, 5})
	lost.LostAt, lost.LostPort, lost.Delivered = 130, switchPort, Never // in the queue
	lost.Loss, lost.Opening = &Loss{At: 100, Copy: spurious}, &Opening{At: 100, Loss: &Loss{At: 100, Copy: spurious}}
	trimmed := crossing(data(0), 200, [4]unit.Time{uplink, 0, 10, 5}, [4]unit.Time{switchPort, 3, 2, 5})
	trimmed.TrimmedAt, trimmed.TrimPort = 215, switchPort
	trimmed.Loss, trimmed.Opening = &Loss{At: 200, Copy: lost}, spurious.Opening
	report := answer(trimmed, 0, 4, Report, [4]unit.Time{back, 1, 2, 5})
	final := crossing(data(0), report.Delivered+6, [4]unit.Time{uplink, 0, 10, 5})
	final.Loss, final.Opening = &Loss{At: report.Delivered, Copy: trimmed, Report: report}, spurious.Opening
	trace := &Trace{
		End: final.Delivered, Finished: true, Last: final, Frames: []*Frame{spurious, lost, trimmed, report, final}, Uplink: uplink,
		Down: []Span{{report.Delivered + 1, report.Delivered + 3}},
	}
	a := check(t, trace, map[Kind]unit.Time{
		Serialisation: 4 * 10, Propagation: 4 * 5,
		QueueOthers:    130 - 115,
		Retransmission: (100 - 15) + (200 - 130) + (report.Delivered - 215),
		LinkDown:       2, HostWire: 4,
	})
	if a.Count(LostCopy) != 3 {
		t.Errorf("the steps are %+v", a.Steps)
	}
}

// TestCutAtTheStart explains a message whose path leads over a packet that was
// sent before it started. The receiver's NIC holds back the acknowledgement.
func TestCutAtTheStart(t *testing.T) {
	early := crossing(data(7), 0, [4]unit.Time{uplink, 0, 10, 20})
	early.Own = false
	ack := answer(early, 0, 0, Ack, [4]unit.Time{back, 10, 10, 20})
	last := crossing(data(0), ack.Delivered, [4]unit.Time{uplink, 0, 10, 20})
	last.Opening = &Opening{At: ack.Delivered, After: ByWindow, Ack: ack}
	check(t, &Trace{Start: 25, End: last.Delivered, Finished: true, Last: last, Frames: []*Frame{last}}, map[Kind]unit.Time{
		Window: 5 + 10 + 20, HostWire: 10, Serialisation: 10, Propagation: 20,
	})
}

// TestWithoutCause goes on with the packet before where the cause lies with
// another message, and counts that.
func TestWithoutCause(t *testing.T) {
	first := crossing(data(0), 0, [4]unit.Time{uplink, 0, 10, 20})
	first.Opening = &Opening{At: 0}
	last := crossing(data(1), 50, [4]unit.Time{uplink, 0, 10, 20})
	last.Opening = &Opening{At: 50, After: NoPacket}
	trace := &Trace{End: 80, Finished: true, Last: last, Frames: []*Frame{first, last}}
	if a := check(t, trace, map[Kind]unit.Time{HostWire: 50, Serialisation: 10, Propagation: 20}); a.Count(Guess) != 1 {
		t.Errorf("the steps are %+v", a.Steps)
	}
	// Nothing at all is known of the one that began it.
	trace.Frames = []*Frame{last}
	check(t, trace, map[Kind]unit.Time{HostWire: 50, Serialisation: 10, Propagation: 20})
	// A cause that does not lie before what it causes is none.
	last.Opening = &Opening{At: 50, Loss: &Loss{At: 50, Copy: last}}
	check(t, trace, map[Kind]unit.Time{HostWire: 50, Serialisation: 10, Propagation: 20})
}

// TestUnfinished accounts for messages up to the end of a run.
func TestUnfinished(t *testing.T) {
	sent := func(change func(*Frame)) *Frame {
		f := crossing(data(0), 10, [4]unit.Time{uplink, 0, 10, 20})
		f.Opening = &Opening{At: 0}
		change(f)
		return f
	}
	for _, test := range []struct {
		name  string
		trace Trace
		want  map[Kind]unit.Time
	}{
		{"never allowed to send", Trace{Blocked: ByCredit}, map[Kind]unit.Time{Credit: 100}},
		{
			"lost", Trace{Last: sent(func(f *Frame) { f.LostAt, f.LostPort, f.Delivered, f.Hops[0].Arrives = 25, uplink, Never, Never })},
			map[Kind]unit.Time{HostWire: 10, Serialisation: 10, Propagation: 5, Retransmission: 75},
		},
		{
			"delivered, but others are forbidden", Trace{Blocked: ByWindow, Last: sent(func(*Frame) {})},
			map[Kind]unit.Time{HostWire: 10, Serialisation: 10, Propagation: 20, Window: 60},
		},
		{
			"under way", Trace{Last: sent(func(f *Frame) { f.Delivered, f.Hops[0].Arrives = Never, Never })},
			map[Kind]unit.Time{HostWire: 10, Serialisation: 10, Propagation: 80},
		},
		{
			"in a queue", Trace{Last: sent(func(f *Frame) { f.Delivered = Never })},
			map[Kind]unit.Time{HostWire: 10, Serialisation: 10, Propagation: 20, QueueOthers: 60},
		},
		{
			"not sent yet", Trace{Last: &Frame{Sent: 100, Opening: &Opening{At: 0}}, Down: []Span{{30, unit.Forever}}},
			map[Kind]unit.Time{HostWire: 30, LinkDown: 70},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.trace.End = 100
			check(t, &test.trace, test.want)
		})
	}
}

func TestKindsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for k := range Kind(Kinds) {
		if k.String() == "" || k.Title() == "" || seen[k.String()] {
			t.Errorf("part %d is called %q, %q", k, k.String(), k.Title())
		}
		seen[k.String()] = true
	}
	if len(slices.Collect(maps.Keys(seen))) != Kinds {
		t.Error("names are missing")
	}
}

// TestPace goes back from a packet that was due by its pace to the one before: the wire carries
// that for 10 and a frame of another message for 4, and is idle for the other 86.
func TestPace(t *testing.T) {
	first := crossing(data(0), 100, [4]unit.Time{uplink, 0, 10, 5})
	first.Opening = &Opening{At: 100}
	second := crossing(data(1), 200, [4]unit.Time{uplink, 0, 10, 5})
	second.Opening = &Opening{At: 200, After: ByPace, Before: first}
	trace := &Trace{
		Start: 100, End: second.Delivered, Finished: true, Last: second, Frames: []*Frame{first, second}, Uplink: uplink,
		Wire: []Busy{{Span{100, 110}, true}, {Span{150, 154}, false}, {Span{200, 210}, true}},
	}
	a := check(t, trace, map[Kind]unit.Time{Serialisation: 10 + 10, HostWire: 4, Paced: 86, Propagation: 5})
	if a.Count(Spacing) != 1 || a.Count(Guess) != 0 {
		t.Errorf("the steps are %+v", a.Steps)
	}
}

// TestSlowLink has the links that carry data slower than the sender's, with what the path spent
// there: of packets of 1000 B, 8 ns at the host and 80 ns, after a wait of 40, behind a switch.
func TestSlowLink(t *testing.T) {
	const ns = unit.Nanosecond
	f := crossing(data(0), 0, [4]unit.Time{uplink, 0, 8 * ns, ns}, [4]unit.Time{switchPort, 40 * ns, 80 * ns, ns}, [4]unit.Time{back, 0, 8 * ns, ns})
	f.Size, f.Opening = 1000, &Opening{At: 0}
	a := Build(&Trace{End: f.Delivered, Finished: true, Last: f, Frames: []*Frame{f}, Uplink: uplink})
	if len(a.Slow) != 1 || a.Slow[0] != (SlowLink{switchPort, 100 * unit.Gbps, 1000 * unit.Gbps, 120 * ns}) {
		t.Errorf("slow links are %+v", a.Slow)
	}
}
