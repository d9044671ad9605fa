//go:build unix

package wire_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"weft/unit"
	"weft/wire"
)

// processor returns the time that this process has had a processor.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Skip(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCall measures a request and its reply, one at a time.
func BenchmarkCall(b *testing.B) {
	for _, n := range []int{64, 1000, 100_000, 10_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			server, client := echo(b, wire.Config{}), open(b, wire.Config{})
			p, err := client.Dial(b.Context(), server.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			body := make([]byte, n)
			b.SetBytes(int64(2 * n))
			var times []time.Duration
			used := processor(b)
			for b.Loop() {
				start := time.Now()
				if _, err := p.Call(b.Context(), body); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			used = processor(b) - used
			slices.Sort(times)
			at := func(share float64) float64 { return float64(times[int(share*float64(len(times)-1))]) / 1e3 }
			b.ReportMetric(at(0.1), "p10-µs")
			b.ReportMetric(at(0.5), "p50-µs")
			b.ReportMetric(at(0.99), "p99-µs")
			b.ReportMetric(float64(used)/1e3/float64(b.N), "cpu-µs/op")
		})
	}
}

// BenchmarkBulk measures one-way messages, a few at once, on a link that is faster than the machine.
func BenchmarkBulk(b *testing.B) {
	const size = 4_000_000
	c := wire.Config{Rate: 100 * unit.Gbps}
	taking := c
	taking.Handler = func(context.Context, *wire.Message) {}
	server, client := open(b, taking), open(b, c)
	p, err := client.Dial(b.Context(), server.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	body := make([]byte, size)
	b.SetBytes(size)
	used := processor(b)
	b.ResetTimer()
	var all sync.WaitGroup
	turns := make(chan struct{}, b.N)
	for range b.N {
		turns <- struct{}{}
	}
	close(turns)
	for range 4 {
		all.Go(func() {
			for range turns {
				if err := p.Send(b.Context(), body); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	used = processor(b) - used
	s := client.Stats()
	b.ReportMetric(float64(used)/float64(b.N)/(size/1452.0), "cpu-ns/packet")
	b.ReportMetric(float64(s.Lost)/float64(b.N), "lost/op")
	b.ReportMetric(float64(s.Bursts.SentDatagrams)/float64(max(1, s.Bursts.Sent)), "packets/burst")
	b.ReportMetric(float64(s.Sent-s.Bursts.SentDatagrams)/float64(s.Sent), "alone")
	if testing.Verbose() {
		b.Logf("%+v", s)
		b.Logf("%+v", server.Stats())
	}
}
