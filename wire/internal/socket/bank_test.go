package socket

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// loopbacks are the addresses that tests listen on. The last one serves both families.
func loopbacks() []string { return []string{"127.0.0.1:0", "[::1]:0", ":0"} }

// onEach runs a test on each kind of address and of sockets.
func onEach(t *testing.T, test func(t *testing.T, addr string)) {
	for _, way := range []string{"default", "WEFT_WIRE_NO_MMSG", "WEFT_WIRE_NO_ECN", "WEFT_WIRE_PLAIN"} {
		for _, addr := range loopbacks() {
			t.Run(fmt.Sprintf("%s/%s", way, addr), func(t *testing.T) {
				if way != "default" {
					t.Setenv(way, "1")
				}
				test(t, addr)
			})
		}
	}
}

func listen(t testing.TB, addr string, o Options) *Bank {
	t.Helper()
	b, err := Listen(addr, o)
	if err != nil {
		if addr == "[::1]:0" {
			t.Skipf("no IPv6 here: %v", err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// reach returns an address at which a bank is reached on this host.
func reach(b *Bank) netip.AddrPort {
	at := b.LocalAddr()
	if at.Addr().IsUnspecified() {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
	}
	return at
}

func newBatch(size int) []Datagram {
	batch := make([]Datagram, batchSize)
	for i := range batch {
		batch[i].Data = make([]byte, 0, size)
	}
	return batch
}

// receiveOne returns the next datagram, and fails the test if there is none in time.
func receiveOne(t testing.TB, b *Bank, size int) Datagram {
	t.Helper()
	guard := time.AfterFunc(10*time.Second, func() { b.Close() })
	defer guard.Stop()
	batch := newBatch(size)[:1]
	n, err := b.Receive(batch)
	if err != nil || n != 1 {
		t.Fatalf("received %d, %v", n, err)
	}
	return batch[0]
}

func TestDatagramsArriveWholeFromAllPorts(t *testing.T) {
	onEach(t, func(t *testing.T, addr string) {
		a, b := listen(t, addr, Options{Ports: 4, ECN: true}), listen(t, addr, Options{Ports: 4})
		seen := map[netip.AddrPort]int{}
		for port := range a.Ports() {
			want := bytes.Repeat([]byte{byte(port + 1)}, 1000+port)
			if err := a.Send(port, reach(b), want); err != nil {
				t.Fatal(err)
			}
			d := receiveOne(t, b, 1500)
			if !bytes.Equal(d.Data, want) || d.Marked {
				t.Fatalf("port %d: received %d B, marked %v", port, len(d.Data), d.Marked)
			}
			if d.From.Addr().Is4In6() {
				t.Errorf("port %d: from %s", port, d.From)
			}
			if port == 0 && d.From != reach(a) {
				t.Errorf("port 0 sends from %s, and is reached at %s", d.From, reach(a))
			}
			if from, twice := seen[d.From]; twice {
				t.Errorf("ports %d and %d send from %s", from, port, d.From)
			}
			seen[d.From] = port
			// The answer goes to the port that sent.
			if err := b.Send(0, d.From, []byte("answer")); err != nil {
				t.Fatal(err)
			}
			if d := receiveOne(t, a, 1500); string(d.Data) != "answer" || d.From != reach(b) {
				t.Errorf("port %d: answered %q from %s", port, d.Data, d.From)
			}
		}
		if a, b := a.Counters(), b.Counters(); a.Sent != 4 || b.Received != 4 || a.Errors+b.Errors+b.Truncated != 0 {
			t.Errorf("counted %+v and %+v", a, b)
		}
	})
}

func TestOneBankServesBothFamilies(t *testing.T) {
	listen(t, "[::1]:0", Options{Ports: 1})
	a, b := listen(t, ":0", Options{Ports: 2}), listen(t, ":0", Options{Ports: 2})
	for _, host := range []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::ffff:127.0.0.1"), netip.IPv6Loopback()} {
		if err := a.Send(1, netip.AddrPortFrom(host, b.LocalAddr().Port()), []byte("x")); err != nil {
			t.Fatal(err)
		}
		d := receiveOne(t, b, 100)
		if d.From.Addr() != host.Unmap() {
			t.Errorf("from %s, want %s", d.From, host.Unmap())
		}
		if err := b.Send(0, d.From, []byte("y")); err != nil {
			t.Fatal(err)
		}
		if d := receiveOne(t, a, 100); d.From != netip.AddrPortFrom(host.Unmap(), b.LocalAddr().Port()) {
			t.Errorf("answered from %s", d.From)
		}
	}
}

func TestEmptyDatagramsArrive(t *testing.T) {
	onEach(t, func(t *testing.T, addr string) {
		a, b := listen(t, addr, Options{Ports: 1}), listen(t, addr, Options{Ports: 1})
		if err := a.Send(0, reach(b), nil); err != nil {
			t.Fatal(err)
		}
		if d := receiveOne(t, b, 100); len(d.Data) != 0 || d.From != reach(a) {
			t.Errorf("received %+v", d)
		}
	})
}

func TestTruncatedDatagramsAreDroppedAndCounted(t *testing.T) {
	onEach(t, func(t *testing.T, addr string) {
		a, b := listen(t, addr, Options{Ports: 1}), listen(t, addr, Options{Ports: 1})
		for _, size := range []int{101, 99, 102, 100} {
			if err := a.Send(0, reach(b), bytes.Repeat([]byte{byte(size)}, size)); err != nil {
				t.Fatal(err)
			}
		}
		for _, size := range []int{99, 100} {
			d := receiveOne(t, b, 100)
			if !bytes.Equal(d.Data, bytes.Repeat([]byte{byte(size)}, size)) {
				t.Errorf("received %d B, want %d", len(d.Data), size)
			}
		}
		if c := b.Counters(); c.Truncated != 2 || c.Received != 2 {
			t.Errorf("counted %+v", c)
		}
	})
}

func TestTruncationLeavesOtherBuffersInPlace(t *testing.T) {
	onEach(t, func(t *testing.T, addr string) {
		a, b := listen(t, addr, Options{Ports: 1}), listen(t, addr, Options{Ports: 1})
		const sent = 20
		for i := range sent {
			size := 50
			if i%3 == 0 {
				size = 200
			}
			if err := a.Send(0, reach(b), bytes.Repeat([]byte{byte(i)}, size)); err != nil {
				t.Fatal(err)
			}
		}
		guard := time.AfterFunc(10*time.Second, func() { b.Close() })
		defer guard.Stop()
		batch := newBatch(100)
		for next := 1; next < sent; {
			n, err := b.Receive(batch)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range batch[:n] {
				if !bytes.Equal(d.Data, bytes.Repeat([]byte{byte(next)}, 50)) {
					t.Fatalf("received %v, want %d", d.Data, next)
				}
				if next++; next%3 == 0 {
					next++
				}
			}
		}
		buffers := map[*byte]bool{}
		for _, d := range batch {
			buffers[&d.Data[:1][0]] = true
		}
		if len(buffers) != len(batch) {
			t.Errorf("%d buffers of %d are left", len(buffers), len(batch))
		}
	})
}

func TestCloseEndsReceiveAndSend(t *testing.T) {
	onEach(t, func(t *testing.T, addr string) {
		b := listen(t, addr, Options{Ports: 3})
		done := make(chan error)
		for range 2 {
			go func() {
				_, err := b.Receive(newBatch(100))
				done <- err
			}()
		}
		time.Sleep(10 * time.Millisecond)
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		for range 2 {
			if err := <-done; !errors.Is(err, net.ErrClosed) {
				t.Errorf("Receive ended with %v", err)
			}
		}
		if err := b.Send(1, reach(b), []byte("late")); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Send ended with %v", err)
		}
		if _, err := b.Receive(newBatch(100)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Receive ended with %v", err)
		}
		if err := b.Close(); err != nil {
			t.Errorf("Close again: %v", err)
		}
		// The port is free again.
		listen(t, b.LocalAddr().String(), Options{Ports: 1})
	})
}

func TestManySendAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, addr string) {
		a, b := listen(t, addr, Options{Ports: 4}), listen(t, addr, Options{Ports: 1})
		const senders, each = 8, 200
		var all sync.WaitGroup
		for s := range senders {
			all.Go(func() {
				for i := range each {
					for {
						err := a.Send(i%4, reach(b), []byte{byte(s), byte(i)})
						if err == nil {
							break
						}
						if !errors.Is(err, ErrBusy) {
							t.Error(err)
							return
						}
						time.Sleep(time.Millisecond)
					}
				}
			})
		}
		guard := time.AfterFunc(20*time.Second, func() { b.Close() })
		defer guard.Stop()
		got := map[[2]byte]int{}
		batch := newBatch(100)
		for len(got) < senders*each {
			n, err := b.Receive(batch)
			if err != nil {
				t.Fatalf("after %d: %v", len(got), err)
			}
			for _, d := range batch[:n] {
				got[[2]byte(d.Data)]++
			}
		}
		all.Wait()
		for what, times := range got {
			if times != 1 {
				t.Errorf("%v came %d times", what, times)
			}
		}
	})
}

