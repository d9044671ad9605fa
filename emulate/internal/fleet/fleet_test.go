package fleet

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"weft/catalog"
	"weft/protocol"
	"weft/protocol/congestion"
	"weft/protocol/entropy"
	"weft/protocol/sird"
	"weft/transport"
	"weft/unit"
	"weft/wire"
)

const hosts = 3

// over returns a fleet on the loopback.
func over(t *testing.T) Config {
	t.Helper()
	control, err := sird.Entries()[0].BuildDefault()
	if err != nil {
		t.Fatal(err)
	}
	ops, err := catalog.BuildDefault(entropy.Entries(), "ops")
	if err != nil {
		t.Fatal(err)
	}
	return Config{
		Hosts: []string{"a", "b", "c"}, Addr: func(int) netip.Addr { return netip.AddrFrom4([4]byte{127, 0, 0, 1}) },
		Rate: func(int) unit.Rate { return unit.Gbps }, In: func(_ int, f func() error) error { return f() },
		Transport: wire.Custom{Name: "sird", Control: control, Balancer: ops}, RTT: 100 * time.Microsecond, Datagram: 1452, Memory: 64 * unit.MB,
	}
}

// TestFleet: messages of all pairs arrive once and are confirmed, and each says which it is.
func TestFleet(t *testing.T) {
	defer goleak.VerifyNone(t)
	f, err := Open(over(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := f.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	began, woken := time.Now(), make(chan struct{}, 1)
	f.Begin(func() unit.Time { return unit.Time(time.Since(began)) * unit.Nanosecond }, func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	under := map[string]int{}
	name := func(m transport.Carried) string { return fmt.Sprint(m.Group, m.Src, m.Dst, m.Ordinal) }
	for i := range uint64(20) {
		for src := range int32(hosts) {
			m := transport.Carried{Group: int(i % 3), Src: src, Dst: (src + 1 + int32(i%2)) % hosts, Ordinal: i, Size: unit.Bytes(1 + i*9_000)}
			under[name(m)] = 0
			f.Start(0, m)
		}
	}
	for left := 2 * len(under); left > 0; {
		select {
		case <-woken:
		case <-ctx.Done():
			t.Fatalf("%d are missing", left)
		}
		if err := f.Settle(func(m transport.Carried, at unit.Time, arrived bool) bool {
			bit := 1
			if arrived {
				bit = 2
			}
			was, sent := under[name(m)]
			if !sent || was&bit != 0 || at <= 0 {
				t.Errorf("%+v at %v: sent %v, and came before: %b", m, at, sent, was)
			}
			under[name(m)] |= bit
			left--
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	if got := f.Told(); got.Packets < 60 || got.Unsent > 0 || got.Timeouts > got.Packets || got.RTTs != nil {
		t.Errorf("%+v", got)
	}
	f.Window(true) // all came before
	f.Window(false)
	if got := f.Told(); got.Packets != 0 || got.PacketsMarked != 0 || got.Timeouts != 0 {
		t.Errorf("in a window without messages %+v", got)
	}
	if c, ok := f.Credit(); !ok || c.AtReceivers <= 0 {
		t.Errorf("%+v", c)
	}
	if f.Blocked() {
		t.Error("it was blocked")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("again: %v", err)
	}
}

// connected is a fleet whose endpoints have found each other, until the test ends. The context ends after the limit.
func connected(t *testing.T, c Config, limit time.Duration) (*Fleet, context.Context) {
	t.Helper()
	f, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	if err := f.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	return f, ctx
}

// TestFailures: a message that nobody knows, one that cannot be sent, and too many at once are told.
func TestFailures(t *testing.T) {
	f, ctx := connected(t, over(t), 10*time.Second)
	var notes atomic.Int32
	f.Begin(func() unit.Time { return 1 }, func() { notes.Add(1) })
	await := func(n int32) {
		for notes.Load() < n && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}
	f.Start(0, transport.Carried{Src: 0, Dst: 1, Size: 100})
	await(2)
	if err := f.Settle(func(transport.Carried, unit.Time, bool) bool { return false }); err == nil || !strings.Contains(err.Error(), "which did not send it") {
		t.Error(err)
	}
	f.Start(0, transport.Carried{Src: 0, Dst: 2, Size: 70 * unit.MB}) // above its memory
	await(3)
	if err := f.Settle(func(transport.Carried, unit.Time, bool) bool { return true }); err == nil || !strings.Contains(err.Error(), "message 0 from a to c: ") {
		t.Error(err)
	}
	for i := range uint64(3) {
		f.Start(0, transport.Carried{Src: 0, Dst: 2, Ordinal: i, Size: 30 * unit.MB})
	}
	if !f.Blocked() {
		t.Error("90 MB fit into 64 MB")
	}
}

// TestSizes: what cannot be is refused before anything is opened.
func TestSizes(t *testing.T) {
	c := over(t)
	if payload, header, err := Sizes(&c, 2); err != nil || payload != 1382 || header != 156 {
		t.Error(payload, header, err)
	}
	rate := c.Rate
	c.Rate = func(h int) unit.Rate { return unit.Rate(1-h) * unit.Gbps }
	if _, _, err := Sizes(&c, 2); err == nil {
		t.Error("a link of -1 Gb/s is taken")
	}
	c.Rate, c.Transport.Control = rate, protocol.CongestionControl{}
	if _, _, err := Sizes(&c, 0); err == nil {
		t.Error("no transport is taken")
	}
}

// TestRoundTrips: connections tell of round trips, those in the window alone.
func TestRoundTrips(t *testing.T) {
	c := over(t)
	control, err := catalog.BuildDefault(congestion.Entries(), "dctcp")
	if err != nil {
		t.Fatal(err)
	}
	c.Transport = wire.Custom{Name: "dctcp", Control: control, Balancer: c.Transport.Balancer}
	f, ctx := connected(t, c, 10*time.Second)
	var notes atomic.Int32
	f.Begin(func() unit.Time { return 1 }, func() { notes.Add(1) })
	send := func(n int32) {
		before := notes.Load()
		for i := range n {
			f.Start(0, transport.Carried{Src: i % hosts, Dst: (i + 1) % hosts, Ordinal: uint64(i), Size: 100_000})
		}
		for notes.Load() < before+2*n && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}
	send(9)
	all := f.Told().RTTs
	f.Window(true)
	f.told.reading.Wait()
	send(3)
	part := f.Told().RTTs
	if all.Count() < 50 || part.Count() == 0 || part.Count() >= all.Count() || part.PerMille(500) <= 0 {
		t.Errorf("%d round trips before, and %d in the window, of %v", all.Count(), part.Count(), part.PerMille(500))
	}
}
