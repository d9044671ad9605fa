package netns

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"weft/unit"
)

// held makes two hosts, the first of which sends at a rate, or skips the test where kernels cannot.
func held(t *testing.T, rate unit.Rate) *Hosts {
	t.Helper()
	inside(t)
	h, err := space.Build(Options{Names: names(2), Rates: []unit.Rate{rate, 0}})
	if errors.Is(err, errUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	if h.rates == nil {
		t.Skip(h.Notes())
	}
	return h
}

// TestHeldBack: a kernel never sends more than its link carries and its bucket holds, and no less than the link carries.
func TestHeldBack(t *testing.T) {
	const rate, frame = 20 * unit.Mbps, 14 + 20 + 8 + 1000
	h := held(t, rate)
	tap, err := h.Tap(TapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer tap.Close()
	stop := blast(t, h, 1000)
	defer stop()
	// Credit is what the bucket had to hold at least.
	batch, n, first, last, credit, most := NewBatch(64, 1500), 0, time.Duration(0), time.Duration(0), 0.0, 0.0
	for last-first < 500*time.Millisecond {
		if _, err := tap.Wait(time.Second); err != nil {
			t.Fatal(err)
		}
		got, err := tap.Read(batch)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range batch[:got] {
			if n == 0 {
				first, last = p.At, p.At
			}
			credit = max(0, credit-(p.At-last).Seconds()*float64(rate)/8) + frame + behindFrame
			most = max(most, credit)
			last = p.At
			n++
		}
	}
	// A stamp is later than the kernel's decision, by some ms where another thread has the processor.
	if bound := float64(burst(rate, 1500)) + behindFrame + 5e-3*float64(rate)/8; most > bound {
		t.Errorf("%.0f B at once, and the bucket holds %.0f", most, bound)
	}
	if want := float64(rate) / 8 / (frame + behindFrame) * (last - first).Seconds(); float64(n) < 0.8*want {
		t.Errorf("%d frames in %v, and the link carries %.0f", n, last-first, want)
	}
	t.Logf("%d frames in %v, %.0f B at once", n, last-first, most)
}

// TestOverrun: many sockets together send more than the queue of their host has room for, and that is counted.
func TestOverrun(t *testing.T) {
	h := held(t, unit.Mbps)
	for range 20 {
		c := dial(t, h)
		for range 100 {
			_ = c.SetWriteDeadline(time.Now().Add(time.Millisecond))
			if _, err := c.Write(make([]byte, 1000)); err != nil {
				break // this socket's own memory is full
			}
		}
	}
	lost, err := h.Lost()
	if err != nil || lost.Queued == 0 || lost.Sent > 0 {
		t.Errorf("%+v, %v", lost, err)
	}
}

// TestSenderWaits: a program that sends faster than its link is made to wait, and loses nothing.
func TestSenderWaits(t *testing.T) {
	const rate, n = 10 * unit.Mbps, 400
	h := held(t, rate)
	w := connect(t, h)
	sink := listenPacket(t, h, 1, netip.AddrPortFrom(Addr(1), 9))
	got := make(chan int)
	go func() {
		count := 0
		for b := make([]byte, 2000); count < n; count++ {
			_ = sink.SetReadDeadline(time.Now().Add(10 * time.Second))
			if _, _, err := sink.ReadFrom(b); err != nil {
				break
			}
		}
		got <- count
	}()
	c := dial(t, h)
	if err := c.(*net.UDPConn).SetWriteBuffer(50_000); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	for range n {
		if _, err := c.Write(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	took := time.Since(begin)
	// The socket holds 100 kB at most, with what the kernel keeps for each packet.
	if least := time.Duration(float64((n-100)*1066*8) / float64(rate) * 1e9); took < least*9/10 {
		t.Errorf("%d packets were sent in %v, want %v at least", n, took, least)
	}
	if count := <-got; count != n {
		t.Errorf("%d of %d packets came", count, n)
	}
	w.end()
	if lost, err := h.Lost(); err != nil || lost != (Lost{}) {
		t.Errorf("%+v, %v", lost, err)
	}
}

func TestBurst(t *testing.T) {
	for _, c := range []struct {
		rate unit.Rate
		mtu  int
		want uint32
	}{{unit.Mbps, 1500, 2*1538 + 12}, {100 * unit.Mbps, 1500, 2*1538 + 1250}, {10 * unit.Gbps, 9000, 2*9038 + 125_000}, {800 * unit.Gbps, 9000, 2*9038 + 10_000_000}} {
		if got := burst(c.rate, c.mtu); got != c.want {
			t.Errorf("%v, %d B: %d, want %d", c.rate, c.mtu, got, c.want)
		}
	}
}

func TestUnheld(t *testing.T) {
	for err, want := range map[error]string{unix.ENOENT: "modprobe sch_tbf", unix.EOPNOTSUPP: "CONFIG_NET_SCHED", unix.EPERM: "operation not permitted"} {
		if text := unheld(fmt.Errorf("queue by tbf: %w", err)); !strings.Contains(text, want) || !strings.Contains(text, err.Error()) {
			t.Errorf("%v: %s", err, text)
		}
	}
}
