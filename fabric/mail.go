package fabric

import (
	"cmp"

	"weft/internal/packet"
	"weft/sim"
)

// mailbox holds what is sent to one domain.
type mailbox struct {
	frames  []flight
	views   packet.Views // of frames
	signals []Signal
	notices []posted
}

// mail holds what a domain sends to others, and its hosts' signals.
type mail struct {
	post     *post
	self     int32     // the domain's number
	out      []mailbox // of the current window, by receiving domain
	exported sim.Time  // earliest arrival at another domain
	signals  signals
}

// signals holds what hosts need to signal to each other.
type signals struct {
	delay    sim.Time // 0 without signals; the fields below are then unset
	receiver SignalReceiver
	hosts    []place // of the network; shared, read only
}

// post is the mail of a whole network: one box per worker, parity and receiving domain. The
// frames of a link come from one domain and stay in order, whichever worker runs it.
type post [][2][]mailbox

// export hands a frame with its arrival time to the domain at the end of the wire, which
// may be this one. If the frame is in this domain's store (id is not gone), it leaves it.
func (d *Domain) export(p *port, f *Frame, id FrameID, arrives sim.Time) *flight {
	if int32(p.remote) == d.mail.self {
		c := d.swept.wheel.put(arrives)
		c.wire, c.frame = p.wire, *f
		d.sched.Expect(arrives)
		if id != gone {
			d.Leave(id) // its views stay with the frame
		}
		return c
	}
	box := &d.mail.out[p.remote]
	n := len(box.frames)
	if n == cap(box.frames) {
		box.frames = append(box.frames, flight{})
	}
	box.frames = box.frames[:n+1]
	c := &box.frames[n]
	c.arrives, c.wire, c.frame = arrives, p.wire, *f
	if f.Flags&packet.Extended != 0 {
		d.Export(&c.frame, &box.views)
	}
	if id != gone {
		d.Leave(id)
	}
	d.mail.exported = min(d.mail.exported, arrives)
	return c
}

// collect puts the frames sent to this domain onto its wires, and delivers notices and signals.
func (d *Domain) collect(box *mailbox) {
	for i := range box.frames {
		c := &box.frames[i]
		if c.frame.Flags&packet.Extended != 0 {
			d.Import(&c.frame, &box.views)
		}
		if d.swept.sweeping && c.wire < d.numbers.hostWires {
			*d.swept.wheel.put(c.arrives) = *c
			d.sched.Expect(c.arrives)
			continue
		}
		id := d.Take()
		d.Packets[id] = c.frame
		w := &d.wires[c.wire]
		t := w.push()
		t.departs, t.bytes, t.class = c.arrives-w.delay, c.frame.Size, c.frame.Priority()
		t.frame, t.lost = id, false
		if w.tail-w.head == 1 {
			d.scheduleArrival(c.wire, c.arrives)
		}
	}
	box.frames = box.frames[:0]
	box.views.Reset()
	for _, n := range box.notices {
		d.hooks.notices.addNotice(n.port, n.notice)
	}
	box.notices = box.notices[:0]
	for _, s := range box.signals {
		d.mail.signals.receiver.Signalled(d.mail.signals.hosts[s.Dst].index, s)
	}
	box.signals = box.signals[:0]
}

// Signal is a message from one host to another outside the network. It uses no link
// and no bandwidth, and always takes Config.SignalDelay.
type Signal struct {
	// At is when the signal takes effect.
	At sim.Time
	// Src and Dst are host indices.
	Src, Dst int32
	// Number distinguishes the signals of one host and determines their order.
	Number uint32
	// Group and Value are for the transport.
	Group int32
	Value uint32
}

// Compare orders the signals to a host by when they take effect. The order does not
// depend on how the network is partitioned.
func (s Signal) Compare(o Signal) int {
	return cmp.Or(cmp.Compare(s.At, o.At), cmp.Compare(s.Src, o.Src), cmp.Compare(s.Number, o.Number))
}

// SignalReceiver is an endpoint that receives signals. Signalled is called for a
// host of its domain before the signal takes effect, in no particular order.
type SignalReceiver interface{ Signalled(host int32, s Signal) }
