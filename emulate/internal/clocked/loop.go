package clocked

import (
	"context"
	"time"

	"weft/emulate/internal/bridge"
	"weft/emulate/internal/netns"
	"weft/fabric"
	"weft/internal/histogram"
	"weft/unit"
)

// tap is the source and sink of the hosts' packets.
type tap interface {
	// Read reads the packets that are there; it returns 0 if there are none.
	Read(batch []netns.Packet) (int, error)
	// Write writes the leading packets for which the kernel has room.
	Write(batch []netns.Packet) (int, error)
	// Wait waits for something to read, at most for the given time.
	Wait(time.Duration) (bool, error)
}

// Config describes a loop.
type Config struct {
	Bridge *bridge.Bridge
	Tap    tap
	// Clock is the clock of the tap's timestamps. The fabric's time begins with the first Advance.
	Clock func() time.Duration
	// MTU is the largest packet.
	MTU int
	// Rates are the rates of the hosts' links.
	Rates []unit.Rate
	// Nap is how long a thread may oversleep. Waits end early by Nap. The rest of a
	// wait, and any shorter wait, is spent polling, which needs no system call.
	Nap time.Duration
	// Begun, if not nil, is called when the fabric starts to carry packets, at its time 0.
	Begun func()
	// Over, if not nil, is closed when nothing remains to be carried.
	Over <-chan struct{}
	// Beside, if not nil, acts at hosts in addition to their packets.
	Beside Beside
}

// Beside acts at hosts of a fabric, in addition to their packets, at times that the fabric knows.
type Beside interface {
	// Next returns when a host acts next, or Forever.
	Next() unit.Time
	// Settle informs the fabric, at the engine's current time, of events outside.
	Settle(now unit.Time) error
}

// Late is the lateness of packets.
type Late struct {
	// Times has the lateness of all packets. Frames has each host's, in millionths of
	// the time that a full packet takes on its link.
	Times  histogram.Histogram
	Frames []histogram.Histogram
	Worst  unit.Time
}

// Loop carries packets at the pace of the clock. It is not safe for concurrent use.
type Loop struct {
	config Config
	in     []netns.Packet
	out    []netns.Packet
	// next is the first packet of in that has not entered; got is the number read.
	next, got int
	zero      time.Duration // when the fabric began, by the clock
	begun     bool
	ran       unit.Time // time up to which the engine has run
	// Late is the lateness so far.
	Late Late
	// Failed counts packets that the kernel did not accept for their host.
	Failed uint64
}

// batch is how many packets one call reads or writes.
const batch = 64

// New returns a loop.
func New(c Config) *Loop {
	return &Loop{config: c, Late: Late{Frames: make([]histogram.Histogram, len(c.Rates))}, in: netns.NewBatch(batch, c.MTU), out: make([]netns.Packet, 0, batch)}
}

// Attach implements scenario.Live, as do Follower and Advance.
func (l *Loop) Attach(d *fabric.Domain) fabric.Endpoint { return l.config.Bridge.Attach(d) }

// AttachBeside does what Attach does, for hosts with another endpoint.
func (l *Loop) AttachBeside(d *fabric.Domain, other fabric.Endpoint) fabric.Endpoint {
	return l.config.Bridge.AttachBeside(d, other)
}

// Follower returns the bridge's Follower.
func (l *Loop) Follower() fabric.Follower { return l.config.Bridge.Follower() }

// Packets returns the bridge's counts so far.
func (l *Loop) Packets() bridge.Counts { return l.config.Bridge.Counts }

// look is the longest wait before the loop checks its context again.
const look = 20 * time.Millisecond

