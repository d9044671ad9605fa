//go:build linux

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// replySize is that of a reply, and of the smallest message: a message begins with its size.
const replySize = 8

// account is what a transport tells of a session.
type account struct {
	// Again counts packets that were sent again. That of quic-go also counts its answers to marks.
	Again uint64
	// MinRTT is the least round trip that was seen.
	MinRTT time.Duration
}

// session is a connection to a server.
type session interface {
	// Send sends a message of a size. What it returns waits for the reply; it is called in the order of messages.
	Send(ctx context.Context, size int64) (wait func() error, err error)
	Account() account
	// Close ends it at once; what is under way is lost.
	Close() error
}

// listener takes sessions, and calls handle in a goroutine for each stream of messages.
type listener interface {
	Addr() string
	Serve(ctx context.Context, handle func(io.ReadWriter)) error
	Close() error
}

func (c *common) listen(address string) (listener, error) {
	if c.transport == "quic" {
		return listenQUIC(address)
	}
	return listenTCP(address, c.congestion)
}

// patience is how long a server may take to start.
const patience = 10 * time.Second

// dial connects to a server, also to one that is about to start.
func (c *common) dial(ctx context.Context, address string) (s session, err error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	for {
		if c.transport == "quic" {
			s, err = dialQUIC(ctx, address)
		} else {
			s, err = dialTCP(ctx, address, c.congestion)
		}
		if err == nil {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("connect to %s: %w", address, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

var zeros [256 << 10]byte

// write writes a message: its size in 8 bytes, and zeros up to it. A message of size 0 has the 8 bytes only, and asks the server to end.
func write(w io.Writer, size int64) error {
	first := min(max(size, replySize), int64(len(zeros)))
	head := make([]byte, first)
	binary.BigEndian.PutUint64(head, uint64(size))
	if _, err := w.Write(head); err != nil {
		return err
	}
	for left := size - first; left > 0; {
		n, err := w.Write(zeros[:min(left, int64(len(zeros)))])
		if err != nil {
			return err
		}
		left -= int64(n)
	}
	return nil
}

// errEnd is that a message asked the server to end.
var errEnd = errors.New("a client ended")

// answer reads messages and answers them, until the stream ends. Each read is counted as it comes.
func answer(rw io.ReadWriter, count func(int)) error {
	b := make([]byte, len(zeros))
	for {
		if _, err := io.ReadFull(rw, b[:replySize]); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		size := int64(binary.BigEndian.Uint64(b))
		count(replySize)
		for left := size - replySize; left > 0; {
			n, err := rw.Read(b[:min(left, int64(len(b)))])
			count(n)
			left -= int64(n)
			if err != nil && left > 0 {
				return err
			}
		}
		if _, err := rw.Write(zeros[:replySize]); err != nil {
			return err
		}
		if size == 0 {
			return errEnd
		}
	}
}

// reply reads a reply.
func reply(r io.Reader) error {
	var b [replySize]byte
	_, err := io.ReadFull(r, b[:])
	return err
}

// call sends a message and waits for its reply.
func call(ctx context.Context, s session, size int64) error {
	wait, err := s.Send(ctx, size)
	if err != nil {
		return err
	}
	return wait()
}
