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

// replySize is the size of a reply, and of the smallest message, since each message
// begins with its size.
const replySize = 8

// account is what a transport reports about a session.
type account struct {
	// Again counts retransmitted packets. In quic-go it also counts reactions to ECN marks.
	Again uint64
	// MinRTT is the smallest round trip seen.
	MinRTT time.Duration
}

// session is a connection to a server.
type session interface {
	// Send sends a message of a size. The returned function waits for the reply; call
	// these functions in the order of the messages.
	Send(ctx context.Context, size int64) (wait func() error, err error)
	Account() account
	// Close ends the session at once and loses what is under way.
	Close() error
}

// listener accepts sessions and calls handle in a goroutine per stream of messages.
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

// dial connects to a server, even to one that is about to start.
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

// write writes a message: its size in 8 bytes, then zeros. A message of size 0 has
// only the 8 bytes and asks the server to end.
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

// errEnd reports that a message asked the server to end.
var errEnd = errors.New("a client ended")

// answer reads messages and answers them until the stream ends. It counts bytes as they are read.
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
