//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// settings applies the settings that flags ask for to this network namespace.
func (c *common) settings() error {
	if c.transport == "quic" {
		if c.ecn == "off" {
			return os.Setenv("QUIC_GO_DISABLE_ECN", "true")
		}
		return nil // quic-go enables ECN by default
	}
	values := map[string]string{}
	switch c.ecn {
	case "on":
		values["tcp_ecn"] = "1"
	case "off":
		values["tcp_ecn"] = "0"
	}
	if c.buffer > 0 {
		// The initial size is also the maximum, so the kernel does not tune it.
		// SO_RCVBUF would be limited by net.core.rmem_max, which only root can change.
		value := fmt.Sprintf("4096 %d %d", int64(c.buffer), int64(c.buffer))
		values["tcp_rmem"], values["tcp_wmem"] = value, value
	}
	if len(values) > 0 {
		// A connection must not start from the metrics of an earlier one to the same host.
		values["tcp_no_metrics_save"] = "1"
	}
	for key, value := range values {
		if err := os.WriteFile("/proc/sys/net/ipv4/"+key, []byte(value), 0); err != nil {
			return fmt.Errorf("set net.ipv4.%s of this network namespace: %w", key, err)
		}
	}
	return nil
}

// control returns a function that sets the congestion control of a socket.
func control(name string) func(string, string, syscall.RawConn) error {
	if name == "" {
		return nil
	}
	return func(_, _ string, raw syscall.RawConn) error {
		var err error
		if outer := raw.Control(func(fd uintptr) {
			err = unix.SetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION, name)
		}); outer != nil {
			return outer
		}
		if err != nil {
			return fmt.Errorf("set the congestion control %s: %w; /proc/sys/net/ipv4/tcp_available_congestion_control has those of this kernel", name, err)
		}
		return nil
	}
}

type tcpSession struct{ c *net.TCPConn }

func dialTCP(ctx context.Context, address, congestion string) (session, error) {
	c, err := (&net.Dialer{Control: control(congestion)}).DialContext(ctx, "tcp4", address)
	if err != nil {
		return nil, err
	}
	return &tcpSession{c.(*net.TCPConn)}, nil // Go disables Nagle's algorithm
}

func (s *tcpSession) Send(_ context.Context, size int64) (func() error, error) {
	if err := write(s.c, size); err != nil {
		return nil, err
	}
	return func() error { return reply(s.c) }, nil
}

// Account asks the kernel. A closed connection returns zeros.
func (s *tcpSession) Account() account {
	raw, err := s.c.SyscallConn()
	if err != nil {
		return account{}
	}
	var a account
	_ = raw.Control(func(fd uintptr) {
		if i, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			a = account{uint64(i.Total_retrans), time.Duration(i.Min_rtt) * time.Microsecond}
		}
	})
	return a
}

func (s *tcpSession) Close() error {
	_ = s.c.SetLinger(0) // otherwise the kernel continues to send its backlog
	return s.c.Close()
}

type tcpListener struct{ l net.Listener }

func listenTCP(address, congestion string) (listener, error) {
	l, err := (&net.ListenConfig{Control: control(congestion)}).Listen(context.Background(), "tcp4", address)
	if err != nil {
		return nil, err
	}
	return &tcpListener{l}, nil
}

func (l *tcpListener) Addr() string { return l.l.Addr().String() }

func (l *tcpListener) Serve(ctx context.Context, handle func(io.ReadWriter)) error {
	defer context.AfterFunc(ctx, func() { l.l.Close() })()
	for {
		c, err := l.l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		} else if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			handle(c)
		}()
	}
}

func (l *tcpListener) Close() error { return l.l.Close() }
