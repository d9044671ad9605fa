//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// transfers is what bulk measured: the transfers that began after the warm-up and ended in time.
type transfers struct {
	Size int64 `json:"size"`
	// Millis are the durations of transfers, from the first byte or the start of
	// connecting to the reply.
	Millis []float64 `json:"ms"`
	// Again counts retransmitted packets. MinRTT is the median over connections of
	// their least round trip.
	Again  uint64  `json:"sent_again"`
	MinRTT float64 `json:"min_rtt_us"`
}

func runBulk(ctx context.Context, args []string, to io.Writer) error {
	var c common
	f := flag.NewFlagSet("rivals bulk", flag.ContinueOnError)
	c.add(f)
	address := f.String("to", "127.0.0.1:7000", "address of the server")
	flows := f.Int("flows", 1, "how many transfers are under way at once")
	fresh := f.Bool("fresh", false, "a new connection for each transfer, with its opening; else each flow keeps one")
	each := size(1_000_000)
	f.Var(&each, "size", "bytes of a transfer")
	if err := c.parse(f, args); err != nil {
		return err
	}
	if *flows < 1 || each < replySize {
		return fmt.Errorf("--flows is %d and --size %v; they are 1 and %d B at least", *flows, &each, replySize)
	}
	// The server must be reachable before the time of the first transfer counts.
	last, err := c.dial(ctx, *address)
	if err != nil {
		return err
	}
	defer last.Close()
	t, err := c.bulk(ctx, *address, *flows, int64(each), *fresh)
	if err != nil {
		return err
	}
	if err := call(ctx, last, 0); err != nil {
		return fmt.Errorf("end the server: %w", err)
	}
	return c.print(to, t)
}

// bulk runs flows until the time is over.
func (c *common) bulk(ctx context.Context, address string, flows int, size int64, fresh bool) (transfers, error) {
	t := transfers{Size: size}
	var mu sync.Mutex
	var rtts []float64
	leave := func(s session) {
		a := s.Account()
		mu.Lock()
		t.Again += a.Again
		rtts = append(rtts, micros(a.MinRTT))
		mu.Unlock()
		s.Close()
	}
	end := c.at(c.span)
	flow := func() error {
		var s session
		var err error
		for time.Now().Before(end) {
			began := time.Now()
			if s == nil {
				if s, err = c.dial(ctx, address); err != nil {
					return err
				}
			}
			if err := call(ctx, s, size); err != nil {
				return errors.Join(err, s.Close())
			}
			now := time.Now()
			if !began.Before(c.at(c.warm)) && !now.After(end) {
				mu.Lock()
				t.Millis = append(t.Millis, float64(now.Sub(began))/float64(time.Millisecond))
				mu.Unlock()
			}
			if fresh {
				leave(s)
				s = nil
			}
		}
		if s != nil {
			leave(s)
		}
		return nil
	}
	errs := make([]error, flows)
	var group sync.WaitGroup
	for i := range flows {
		group.Go(func() { errs[i] = flow() })
	}
	group.Wait()
	if len(rtts) > 0 {
		t.MinRTT = quantiles(rtts, 0.5)[0]
	}
	slices.Sort(t.Millis)
	return t, errors.Join(errs...)
}
