//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// slot is the interval over which one value of goodput is measured.
const slot = 500 * time.Millisecond

// served is what a server measured: goodput as programs see it, including the heads of messages.
type served struct {
	// Mbps is the mean over the measured time, and Median the median of its slots.
	Mbps    float64   `json:"mbps"`
	Median  float64   `json:"median_mbps"`
	Bytes   int64     `json:"bytes"`
	Seconds float64   `json:"seconds"`
	Slots   []float64 `json:"slots_mbps"`
}

// meter counts bytes and measures their rate.
type meter struct{ bytes atomic.Int64 }

func (m *meter) count(n int) { m.bytes.Add(int64(n)) }

// measure measures rates between two times. It returns early when the context is done.
func (m *meter) measure(ctx context.Context, from, to time.Time) served {
	until(ctx, from)
	var s served
	first, began := m.bytes.Load(), time.Now()
	last, at := first, began
	for next := from.Add(slot); !next.After(to) && ctx.Err() == nil; next = next.Add(slot) {
		until(ctx, next)
		bytes, now := m.bytes.Load(), time.Now()
		if ctx.Err() == nil {
			s.Slots = append(s.Slots, mbps(bytes-last, now.Sub(at)))
			last, at = bytes, now
		}
	}
	s.Bytes, s.Seconds = last-first, at.Sub(began).Seconds()
	s.Mbps, s.Median = mbps(s.Bytes, at.Sub(began)), quantiles(s.Slots, 0.5)[0]
	return s
}

func mbps(bytes int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(bytes) * 8 / d.Seconds() / 1e6
}

// until waits for a time.
func until(ctx context.Context, t time.Time) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Until(t)):
	}
}

// overtime is how long clients may continue after the end of the measured time.
const overtime = 30 * time.Second

func runServer(ctx context.Context, args []string, to io.Writer) error {
	var c common
	f := flag.NewFlagSet("rivals server", flag.ContinueOnError)
	c.add(f)
	address := f.String("listen", ":7000", "address to listen at")
	ends := f.Int("ends", 1, "after how many clients that ended it ends, too")
	if err := c.parse(f, args); err != nil {
		return err
	}
	l, err := c.listen(*address)
	if err != nil {
		return err
	}
	defer l.Close()
	return serve(ctx, &c, l, *ends, to)
}

// serve answers messages until a number of clients have ended.
func serve(ctx context.Context, c *common, l listener, ends int, to io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var m meter
	var group sync.WaitGroup
	left, all := int64(ends), make(chan struct{})
	var ended atomic.Int64
	failed := make(chan error, 1)
	group.Go(func() {
		if err := l.Serve(ctx, func(rw io.ReadWriter) {
			if errors.Is(answer(rw, m.count), errEnd) && ended.Add(1) == left {
				close(all)
			}
		}); err != nil {
			failed <- err
		}
	})
	var s served
	group.Go(func() { s = m.measure(ctx, c.at(c.warm), c.at(c.span)) })
	var err error
	select {
	case <-all:
		// Let the reply to the last one leave. Senders end at the same time by themselves.
		time.Sleep(slot)
	case err = <-failed:
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(time.Until(c.at(c.span + overtime))):
		err = fmt.Errorf("%d of %d clients have not ended %v after --for", left-ended.Load(), ends, overtime)
	}
	stop()
	group.Wait()
	return errors.Join(err, c.print(to, s))
}
