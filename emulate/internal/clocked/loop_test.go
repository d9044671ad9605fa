package clocked

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"weft/emulate/internal/bridge"
	"weft/emulate/internal/netns"
	"weft/fabric"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

const (
	rate = unit.Gbps
	mtu  = 1500
)

// world is a tap with a clock that goes on only while somebody waits, and a little with each look.
type world struct {
	now       time.Duration
	look      time.Duration // how long each look at the clock takes
	oversleep time.Duration // how much longer than asked a wait takes
	come      []netns.Packet
	written   []written
	full      bool // the kernel takes nothing
	// stall is how long the thread loses its processor, once, between a look at the clock from stallAt on and what it reads.
	stall, stallAt time.Duration
	waits          int
}

type written struct {
	at   time.Duration
	host int32
	port uint16
}

func (w *world) clock() time.Duration {
	w.now += w.look
	return w.now
}

func (w *world) Read(batch []netns.Packet) (n int, err error) {
	if w.stall > 0 && w.now >= w.stallAt {
		w.now += w.stall
		w.stall = 0
	}
	for n < len(batch) && len(w.come) > 0 && w.come[0].At <= w.now {
		p := w.come[0]
		w.come = w.come[1:]
		batch[n].Host, batch[n].At, batch[n].Data = p.Host, p.At, append(batch[n].Data[:0], p.Data...)
		n++
	}
	return n, nil
}

func (w *world) Write(batch []netns.Packet) (int, error) {
	if w.full {
		return 0, nil
	}
	for _, p := range batch {
		w.written = append(w.written, written{w.now, p.Host, binary.BigEndian.Uint16(p.Data[34:])})
	}
	return len(batch), nil
}

func (w *world) Wait(d time.Duration) (bool, error) {
	w.waits++
	until := w.now + d + w.oversleep
	if len(w.come) > 0 {
		until = max(w.now, min(until, w.come[0].At))
	}
	w.now = until
	return len(w.come) > 0 && w.come[0].At <= w.now, nil
}

// packet is one of UDP from a host to another, as large as can be.
func packet(at time.Duration, from, to int32, port uint16) netns.Packet {
	p := make([]byte, netns.Header+mtu)
	p[12] = 8
	ip := p[netns.Header:]
	ip[0] = 0x45
	binary.BigEndian.PutUint16(ip[2:], mtu)
	ip[9] = 17
	to4 := netns.Addr(int(to)).As4()
	copy(ip[16:], to4[:])
	binary.BigEndian.PutUint16(ip[20:], port)
	return netns.Packet{Host: from, At: at, Data: p}
}

