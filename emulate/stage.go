package emulate

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"time"

	"weft/emulate/internal/bridge"
	"weft/emulate/internal/clocked"
	"weft/emulate/internal/netns"
	"weft/internal/histogram"
	"weft/record"
	"weft/record/section/lateness"
	"weft/scenario"
	"weft/unit"
)

// stage is the hosts of a fabric, and the tap that reads and writes for them.
type stage struct {
	scenario *scenario.Scenario
	fabric   *scenario.LiveFabric
	names    []string
	mtu      int
	queue    unit.Bytes
	hosts    *netns.Hosts
	tap      *netns.Tap
	start    time.Time
	notes    []string
}

// prepare builds the hosts of a fabric, unless this machine cannot carry it. Hosts' kernels
// limit sending to the rates of their links, unless the senders keep to those rates themselves.
func prepare(s *scenario.Scenario, f *scenario.LiveFabric, space *Space, queue unit.Bytes, keepsRate bool) (*stage, error) {
	st := &stage{scenario: s, fabric: f, mtu: int(f.Frame - bridge.Overhead), queue: cmp.Or(queue, nicFrames*f.Frame)}
	var rates []unit.Rate
	for _, h := range f.Hosts {
		st.names = append(st.names, h.Name)
		if !keepsRate {
			rates = append(rates, h.Rate)
		}
	}
	perSecond, err := Forwards(space, f.Frame)
	if err != nil {
		return nil, err
	}
	note, err := keepUp(s, f, perSecond)
	if err != nil {
		return nil, err
	}
	if st.hosts, err = space.Build(netns.Options{Names: st.names, MTU: st.mtu, Rates: rates}); err != nil {
		return nil, fmt.Errorf("build the hosts: %w", err)
	}
	if err := st.hosts.Names(); err != nil {
		st.close()
		return nil, fmt.Errorf("name the hosts: %w", err)
	}
	st.start = time.Now()
	if st.tap, err = st.hosts.Tap(netns.TapOptions{Start: st.start}); err != nil {
		st.close()
		return nil, err
	}
	st.notes = st.hosts.Notes()
	if note != "" {
		st.notes = append(st.notes, note)
	}
	return st, nil
}

func (st *stage) close() {
	if st.tap != nil {
		_ = st.tap.Close()
	}
	st.hosts.Close()
}

// loop returns a new fabric without packets, and the loop that makes it follow the clock.
func (st *stage) loop(begun func(), over <-chan struct{}, beside clocked.Beside) (*clocked.Loop, error) {
	f := st.fabric
	links, rates := make([]bridge.Link, len(f.Hosts)), make([]unit.Rate, len(f.Hosts))
	for i, h := range f.Hosts {
		rates[i], links[i] = h.Rate, bridge.Link{Port: h.Down, Delay: h.Delay}
	}
	b, err := bridge.New(bridge.Config{
		MTU: unit.Bytes(st.mtu), Spray: f.Spray, Down: links, Queue: st.queue,
		Find: func(a netip.Addr) (int32, bool) {
			h, ok := netns.HostOf(a)
			return int32(h), ok && h < len(f.Hosts)
		},
	})
	if err != nil {
		return nil, err
	}
	rest := nap
	if runtime.NumCPU() > 1 { // the loop gets a processor of its own
		rest = always
	}
	return clocked.New(clocked.Config{
		Bridge: b, Tap: st.tap, Clock: func() time.Duration { return time.Since(st.start) }, MTU: st.mtu,
		Rates: rates, Nap: rest, Begun: begun, Over: over, Beside: beside,
	}), nil
}

// run makes a fabric follow the clock on this thread, which sleeps exactly.
func (st *stage) run(ctx context.Context, loop *clocked.Loop, live scenario.Live, o scenario.RunOptions) (*Result, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	notes := st.notes
	if err := netns.ExactSleep(); err != nil {
		notes = append(notes[:len(notes):len(notes)], fmt.Sprintf("waits are some 50 us longer than they should be: %v", err))
	}
	shared, err := netns.Isolate()
	if err != nil {
		return nil, err
	}
	defer shared()
	before, unknown := st.lost()
	drops := st.tap.Drops()
	o.Live = live
	res, err := scenario.Run(ctx, st.scenario, o)
	if err != nil {
		return nil, err
	}
	var kernels losses
	after, err := st.lost()
	if err = cmp.Or(unknown, err); err != nil {
		notes = append(notes, fmt.Sprintf("what kernels of hosts dropped is not known: %v", err))
	} else {
		kernels = after.since(before)
	}
	r := &Result{
		Result: res, Late: st.late(loop), Packets: loop.Packets(), Lost: st.tap.Drops() - drops, Untaken: loop.Failed,
		Overrun: kernels.Queued, SentLost: kernels.Sent, ReceivedLost: kernels.Received, Notes: notes,
	}
	for h, n := range kernels.unread {
		if n > 0 {
			r.Unread = append(r.Unread, Unread{st.names[h], n})
		}
	}
	r.Late.Lost = r.Lost + r.SentLost + r.ReceivedLost + r.Untaken
	return r, nil
}

// losses counts what hosts' kernels have dropped: frames and, by host, datagrams
// for which sockets had no room.
type losses struct {
	netns.Lost
	unread []uint64
}

func (st *stage) lost() (l losses, err error) {
	if l.Lost, err = st.hosts.Lost(); err != nil {
		return l, err
	}
	l.unread, err = st.hosts.Unread()
	return l, err
}

// since returns what was lost after an earlier count.
func (l losses) since(before losses) losses {
	l.Lost = l.Lost.Since(before.Lost)
	for h, n := range before.unread {
		l.unread[h] -= n
	}
	return l
}

// leastOfPort is the number of packets from which a link's own 99th percentile is reported.
const leastOfPort = 1000

// late summarises the lateness that a loop measured.
func (st *stage) late(loop *clocked.Loop) *lateness.Late {
	l := &loop.Late
	late := &lateness.Late{
		Packets: l.Times.Count(), P50: unit.Time(l.Times.PerMille(500)), P99: unit.Time(l.Times.PerMille(990)), Worst: l.Worst,
	}
	var frames histogram.Histogram
	for h := range l.Frames {
		one := &l.Frames[h]
		frames.Merge(one)
		if p99 := share(one, 990); one.Count() >= leastOfPort && p99 > late.PortFrame {
			late.PortFrame, late.Port = p99, st.fabric.Hosts[h].Link
		}
	}
	late.P50Frame, late.P99Frame = share(&frames, 500), share(&frames, 990)
	return late
}

// share returns a percentile of lateness in multiples of the time of a full frame.
func share(h *histogram.Histogram, perMille uint64) float64 {
	return float64(h.PerMille(perMille)) / 1e6
}

// conclude adds the section on lateness to the result.
func (r *Result) conclude() {
	r.Summary.Sections.Add(r.Late)
	if why := r.Late.Void(); why != "" {
		text := why + ": give links lower rates, frames more bytes (transport.payload), or the machine less else to do"
		r.Summary.Noted = append(r.Summary.Noted, record.Notice{Kind: record.NoticeVoid, Text: text})
		r.Manifest.Notices = append(r.Manifest.Notices, text)
	}
}
