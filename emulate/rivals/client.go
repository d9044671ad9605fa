//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// replies is what a client measured.
type replies struct {
	Size int64 `json:"size"`
	// Micros are the times from a request to its reply, in order.
	Micros []float64 `json:"us"`
	P50    float64   `json:"p50_us"`
	P90    float64   `json:"p90_us"`
	P99    float64   `json:"p99_us"`
	// Skipped counts requests that were due before the previous one had its reply:
	// only one is under way at a time.
	Skipped int     `json:"skipped"`
	Again   uint64  `json:"sent_again"`
	MinRTT  float64 `json:"min_rtt_us"`
}

func runClient(ctx context.Context, args []string, to io.Writer) error {
	var c common
	f := flag.NewFlagSet("rivals client", flag.ContinueOnError)
	c.add(f)
	address := f.String("to", "127.0.0.1:7000", "address of the server")
	each := size(replySize)
	f.Var(&each, "size", "bytes of a request")
	every := f.Duration("every", 100*time.Millisecond, "time from one request to the next")
	if err := c.parse(f, args); err != nil {
		return err
	}
	if each < replySize || *every <= 0 {
		return fmt.Errorf("--size is %v and --every %v; they are %d B at least and more than nothing", &each, *every, replySize)
	}
	s, err := c.dial(ctx, *address)
	if err != nil {
		return err
	}
	r, err := c.ask(ctx, s, int64(each), *every)
	if err == nil {
		err = call(ctx, s, 0)
	}
	return errors.Join(err, s.Close(), c.print(to, r))
}

// ask sends requests until the time is over.
func (c *common) ask(ctx context.Context, s session, size int64, every time.Duration) (replies, error) {
	r := replies{Size: size, Micros: []float64{}}
	end := c.at(c.span)
	for due := time.Now(); due.Before(end); {
		until(ctx, due)
		began := time.Now()
		if err := call(ctx, s, size); err != nil {
			return r, err
		}
		now := time.Now()
		measured := !began.Before(c.at(c.warm))
		if measured {
			r.Micros = append(r.Micros, micros(now.Sub(began)))
		}
		for due = due.Add(every); due.Before(now); due = due.Add(every) {
			if measured {
				r.Skipped++
			}
		}
	}
	q := quantiles(r.Micros, 0.5, 0.9, 0.99)
	r.P50, r.P90, r.P99 = q[0], q[1], q[2]
	a := s.Account()
	r.Again, r.MinRTT = a.Again, micros(a.MinRTT)
	return r, nil
}