// Advance carries packets until the given time, or until the context or the loop is over.
func (l *Loop) Advance(ctx context.Context, n *fabric.Network, until unit.Time) (now unit.Time, over bool, err error) {
	if !l.begun {
		l.begun, l.zero = true, l.config.Clock()
		if l.config.Begun != nil {
			l.config.Begun()
		}
	}
	for {
		now = l.Now()
		if now >= until || ctx.Err() != nil || l.over() {
			over = now < until && ctx.Err() == nil
			now = max(min(now, until), l.ran)
			if err := l.take(n, now); err != nil {
				return l.ran, false, err
			}
			n.Run(now, 1)
			l.ran = now
			if err := l.settle(); err != nil {
				return now, over, err
			}
			return now, over, l.hand()
		}
		if err := l.take(n, until); err != nil {
			return l.ran, false, err
		}
		l.ran = max(now+1, l.ran) // including what is due at this instant
		n.Run(l.ran, 1)
		if err := l.settle(); err != nil {
			return l.ran, false, err
		}
		if err := l.hand(); err != nil {
			return l.ran, false, err
		}
		if err := l.wait(n, until); err != nil {
			return l.ran, false, err
		}
	}
}

// settle informs the fabric of events outside. What they cause is due now, so the
// next round starts at once.
func (l *Loop) settle() error {
	if l.config.Beside == nil {
		return nil
	}
	return l.config.Beside.Settle(l.ran)
}

func (l *Loop) over() bool {
	select {
	case <-l.config.Over:
		return true
	default:
		return false
	}
}

// Now returns the clock's time in the fabric's units. Once the fabric has begun,
// any goroutine may call it.
func (l *Loop) Now() unit.Time { return l.at(l.config.Clock()) }

// at converts a time of the clock to the fabric's time.
func (l *Loop) at(t time.Duration) unit.Time {
	return unit.Time((t - l.zero).Nanoseconds()) * unit.Nanosecond
}

// take lets all available packets enter at the times at which they came. Packets
// that came after until stay for the next call.
func (l *Loop) take(n *fabric.Network, until unit.Time) error {
	for {
		for ; l.next < l.got; l.next++ {
			p := &l.in[l.next]
			came := l.at(p.At)
			if came > until {
				return nil
			}
			at := max(came, l.ran)
			if at > l.ran {
				n.Run(at, 1)
				l.ran = at
			}
			l.config.Bridge.Enter(at, at-max(0, came), p.Host, p.Data) // a packet from before the fabric began is not late
		}
		if l.got > 0 && l.got < len(l.in) {
			l.next, l.got = 0, 0
			return nil
		}
		got, err := l.config.Tap.Read(l.in)
		l.next, l.got = 0, got
		if err != nil || got == 0 {
			return err
		}
	}
}

// hand writes the packets that have reached their hosts.
func (l *Loop) hand() error {
	b := l.config.Bridge
	for len(b.Leaving()) > 0 {
		leaving := b.Leaving()
		leaving = leaving[:min(len(leaving), batch)]
		l.out = l.out[:0]
		for i := range leaving {
			l.out = append(l.out, netns.Packet{Host: leaving[i].Host, Data: leaving[i].Frame})
		}
		sent, err := l.config.Tap.Write(l.out)
		if err != nil {
			return err
		}
		if sent == 0 { // the kernel has no room, as if the link to the host had lost the packet
			l.Failed++
			b.Done(1)
			continue
		}
		now := l.Now()
		for i := range leaving[:sent] {
			l.note(&leaving[i], now)
		}
		b.Done(sent)
	}
	return nil
}

// note records how late a packet was.
func (l *Loop) note(d *bridge.Departure, written unit.Time) {
	late := max(0, written-d.Due) + d.Late
	frame := l.config.Rates[d.Host].Transmit(unit.Bytes(l.config.MTU) + bridge.Overhead)
	l.Late.Times.Add(int64(late))
	l.Late.Frames[d.Host].Add(int64(float64(late) / float64(max(1, frame)) * 1e6))
	l.Late.Worst = max(l.Late.Worst, late)
}

// wait waits until a packet comes or something is due.
func (l *Loop) wait(n *fabric.Network, until unit.Time) error {
	due := min(l.config.Bridge.Due(l.ran, n.Next()), until)
	if l.config.Beside != nil {
		due = min(due, l.config.Beside.Next())
	}
	left := look
	if due < unit.Forever {
		left = min(look, time.Duration((due-l.Now()+unit.Nanosecond-1)/unit.Nanosecond)-l.config.Nap)
	}
	if left <= 0 {
		return nil
	}
	_, err := l.config.Tap.Wait(left)
	return err
}
