package socket

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// processor returns the time that this process has had a processor, which what else runs on a machine changes less
// than the time that passes.
func processor(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Skip(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkBurst sends bursts of some datagrams, over as many ports as there are, to who reads them in time.
func BenchmarkBurst(b *testing.B) {
	for _, n := range []int{1, 4, 8, 16, 32, 44} {
		for _, way := range []string{"whole", "apart"} {
			b.Run(fmt.Sprintf("%d/%s", n, way), func(b *testing.B) {
				const size = 1452
				from, to := listen(b, "127.0.0.1:0", Options{}), listen(b, "127.0.0.1:0", Options{Merge: way == "whole"})
				bursty(b, from)
				burst, batch, at := segmentsOf(repeated(size, n)...), newBatch(1<<16), reach(to)
				b.SetBytes(size)
				sent, used := 0, processor(b)
				for b.Loop() {
					if sent++; sent%n > 0 {
						continue
					}
					if err := from.SendBurst(sent/n%from.Ports(), at, burst); err != nil {
						b.Fatal(err)
					}
					for left := n; left > 0; {
						got, err := to.Receive(batch)
						if err != nil {
							b.Fatal(err)
						}
						for _, d := range batch[:got] {
							for range d.Each {
								left--
							}
						}
					}
				}
				b.ReportMetric(float64(processor(b)-used)/float64(b.N), "cpu-ns/packet")
			})
		}
	}
}