// star is a loop over a switch.
func star(t *testing.T, w *world, over <-chan struct{}) (*Loop, *fabric.Network) {
	t.Helper()
	g, err := topo.Star{Hosts: 3, Rate: rate, Delay: 10 * unit.Microsecond}.Build()
	if err != nil {
		t.Fatal(err)
	}
	tables, err := route.Minimal(g, route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var down []bridge.Link
	for _, h := range g.Hosts {
		up := g.Adjacency().Ports(h)[0]
		down = append(down, bridge.Link{Port: up.Reverse(), Delay: g.Links[up.Link()].Delay})
	}
	b, err := bridge.New(bridge.Config{MTU: mtu, Down: down, Queue: unit.MiB, Find: func(a netip.Addr) (int32, bool) {
		h, ok := netns.HostOf(a)
		return int32(h), ok && h < 3
	}})
	if err != nil {
		t.Fatal(err)
	}
	l := New(Config{Bridge: b, Tap: w, Clock: w.clock, MTU: mtu, Rates: []unit.Rate{rate, rate, rate}, Over: over})
	n, err := fabric.New(fabric.Config{
		Graph: g, Tables: tables, Domain: topo.Partition(g, 1), Queue: sim.Calendar,
		Port:     func(topo.PortID) fabric.PortConfig { return fabric.PortConfig{Limit: unit.MiB} },
		Endpoint: l.Attach, Follow: l.Follower(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, n
}

// way is the time of a lone packet through the switch, rounded up as the clock counts.
const way = 2*(12304*time.Nanosecond) + 20*time.Microsecond

// TestOnTime: where nothing takes time but waiting, each packet is written when it is due, and none is late.
func TestOnTime(t *testing.T) {
	start := 5 * time.Second
	w := &world{now: start}
	for i := range 50 {
		w.come = append(w.come, packet(start+time.Duration(i)*100*time.Microsecond+7, 0, 1, uint16(i)))
	}
	l, n := star(t, w, nil)
	now, over, err := l.Advance(t.Context(), n, unit.Second)
	if now != unit.Second || over || err != nil {
		t.Fatal(now, over, err)
	}
	if len(w.written) != 50 {
		t.Fatalf("%d written", len(w.written))
	}
	for i, p := range w.written {
		want := start + time.Duration(i)*100*time.Microsecond + 7 + way
		if p.host != 1 || p.port != uint16(i) || p.at < want || p.at > want+2 {
			t.Errorf("packet %d: %+v, want it at %v", i, p, want)
		}
	}
	// One wait for the packet, one until it must be on the link to its host, and one until it is there; and looks at the context.
	if most := 3*50 + 60; w.waits > most {
		t.Errorf("%d waits for 50 packets, want %d at most", w.waits, most)
	}
	if l.Late.Times.Count() != 50 || l.Late.Worst > 2*unit.Nanosecond {
		t.Errorf("late by %v", l.Late.Worst)
	}
}

// TestLateness: what the machine adds is what is measured, at both ends.
func TestLateness(t *testing.T) {
	w := &world{oversleep: 3 * time.Microsecond}
	for i := range 50 {
		w.come = append(w.come, packet(time.Duration(i)*100*time.Microsecond, 0, 1, uint16(i)))
	}
	l, n := star(t, w, nil)
	if _, _, err := l.Advance(t.Context(), n, unit.Second); err != nil {
		t.Fatal(err)
	}
	for i, p := range w.written {
		late := p.at - (time.Duration(i)*100*time.Microsecond + way)
		if late < 0 || late > 4*time.Microsecond {
			t.Errorf("packet %d was written %v late", i, late)
		}
	}
	if p50 := l.Late.Times.PerMille(500) / 1000; p50 < 2000 || p50 > 4000 {
		t.Errorf("the median is %d ns late, want 2000 to 4000", p50)
	}
	if p50 := l.Late.Frames[1].PerMille(500) / 1000; p50 < 160 || p50 > 330 { // a packet takes 12.3 us
		t.Errorf("the median is %d thousandths of a packet late", p50)
	}
}

// TestNap: who wakes early and looks until it is time is late by a look, though sleep takes longer than it should.
func TestNap(t *testing.T) {
	w := &world{look: 50 * time.Nanosecond, oversleep: 40 * time.Microsecond}
	for i := range 20 {
		w.come = append(w.come, packet(time.Duration(i)*200*time.Microsecond, 0, 1, uint16(i)))
	}
	l, n := star(t, w, nil)
	l.config.Nap = 50 * time.Microsecond
	if _, _, err := l.Advance(t.Context(), n, 5*unit.Millisecond); err != nil {
		t.Fatal(err)
	}
	if len(w.written) != 20 || l.Late.Worst > unit.Microsecond {
		t.Errorf("%d written, late by %v at most", len(w.written), l.Late.Worst)
	}
}

// TestExactArrivals: packets that were read at once, and late, cross the fabric at the times at which they came.
func TestExactArrivals(t *testing.T) {
	w := &world{look: 200 * time.Nanosecond}
	// Two hosts send to the third in turn, so that nothing waits but by the time of a packet. All is read at the first look.
	for i := range 20 {
		w.come = append(w.come, packet(time.Duration(i)*13*time.Microsecond, int32(i%2), 2, uint16(i)))
	}
	l, n := star(t, w, nil)
	w.oversleep = 300 * time.Microsecond
	if _, _, err := l.Advance(t.Context(), n, unit.Second); err != nil {
		t.Fatal(err)
	}
	if c := l.config.Bridge.Counts; c.Left != 20 || c.Dropped != 0 {
		t.Fatalf("%+v", c)
	}
	if got := n.QueueMax(toHost(n, 2), unit.Second); got > 2*(mtu+38) {
		t.Errorf("%d B waited, though packets came one by one", got)
	}
}

// TestStall: packets that came while the thread had lost its processor cross the fabric at the times at which they came, and
// not at that at which it last looked at the clock, also where a slice of the run ended meanwhile.
func TestStall(t *testing.T) {
	for _, slice := range []unit.Time{unit.Second, 300 * unit.Microsecond} {
		w := &world{look: 200 * time.Nanosecond, stallAt: 20 * time.Microsecond, stall: 500 * time.Microsecond}
		for i := range 40 {
			w.come = append(w.come, packet(time.Duration(i)*13*time.Microsecond, int32(i%2), 2, uint16(i)))
		}
		l, n := star(t, w, nil)
		for end := slice; end <= 3*slice; end += slice {
			if _, _, err := l.Advance(t.Context(), n, end); err != nil {
				t.Fatal(err)
			}
		}
		if c := l.config.Bridge.Counts; c.Left != 40 || c.Dropped != 0 {
			t.Fatalf("%+v", c)
		}
		if got := n.QueueMax(toHost(n, 2), unit.Second); got > 2*(mtu+38) {
			t.Errorf("slices of %v: %d B waited, though packets came one by one", slice, got)
		}
	}
}

// errands is what hosts do at times.
type errands struct {
	due     []unit.Time
	settled []unit.Time // of the first that was due
	calls   int
	err     error
}

func (e *errands) Next() unit.Time {
	if len(e.due) == 0 {
		return unit.Forever
	}
	return e.due[0]
}

func (e *errands) Settle(now unit.Time) error {
	e.calls++
	for len(e.due) > 0 && e.due[0] <= now {
		e.settled, e.due = append(e.settled, now), e.due[1:]
	}
	return e.err
}

// TestBeside: what hosts do beside is settled when it is due, though no packet comes, also where a slice of the run ends, and an
// error ends the run.
func TestBeside(t *testing.T) {
	w := &world{look: 200 * time.Nanosecond}
	l, n := star(t, w, nil)
	due := []unit.Time{0, 100 * unit.Microsecond, 100 * unit.Microsecond, 777 * unit.Microsecond, unit.Millisecond}
	e := &errands{due: slices.Clone(due)}
	l.config.Beside = e
	for end := unit.Millisecond / 4; end <= 5*unit.Millisecond/4; end += unit.Millisecond / 4 {
		if _, _, err := l.Advance(t.Context(), n, end); err != nil {
			t.Fatal(err)
		}
	}
	if len(e.settled) != len(due) {
		t.Fatalf("settled at %v", e.settled)
	}
	for i, at := range e.settled {
		if at < due[i] || at > due[i]+2*unit.Microsecond {
			t.Errorf("what was due at %v was settled at %v", due[i], at)
		}
	}
	if e.calls > 100 {
		t.Errorf("%d calls for %d times", e.calls, len(due))
	}
	e.err = errors.New("broken")
	if _, _, err := l.Advance(t.Context(), n, 2*unit.Millisecond); !errors.Is(err, e.err) {
		t.Errorf("the run goes on: %v", err)
	}
}

// toHost returns the port of the switch to a host of the star.
func toHost(n *fabric.Network, host int32) topo.PortID {
	path, _ := n.Path((host+1)%3, host, 0)
	return path[len(path)-1]
}

// TestEnds: the loop ends with its context, at a time, and when nothing more is to come.
func TestEnds(t *testing.T) {
	w := &world{}
	over := make(chan struct{})
	l, n := star(t, w, over)
	if now, done, err := l.Advance(t.Context(), n, 3*unit.Millisecond); now != 3*unit.Millisecond || done || err != nil {
		t.Error(now, done, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if now, done, err := l.Advance(ctx, n, unit.Second); now < 3*unit.Millisecond || now > 4*unit.Millisecond || done || err != nil {
		t.Error(now, done, err)
	}
	close(over)
	if now, done, err := l.Advance(t.Context(), n, unit.Second); now > 4*unit.Millisecond || !done || err != nil {
		t.Error(now, done, err)
	}
}

// TestFullKernel: what the kernel does not take is lost and counted, and the loop goes on.
func TestFullKernel(t *testing.T) {
	w := &world{full: true, come: []netns.Packet{packet(0, 0, 1, 1), packet(0, 0, 1, 2)}}
	l, n := star(t, w, nil)
	if _, _, err := l.Advance(t.Context(), n, unit.Second); err != nil {
		t.Fatal(err)
	}
	if l.Failed != 2 || l.Late.Times.Count() != 0 {
		t.Errorf("%d failed, %d are counted as written", l.Failed, l.Late.Times.Count())
	}
}
