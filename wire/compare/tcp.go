package main

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
)

// openTCP connects two ends by kernel TCP, with Nagle's algorithm off. The kernel chooses the
// segment size.
func openTCP(ctx context.Context, _ int) (link, error) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer server.Close()
	came := new(atomic.Int64)
	serve := []func(net.Conn){func(c net.Conn) { drain(c, came) }, func(c net.Conn) { bounce(c) }}
	var all []io.ReadWriter
	var close []func() error
	for _, f := range serve {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", server.Addr().String())
		if err != nil {
			return nil, err
		}
		far, err := server.Accept()
		if err != nil {
			return nil, err
		}
		for _, one := range []net.Conn{c, far} {
			if err := one.(*net.TCPConn).SetNoDelay(true); err != nil {
				return nil, err
			}
			close = append(close, one.Close)
		}
		go f(far)
		all = append(all, c)
	}
	return &duplex{bulk: all[0], echo: all[1], came: came, close: func() (err error) {
		for _, f := range close {
			err = errors.Join(err, f())
		}
		return err
	}}, nil
}
