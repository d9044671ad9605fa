package socket

import (
	"net"
	"net/netip"
	"slices"
	"strconv"
	"testing"
	"time"
)

// report gives what a share of the times stays below, in microseconds.
func report(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	at := func(share float64) float64 {
		return float64(times[int(share*float64(len(times)-1))]) / 1e3
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(at(0.5), "p50-µs")
	b.ReportMetric(at(0.99), "p99-µs")
}

// BenchmarkWaiter measures how late a wait ends.
func BenchmarkWaiter(b *testing.B) {
	for _, way := range []string{"system", "system with a channel", "runtime"} {
		for _, wait := range []time.Duration{20 * time.Microsecond, 50 * time.Microsecond, 200 * time.Microsecond} {
			b.Run(way+"/"+wait.String(), func(b *testing.B) {
				w, wake := NewWaiter(), (chan struct{})(nil)
				switch way {
				case "system with a channel":
					wake = make(chan struct{})
				case "runtime":
					w.Close()
					w = &Waiter{clock: newGoClock()}
				}
				defer w.Close()
				var late []time.Duration
				for b.Loop() {
					at := time.Now().Add(wait)
					w.Until(at, wake)
					late = append(late, time.Since(at))
				}
				report(b, late)
			})
		}
	}
}

// BenchmarkWake measures how soon a goroutine that waits is woken by another.
func BenchmarkWake(b *testing.B) {
	near, far := NewWaiter(), NewWaiter()
	defer near.Close()
	defer far.Close()
	late := time.Now().Add(time.Hour)
	stop := make(chan struct{})
	go func() {
		for {
			far.Until(late, nil)
			select {
			case <-stop:
				return
			default:
				near.Wake()
			}
		}
	}()
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		far.Wake()
		near.Until(late, nil)
		times = append(times, time.Since(start)/2)
	}
	close(stop)
	far.Wake()
	report(b, times)
}

// BenchmarkSend sends to a socket that nobody reads, as fast as the kernel takes it.
func BenchmarkSend(b *testing.B) {
	for _, size := range []int{64, 1452} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			from, to := listen(b, "127.0.0.1:0", Options{}), listen(b, "127.0.0.1:0", Options{Ports: 1})
			data, at := make([]byte, size), reach(to)
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for i := 0; b.Loop(); i++ {
				if err := from.Send(i%from.Ports(), at, data); err != nil && err != ErrBusy {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "packets/s")
		})
	}
}

// BenchmarkReceive counts what arrives of what another goroutine sends without a pause.
func BenchmarkReceive(b *testing.B) {
	for _, way := range []string{"mmsg", "WEFT_WIRE_NO_MMSG", "WEFT_WIRE_PLAIN"} {
		for _, size := range []int{64, 1452} {
			b.Run(way+"/"+strconv.Itoa(size), func(b *testing.B) {
				from := listen(b, "127.0.0.1:0", Options{})
				if way != "mmsg" {
					b.Setenv(way, "1")
				}
				to := listen(b, "127.0.0.1:0", Options{})
				at := reach(to)
				go func() {
					data := make([]byte, size)
					for i := 0; ; i++ {
						if err := from.Send(i%from.Ports(), at, data); err == net.ErrClosed {
							return
						}
					}
				}()
				batch := newBatch(1500)
				b.ReportAllocs()
				b.SetBytes(int64(size))
				got, calls := 0, 0
				for b.Loop() {
					if got > 0 {
						got--
						continue
					}
					n, err := to.Receive(batch)
					if err != nil {
						b.Fatal(err)
					}
					got = n - 1
					calls++
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "packets/s")
				b.ReportMetric(float64(b.N)/float64(calls), "packets/call")
				from.Close()
			})
		}
	}
}

// BenchmarkEcho measures round trips of 64 B between banks, and between bare sockets.
func BenchmarkEcho(b *testing.B) {
	for _, way := range []string{"bank of 16", "bank of 1", "WEFT_WIRE_NO_MMSG", "WEFT_WIRE_PLAIN"} {
		b.Run(way, func(b *testing.B) {
			ports := 16
			switch way {
			case "bank of 1":
				ports = 1
			case "bank of 16":
			default:
				b.Setenv(way, "1")
			}
			near, far := listen(b, "127.0.0.1:0", Options{Ports: ports}), listen(b, "127.0.0.1:0", Options{Ports: ports})
			go func() {
				batch := newBatch(1500)
				for {
					n, err := far.Receive(batch)
					if err != nil {
						return
					}
					for _, d := range batch[:n] {
						far.Send(0, d.From, d.Data)
					}
				}
			}()
			data, batch, at := make([]byte, 64), newBatch(1500), reach(far)
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				if err := near.Send(i%ports, at, data); err != nil {
					b.Fatal(err)
				}
				if _, err := near.Receive(batch); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			report(b, times)
		})
	}
	b.Run("bare", func(b *testing.B) {
		near, far := bare(b), bare(b)
		go func() {
			buffer := make([]byte, 1500)
			for {
				n, from, err := far.ReadFromUDPAddrPort(buffer)
				if err != nil {
					return
				}
				far.WriteToUDPAddrPort(buffer[:n], from)
			}
		}()
		data, buffer, at := make([]byte, 64), make([]byte, 1500), far.LocalAddr().(*net.UDPAddr).AddrPort()
		var times []time.Duration
		for b.Loop() {
			start := time.Now()
			if _, err := near.WriteToUDPAddrPort(data, at); err != nil {
				b.Fatal(err)
			}
			if _, _, err := near.ReadFromUDPAddrPort(buffer); err != nil {
				b.Fatal(err)
			}
			times = append(times, time.Since(start))
		}
		report(b, times)
	})
}

func bare(b *testing.B) *net.UDPConn {
	c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return c
}
