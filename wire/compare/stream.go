package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// small is the size of a round trip's message, in bytes.
const small = 64

// duplex is a link of two byte streams: one for goodput, and one whose far end echoes.
type duplex struct {
	bulk, echo io.ReadWriter
	came       *atomic.Int64 // bytes read by the far end of bulk
	close      func() error
}

// Goodput writes for the given time and waits until everything has been read.
func (d *duplex) Goodput(ctx context.Context, each time.Duration) (float64, error) {
	chunk := make([]byte, 1<<18)
	began, before, sent := time.Now(), d.came.Load(), int64(0)
	for time.Since(began) < each && ctx.Err() == nil {
		n, err := d.bulk.Write(chunk)
		if err != nil {
			return 0, err
		}
		sent += int64(n)
	}
	for d.came.Load()-before < sent {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if time.Since(began) > each+patience {
			return 0, fmt.Errorf("%d B of %d came within %v", d.came.Load()-before, sent, each+patience)
		}
		time.Sleep(50 * time.Microsecond)
	}
	return mbps(sent, time.Since(began)), nil
}

// patience is how long sent data may take to arrive.
const patience = 10 * time.Second

// RoundTrip measures an echo.
func (d *duplex) RoundTrip(ctx context.Context, each time.Duration) (float64, error) {
	out, in := bytes.Repeat([]byte{7}, small), make([]byte, small)
	return timed(ctx, each, func() error {
		if _, err := d.echo.Write(out); err != nil {
			return err
		}
		if _, err := io.ReadFull(d.echo, in); err != nil {
			return err
		}
		if !bytes.Equal(in, out) {
			return errors.New("something else came back")
		}
		return nil
	})
}

func (d *duplex) Close() error { return d.close() }

// drain reads until the end and counts bytes.
func drain(r io.Reader, came *atomic.Int64) {
	b := make([]byte, 1<<18)
	for {
		n, err := r.Read(b)
		came.Add(int64(n))
		if err != nil {
			return
		}
	}
}

// bounce echoes until the end.
func bounce(s io.ReadWriter) {
	b := make([]byte, small)
	for {
		if _, err := io.ReadFull(s, b); err != nil {
			return
		}
		if _, err := s.Write(b); err != nil {
			return
		}
	}
}
