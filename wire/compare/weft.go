package main

import (
	"context"
	"crypto/cipher"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"weft/unit"
	"weft/wire"
)

const (
	// message is the size of messages that measure goodput, in bytes. atOnce is how many are
	// under way.
	message = 1_000_000
	atOnce  = 8
)

// messages is a pair of weft endpoints.
type messages struct {
	server, client *wire.Endpoint
	peer           *wire.Peer
	payload        int         // of a datagram, for seal
	seal           cipher.AEAD // nil unless the benchmark seals messages itself
	wrong          atomic.Pointer[error]
}

// openWeft connects two endpoints, with or without a secret. With seals, the sender also seals
// each message and the receiver opens it, in parts as large as a datagram's payload. This
// measures the cost of encryption by itself, next to the plain path.
func openWeft(secret string, seals bool) func(context.Context, int) (link, error) {
	return func(ctx context.Context, datagram int) (link, error) {
		m := &messages{payload: payloadOf(datagram)}
		if seals {
			m.seal = newAEAD()
		}
		c := wire.Config{Secret: []byte(secret), Datagram: unit.Bytes(datagram)}
		serving := c
		serving.Handler = func(ctx context.Context, got *wire.Message) {
			if got.IsRequest() {
				_ = got.Reply(ctx, got.Body)
				return
			}
			if m.seal != nil {
				if err := m.unsealed(got.Body); err != nil {
					m.wrong.Store(&err)
				}
			}
		}
		var err error
		if m.server, err = wire.Listen("127.0.0.1:0", serving); err != nil {
			return nil, err
		}
		if m.client, err = wire.Listen("127.0.0.1:0", c); err == nil {
			m.peer, err = m.client.Dial(ctx, m.server.Addr().String())
		}
		if err != nil {
			return nil, errors.Join(err, m.Close())
		}
		return m, nil
	}
}

// Goodput sends messages for the given time and waits until all are confirmed.
func (m *messages) Goodput(ctx context.Context, each time.Duration) (float64, error) {
	began, bytes := time.Now(), atomic.Int64{}
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			body := make([]byte, message)
			for first := true; first || time.Since(began) < each; first = false {
				if m.seal != nil {
					m.sealed(body)
				}
				if err := m.peer.Send(ctx, body); err != nil {
					m.wrong.Store(&err)
					return
				}
				bytes.Add(message)
			}
		})
	}
	all.Wait()
	took := time.Since(began)
	if err := m.wrong.Load(); err != nil {
		return 0, *err
	}
	return mbps(bytes.Load(), took), nil
}

// sealed seals the parts of a message in place. The nonce never changes, because this is not for
// secrecy.
func (m *messages) sealed(body []byte) {
	nonce := make([]byte, m.seal.NonceSize())
	for ; len(body) > m.seal.Overhead(); body = body[min(len(body), m.payload):] {
		part := body[:min(len(body), m.payload)-m.seal.Overhead()]
		m.seal.Seal(part[:0], nonce, part, nil)
	}
}

func (m *messages) unsealed(body []byte) error {
	nonce := make([]byte, m.seal.NonceSize())
	for ; len(body) > m.seal.Overhead(); body = body[min(len(body), m.payload):] {
		part := body[:min(len(body), m.payload)]
		if _, err := m.seal.Open(part[:0], nonce, part, nil); err != nil {
			return fmt.Errorf("a part of a message: %w", err)
		}
	}
	return nil
}

// RoundTrip measures calls.
func (m *messages) RoundTrip(ctx context.Context, each time.Duration) (float64, error) {
	body := make([]byte, small)
	return timed(ctx, each, func() error {
		_, err := m.peer.Call(ctx, body)
		return err
	})
}

func (m *messages) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var errs []error
	for _, e := range []*wire.Endpoint{m.client, m.server} {
		if e != nil {
			errs = append(errs, e.Close(ctx))
		}
	}
	return errors.Join(errs...)
}
