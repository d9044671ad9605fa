//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"sync"
	"time"

	"weft/unit"
)

// offered counts what a sender did.
type offered struct {
	// Due counts messages due by the end, and Done those answered by then.
	Due  int `json:"due"`
	Done int `json:"done"`
	// P50 and P99 are of the times from when a message was due to its reply.
	P50    float64 `json:"p50_ms"`
	P99    float64 `json:"p99_ms"`
	Again  uint64  `json:"sent_again"`
	MinRTT float64 `json:"min_rtt_us"`
	// Broken is why the connection ended early.
	Broken string `json:"broken,omitempty"`
}

func runSender(ctx context.Context, args []string, to io.Writer) error {
	var c common
	f := flag.NewFlagSet("rivals sender", flag.ContinueOnError)
	c.add(f)
	address := f.String("to", "127.0.0.1:7000", "address of the server")
	each := size(10_000_000)
	f.Var(&each, "size", "bytes of a message")
	rate := f.String("rate", "17Mbps", "rate of messages' bytes: one is due each time that its bytes take at that rate, the first at once")
	if err := c.parse(f, args); err != nil {
		return err
	}
	r, err := unit.ParseRate(*rate)
	if err != nil {
		return fmt.Errorf("--rate: %w", err)
	}
	if each < replySize || r <= 0 {
		return fmt.Errorf("--size is %v and --rate %s; they are %d B and more than nothing", &each, *rate, replySize)
	}
	s, err := c.dial(ctx, *address)
	if err != nil {
		return err
	}
	period := time.Duration(float64(each) * 8 / float64(r) * float64(time.Second))
	o := c.send(ctx, s, int64(each), period)
	return errors.Join(s.Close(), c.print(to, o))
}

// send sends messages as they become due, one after the other, until the time is over.
func (c *common) send(ctx context.Context, s session, size int64, period time.Duration) offered {
	ctx, stop := context.WithDeadline(ctx, c.at(c.span))
	defer stop()
	type message struct {
		due  time.Time
		wait func() error
	}
	var o offered
	var mu sync.Mutex
	var times []float64
	breaks := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		// Ending together with the server is not an error.
		if ctx.Err() == nil && time.Until(c.at(c.span)) > time.Second && o.Broken == "" {
			o.Broken = err.Error()
		}
	}
	sent := make(chan message, 1<<16)
	go func() {
		defer close(sent)
		for due := c.began; ctx.Err() == nil; due = due.Add(period) {
			until(ctx, due)
			if ctx.Err() != nil {
				return
			}
			wait, err := s.Send(ctx, size)
			if err != nil {
				breaks(err)
				return
			}
			sent <- message{due, wait}
		}
	}()
	over := make(chan struct{})
	go func() {
		defer close(over)
		for m := range sent {
			if err := m.wait(); err != nil {
				breaks(err)
				return
			}
			if now := time.Now(); m.due.After(c.at(c.warm)) && ctx.Err() == nil {
				mu.Lock()
				times = append(times, float64(now.Sub(m.due))/float64(time.Millisecond))
				mu.Unlock()
			}
			mu.Lock()
			o.Done++
			mu.Unlock()
		}
	}()
	select {
	case <-over:
	case <-ctx.Done():
	}
	mu.Lock()
	defer mu.Unlock()
	a := s.Account()
	q := quantiles(times, 0.5, 0.99)
	// Messages that wait behind earlier ones are due, too.
	o.Due = 1 + int(min(time.Since(c.began), c.span)/period)
	o.P50, o.P99, o.Again, o.MinRTT = q[0], q[1], a.Again, micros(a.MinRTT)
	return o
}
