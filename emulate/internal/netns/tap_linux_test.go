package netns

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// blast sends datagrams from host 0 to host 1 until stop is called, in batches of a call each.
func blast(t testing.TB, h *Hosts, size int) (stop func()) {
	t.Helper()
	var conn *net.UDPConn
	var sink net.PacketConn
	err := h.Do(1, func() (err error) {
		sink, err = net.ListenPacket("udp4", netip.AddrPortFrom(Addr(1), 9).String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = h.Do(0, func() (err error) {
		conn, err = net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(Addr(1), 9)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var over atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		data := make([]byte, size)
		for !over.Load() {
			_ = raw.Write(func(fd uintptr) bool {
				for range 32 {
					_, _ = unix.Write(int(fd), data)
				}
				return true
			})
		}
	}()
	return func() {
		over.Store(true)
		<-done
		conn.Close()
		sink.Close()
	}
}

// TestTapAllocatesNothing: not per packet, not per call.
func TestTapAllocatesNothing(t *testing.T) {
	h := build(t, 2, 0)
	tap, err := h.Tap(TapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer tap.Close()
	stop := blast(t, h, 1000)
	defer stop()
	batch, total := NewBatch(64, h.MTU()), 0
	allocs := testing.AllocsPerRun(200, func() {
		if _, err := tap.Wait(time.Second); err != nil {
			t.Error(err)
		}
		n, err := tap.Read(batch)
		if err != nil {
			t.Error(err)
		}
		for i := range n {
			batch[i].Host = 1
		}
		if _, err := tap.Write(batch[:n]); err != nil {
			t.Error(err)
		}
		total += n
	})
	// The goroutine that sends allocates a little as well.
	if allocs > 1 {
		t.Errorf("%v allocations for each round", allocs)
	}
	if total == 0 {
		t.Error("nothing was read")
	}
}

func TestTapDropsAndSkips(t *testing.T) {
	h := build(t, 2, 0)
	tap, err := h.Tap(TapOptions{Buffer: 1 << 16, Batch: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer tap.Close()
	if got := tap.Room(); got < 30 || got > 50 {
		t.Errorf("room for %d", got)
	}
	if n, err := tap.Read(NewBatch(4, 1500)); n != 0 || err != nil {
		t.Errorf("read %d, %v", n, err)
	}
	if ready, err := tap.Wait(0); ready || err != nil {
		t.Errorf("ready %v, %v", ready, err)
	}
	conn := dial(t, h)
	for i := range 400 {
		_, _ = conn.Write(make([]byte, 100+i%2*1000))
	}
	if ready, err := tap.Wait(time.Second); !ready || err != nil {
		t.Errorf("ready %v, %v", ready, err)
	}
	// Every other one is too long for this room.
	batch, total := NewBatch(7, 200), 0
	for {
		n, err := tap.Read(batch)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		for _, p := range batch[:n] {
			if len(p.Data) != 14+20+8+100 || p.Host != 0 || cap(p.Data) != 214 {
				t.Errorf("%d bytes of host %d", len(p.Data), p.Host)
			}
		}
		total += n
	}
	if drops := tap.Drops(); drops == 0 || total == 0 || total*2+int(drops) < 398 || drops != tap.Drops() {
		t.Errorf("%d read, %d dropped", total, drops)
	}
	// Frames that no link takes.
	long := []Packet{{Host: 1, Data: make([]byte, 5000)}, {Host: 1, Data: make([]byte, 3)}, {Host: 1, Data: make([]byte, 100)}}
	before := tap.Drops()
	if n, err := tap.Write(long); n != 3 || err != nil || tap.Drops() != before+2 {
		t.Errorf("wrote %d, %v, %d dropped", n, err, tap.Drops()-before)
	}
}

func dial(t testing.TB, h *Hosts) (conn net.Conn) {
	t.Helper()
	err := h.Do(0, func() (err error) {
		conn, err = net.Dial("udp", netip.AddrPortFrom(Addr(1), 9).String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// BenchmarkForward reads frames of one host and writes them to another, in one thread. A frame's
// time has what the kernel of the receiving host does in the call, up to its socket.
func BenchmarkForward(b *testing.B) {
	for _, mtu := range []int{1500, 9000} {
		for _, batch := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("%d/batch%d", mtu, batch), func(b *testing.B) { forward(b, mtu, batch) })
		}
	}
}

func forward(b *testing.B, mtu, size int) {
	h := build(b, 2, mtu)
	tap, err := h.Tap(TapOptions{Batch: size})
	if err != nil {
		b.Fatal(err)
	}
	defer tap.Close()
	var sink net.PacketConn
	err = h.Do(1, func() (err error) {
		sink, err = net.ListenPacket("udp4", netip.AddrPortFrom(Addr(1), 9).String())
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	defer sink.Close()
	conn, data := dial(b, h), make([]byte, mtu-28)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	batch := NewBatch(size, mtu)
	var reads, writes time.Duration
	n := 0
	b.ResetTimer()
	for n < b.N {
		b.StopTimer()
		for range min(b.N-n, tap.Room(), 2048) {
			_, _ = conn.Write(data)
		}
		b.StartTimer()
		for {
			begin := threadTime(b)
			got, err := tap.Read(batch)
			if err != nil {
				b.Fatal(err)
			}
			if got == 0 {
				break
			}
			for i := range got {
				addr, _ := netip.AddrFromSlice(batch[i].Data[30:34])
				to, _ := HostOf(addr)
				batch[i].Host = int32(to)
			}
			middle := threadTime(b)
			if _, err := tap.Write(batch[:got]); err != nil {
				b.Fatal(err)
			}
			reads, writes, n = reads+middle-begin, writes+threadTime(b)-middle, n+got
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "frames/s")
	b.ReportMetric(float64(reads.Nanoseconds())/float64(n), "ns-read/frame")
	b.ReportMetric(float64(writes.Nanoseconds())/float64(n), "ns-write/frame")
	b.ReportMetric(float64(tap.Drops())/float64(n), "drops/frame")
}

// threadTime returns the processor time of the calling thread.
func threadTime(t testing.TB) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}

// BenchmarkTurn measures from when the kernel has a frame until a thread that waits has read it.
func BenchmarkTurn(b *testing.B) {
	h := build(b, 2, 0)
	tap, err := h.Tap(TapOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer tap.Close()
	conn := dial(b, h)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := ExactSleep(); err != nil {
		b.Fatal(err)
	}
	go func() {
		data := make([]byte, 100)
		for range b.N {
			time.Sleep(200 * time.Microsecond)
			binary.NativeEndian.PutUint64(data, uint64(os.Getpid()))
			_, _ = conn.Write(data)
		}
	}()
	batch := NewBatch(64, 1500)
	late := time.Duration(0)
	for n := 0; n < b.N; {
		if _, err := tap.Wait(time.Second); err != nil {
			b.Fatal(err)
		}
		got, err := tap.Read(batch)
		if err != nil {
			b.Fatal(err)
		}
		now := time.Since(tap.stamps.start)
		for _, p := range batch[:got] {
			late += now - p.At
		}
		n += got
	}
	b.ReportMetric(float64(late.Nanoseconds())/float64(b.N), "ns-late/frame")
}
