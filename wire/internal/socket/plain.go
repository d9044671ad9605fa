package socket

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// largest is an upper bound of UDP datagrams, in bytes.
const largest = 1 << 16

// messageTooLong is Windows' number for EMSGSIZE. No other system uses it.
const messageTooLong = syscall.Errno(10040)

// plain implements sockets with package net, for systems without something better.
type plain struct {
	conns   []*net.UDPConn
	tally   *tally
	arrived chan *arrival
	done    chan struct{}
	once    sync.Once
	readers sync.WaitGroup
}

// arrival is a datagram that waits for Receive in its reader's buffer.
type arrival struct {
	port  int
	from  netip.AddrPort
	data  []byte
	taken chan struct{}
}

// newPlain starts to read from sockets and takes ownership of them.
func newPlain(conns []*net.UDPConn, s setup) (*plain, Offload, error) {
	p := &plain{conns: conns, tally: s.tally, arrived: make(chan *arrival), done: make(chan struct{})}
	for _, c := range conns {
		// If the system refuses the sizes, its defaults remain.
		_ = c.SetReadBuffer(s.buffer)
		_ = c.SetWriteBuffer(sendBuffer)
	}
	for port, c := range conns {
		p.readers.Go(func() { p.read(port, c) })
	}
	const off = "plain sockets have none"
	return p, Offload{SendOff: off, ReceiveOff: off}, nil
}

// read hands over datagrams that arrive at the socket of one port, until it is closed.
func (p *plain) read(port int, c *net.UDPConn) {
	buffer := make([]byte, largest)
	a := &arrival{port: port, taken: make(chan struct{})}
	for {
		n, from, err := c.ReadFromUDPAddrPort(buffer)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			p.tally.errors.Add(1)
			// A permanent error must not use up a core.
			time.Sleep(time.Millisecond)
			continue
		}
		a.from, a.data = netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), buffer[:n]
		select {
		case p.arrived <- a:
			<-a.taken
		case <-p.done:
			return
		}
	}
}

func (p *plain) receive(batch []Datagram) (int, error) {
	got := 0
	for got < len(batch) {
		var a *arrival
		if got > 0 {
			select {
			case a = <-p.arrived:
			default:
				return got, nil
			}
		} else {
			select {
			case a = <-p.arrived:
			case <-p.done:
				return 0, net.ErrClosed
			}
		}
		if d := &batch[got]; len(a.data) > cap(d.Data) {
			p.tally.truncated.Add(1)
		} else {
			*d = Datagram{From: a.from, Port: a.port, Data: append(d.Data[:0], a.data...)}
			got++
		}
		a.taken <- struct{}{}
	}
	return got, nil
}

func (p *plain) send(port int, to netip.AddrPort, data []byte) error {
	_, err := p.conns[port].WriteToUDPAddrPort(data, to)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, net.ErrClosed):
		return net.ErrClosed
	case errors.Is(err, syscall.ENOBUFS), errors.Is(err, syscall.EAGAIN):
		return ErrBusy
	case errors.Is(err, syscall.EMSGSIZE), errors.Is(err, messageTooLong):
		return &SizeError{To: to, Size: len(data)}
	default:
		return fmt.Errorf("send to %s: %w", to, err)
	}
}

func (p *plain) burst(_ int, to netip.AddrPort, _ [][]byte) error {
	return &RefusedError{to, errNoBursts}
}

// ecn returns 0, since the system decides.
func (p *plain) ecn() uint8 { return 0 }

func (p *plain) close() error {
	p.once.Do(func() {
		close(p.done)
		closeAll(p.conns)
	})
	p.readers.Wait()
	return nil
}