func TestWrongUseIsAnError(t *testing.T) {
	b := listen(t, "127.0.0.1:0", Options{Ports: 2})
	for _, port := range []int{-1, 2} {
		if b.Send(port, reach(b), nil) == nil {
			t.Errorf("port number %d was taken", port)
		}
	}
	if b.Send(0, netip.AddrPort{}, nil) == nil {
		t.Error("no address was taken")
	}
	if err := b.Send(0, netip.MustParseAddrPort("[::1]:9"), nil); err == nil {
		t.Error("IPv6 went out of a socket of IPv4")
	}
	if _, err := b.Receive(nil); err == nil {
		t.Error("a batch without room was taken")
	}
	for _, o := range []Options{{Ports: -1}, {Ports: mostPorts + 1}, {Buffer: -1}} {
		if b, err := Listen("127.0.0.1:0", o); err == nil {
			b.Close()
			t.Errorf("%+v was taken", o)
		}
	}
	if b, err := Listen("127.0.0.1:none", Options{}); err == nil {
		b.Close()
		t.Error("a port without a number was taken")
	}
	if b, err := Listen(b.LocalAddr().String(), Options{}); err == nil {
		b.Close()
		t.Error("a port was taken twice")
	}
}

func TestTooLargeSaysHowLargeItMayBe(t *testing.T) {
	onEach(t, func(t *testing.T, addr string) {
		b := listen(t, addr, Options{Ports: 1})
		err := b.Send(0, reach(b), make([]byte, 1<<16))
		var size *SizeError
		if !errors.As(err, &size) || size.Size != 1<<16 || size.To != reach(b) {
			t.Fatalf("sent with %v", err)
		}
		if size.Limit == 0 {
			t.Skip("the limit is not known here")
		}
		if err := b.Send(0, reach(b), make([]byte, size.Limit)); err != nil {
			t.Errorf("%d B: %v", size.Limit, err)
		}
		if err := b.Send(0, reach(b), make([]byte, size.Limit+1)); !errors.As(err, &size) {
			t.Errorf("%d B: %v", size.Limit+1, err)
		}
	})
}

func TestNobodyListens(t *testing.T) {
	onEach(t, func(t *testing.T, addr string) {
		gone := listen(t, addr, Options{Ports: 1})
		to := reach(gone)
		gone.Close()
		b := listen(t, addr, Options{Ports: 1})
		for range 10 {
			if err := b.Send(0, to, []byte("hello?")); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Send(0, reach(b), []byte("self")); err != nil {
			t.Fatal(err)
		}
		if d := receiveOne(t, b, 100); string(d.Data) != "self" {
			t.Errorf("received %q", d.Data)
		}
	})
}
