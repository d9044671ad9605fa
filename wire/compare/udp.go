package main

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// datagrams is two UDP sockets for goodput and two for an echo. Lost datagrams are neither resent
// nor counted.
type datagrams struct {
	size                      int
	sink, sender, far, asking *net.UDPConn
	came                      atomic.Int64
}

func openUDP(_ context.Context, size int) (link, error) {
	d := &datagrams{size: size}
	var err error
	for _, pair := range [][2]**net.UDPConn{{&d.sink, &d.sender}, {&d.far, &d.asking}} {
		if *pair[0], err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
			return nil, err
		}
		if *pair[1], err = net.DialUDP("udp4", nil, (*pair[0]).LocalAddr().(*net.UDPAddr)); err != nil {
			return nil, err
		}
	}
	_ = d.sink.SetReadBuffer(4 << 20) // the size that weft asks for
	go func() {
		b := make([]byte, 1<<16)
		for {
			n, _, err := d.sink.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			d.came.Add(int64(n))
		}
	}()
	go func() {
		b := make([]byte, 1<<16)
		for {
			n, from, err := d.far.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			_, _ = d.far.WriteToUDPAddrPort(b[:n], from)
		}
	}()
	return d, nil
}

// Goodput sends as fast as the kernel accepts and counts arrivals.
func (d *datagrams) Goodput(ctx context.Context, each time.Duration) (float64, error) {
	b := make([]byte, d.size)
	began, before := time.Now(), d.came.Load()
	for (time.Since(began) < each || d.came.Load() == before) && ctx.Err() == nil {
		if _, err := d.sender.Write(b); err != nil {
			return 0, err
		}
	}
	return mbps(d.came.Load()-before, time.Since(began)), ctx.Err()
}

func (d *datagrams) RoundTrip(ctx context.Context, each time.Duration) (float64, error) {
	b := make([]byte, small)
	return timed(ctx, each, func() error {
		if err := d.asking.SetDeadline(time.Now().Add(patience)); err != nil {
			return err
		}
		if _, err := d.asking.Write(b); err != nil {
			return err
		}
		_, err := d.asking.Read(b)
		return err
	})
}

func (d *datagrams) Close() error {
	return errors.Join(d.sink.Close(), d.sender.Close(), d.far.Close(), d.asking.Close())
}
