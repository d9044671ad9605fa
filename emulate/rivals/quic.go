//go:build linux

package main

import (
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/big"
	"net"
	"time"

	"github.com/quic-go/quic-go"
)

// largestDatagram is the largest datagram of quic-go, which makes an IP packet of 1480 B.
const largestDatagram = 1452

const alpn = "weft-rivals"

// quicConfig returns a configuration whose windows never limit. Datagrams start at
// the largest size, as if path MTU discovery had finished.
func quicConfig() *quic.Config {
	const window = 64 << 20
	return &quic.Config{
		InitialPacketSize: largestDatagram, DisablePathMTUDiscovery: true, KeepAlivePeriod: 5 * time.Second, MaxIncomingStreams: 1 << 16,
		InitialStreamReceiveWindow: window, MaxStreamReceiveWindow: window, InitialConnectionReceiveWindow: window, MaxConnectionReceiveWindow: window,
	}
}

// quicSession uses a stream per message, as is usual with QUIC.
type quicSession struct{ c *quic.Conn }

func dialQUIC(ctx context.Context, address string) (session, error) {
	// Both ends belong to this program, and nobody else is on the fabric.
	c, err := quic.DialAddr(ctx, address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{alpn}}, quicConfig())
	if err != nil {
		return nil, err
	}
	return &quicSession{c}, nil
}

func (s *quicSession) Send(ctx context.Context, size int64) (func() error, error) {
	stream, err := s.c.OpenStreamSync(ctx)
	if err != nil {
		return nil, err
	}
	if err := write(stream, size); err != nil {
		return nil, err
	}
	if err := stream.Close(); err != nil {
		return nil, err
	}
	return func() error {
		if err := reply(stream); err != nil {
			return err
		}
		// A stream stays open until it is read to its end.
		_, err := io.Copy(io.Discard, stream)
		return err
	}, nil
}

func (s *quicSession) Account() account {
	stats := s.c.ConnectionStats()
	return account{stats.PacketsLost, stats.MinRTT}
}

func (s *quicSession) Close() error { return s.c.CloseWithError(0, "") }

type quicListener struct{ l *quic.Listener }

func listenQUIC(address string) (listener, error) {
	config, err := certificate()
	if err != nil {
		return nil, err
	}
	l, err := quic.ListenAddr(address, config, quicConfig())
	if err != nil {
		return nil, err
	}
	return &quicListener{l}, nil
}

func (l *quicListener) Addr() string { return l.l.Addr().String() }

func (l *quicListener) Serve(ctx context.Context, handle func(io.ReadWriter)) error {
	for {
		c, err := l.l.Accept(ctx)
		if errors.Is(err, context.Canceled) || errors.Is(err, quic.ErrServerClosed) {
			return nil
		} else if err != nil {
			return err
		}
		go func() {
			for {
				stream, err := c.AcceptStream(ctx)
				if err != nil {
					return
				}
				go func() {
					handle(stream)
					stream.Close()
				}()
			}
		}()
	}
}

func (l *quicListener) Close() error { return l.l.Close() }

// certificate returns a self-signed TLS configuration for a server.
func certificate() (*tls.Config, error) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	raw, err := x509.CreateCertificate(nil, template, template, public, private)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: private}}, NextProtos: []string{alpn}}, nil
}
