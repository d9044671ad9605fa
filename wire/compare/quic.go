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
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
)

// mostQUIC is quic-go's largest datagram.
const mostQUIC = 1452

// openQUIC connects two ends by QUIC, with one stream for goodput and one for the echo. Its
// windows equal weft's memory for arriving messages, so that they do not limit it.
func openQUIC(ctx context.Context, datagram int) (link, error) {
	const window = 256 << 20
	config := &quic.Config{
		InitialPacketSize: uint16(datagram), DisablePathMTUDiscovery: true, KeepAlivePeriod: time.Second,
		InitialStreamReceiveWindow: window, MaxStreamReceiveWindow: window, InitialConnectionReceiveWindow: window, MaxConnectionReceiveWindow: window,
	}
	server, client, err := certificates()
	if err != nil {
		return nil, err
	}
	listener, err := quic.ListenAddr("127.0.0.1:0", server, config)
	if err != nil {
		return nil, err
	}
	conn, err := quic.DialAddr(ctx, listener.Addr().String(), client, config)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	far, err := listener.Accept(ctx)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	came := new(atomic.Int64)
	d := &duplex{came: came, close: func() error { return errors.Join(conn.CloseWithError(0, ""), listener.Close()) }}
	for i, f := range []func(io.ReadWriter){func(s io.ReadWriter) { drain(s, came) }, bounce} {
		s, err := conn.OpenStreamSync(ctx)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		// The far end learns of a stream when data arrives.
		if _, err := s.Write(make([]byte, small)); err != nil {
			return nil, errors.Join(err, d.Close())
		}
		other, err := far.AcceptStream(ctx)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		go f(other)
		if i == 0 {
			d.bulk = s
			continue
		}
		d.echo = s
		if _, err := io.ReadFull(s, make([]byte, small)); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	for came.Load() < small {
		if ctx.Err() != nil {
			return nil, errors.Join(ctx.Err(), d.Close())
		}
		time.Sleep(time.Millisecond)
	}
	return d, nil
}

// certificates returns the TLS configurations of both sides: a certificate for the server that
// the client trusts.
func certificates() (server, client *tls.Config, err error) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	raw, err := x509.CreateCertificate(nil, template, template, public, private)
	if err != nil {
		return nil, nil, err
	}
	leaf, err := x509.ParseCertificate(raw)
	if err != nil {
		return nil, nil, err
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(leaf)
	protocols := []string{"weft-compare"}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{raw}, PrivateKey: private}}, NextProtos: protocols},
		&tls.Config{RootCAs: trusted, NextProtos: protocols}, nil
}
