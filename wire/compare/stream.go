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

// small is what goes there and back.
const small = 64

// duplex is a link by streams of bytes: one for goodput, one whose far end returns what comes.
type duplex struct {
	bulk, echo io.ReadWriter
	came       *atomic.Int64 // bytes that the far end of bulk read
	close      func() error
}

// Goodput writes until the time is over, and waits until all has been read.
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

// patience is how long what was sent may take to come.
const patience = 10 * time.Second

// RoundTrip writes and reads.
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

// drain reads until the end, and counts.
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

// bounce returns what comes until the end.
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
