//go:build linux

package main

import (
	"fmt"
	"net"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// line delays frames: it reads them from one link and writes them to another after
// a delay, in order.
type line struct {
	delay    time.Duration
	in, out  int
	frames   chan *delayed
	free     chan *delayed
	late     []float64
	dropped  atomic.Uint64
	stopping atomic.Bool
	over     chan struct{}
}

type delayed struct {
	due  time.Time
	size int
	data [mtu + 14]byte
}

// lined counts what a line did.
type lined struct {
	Frames  int    `json:"frames"`
	Dropped uint64 `json:"dropped"`
	// P50 and P99 are of how late frames left.
	P50 float64 `json:"late_p50_us"`
	P99 float64 `json:"late_p99_us"`
}

// most is how many frames a line can hold.
const most = 4096

// newLine opens a line between two links of a namespace.
func newLine(n *namespace, in, out string, delay time.Duration) (*line, error) {
	l := &line{delay: delay, frames: make(chan *delayed, most), free: make(chan *delayed, most), over: make(chan struct{})}
	for range most {
		l.free <- new(delayed)
	}
	err := n.do(func() (err error) {
		if l.in, err = packetSocket(in, unix.ETH_P_IP); err != nil {
			return err
		}
		l.out, err = packetSocket(out, 0) // it reads nothing
		return err
	})
	if err != nil {
		return nil, err
	}
	// The timeout lets the reader check whether it should stop.
	if err := unix.SetsockoptTimeval(l.in, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 50_000}); err != nil {
		return nil, err
	}
	go l.read()
	go l.write()
	return l, nil
}

func packetSocket(link string, protocol uint16) (int, error) {
	i, err := net.InterfaceByName(link)
	if err != nil {
		return 0, err
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, fmt.Errorf("open a packet socket: %w", err)
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1); err != nil {
		return 0, err
	}
	return fd, unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: protocol<<8 | protocol>>8, Ifindex: i.Index})
}

func (l *line) read() {
	defer close(l.frames)
	for !l.stopping.Load() {
		f := <-l.free
		n, _, err := unix.Recvfrom(l.in, f.data[:], 0)
		if err != nil || len(l.free) == 0 {
			if err == nil {
				l.dropped.Add(1)
			}
			l.free <- f
			continue
		}
		f.due, f.size = time.Now().Add(l.delay), n
		l.frames <- f
	}
}

func (l *line) write() {
	defer close(l.over)
	// Go's timers may fire a millisecond late, so this thread sleeps by itself.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	for f := range l.frames {
		if wait := time.Until(f.due); wait > 0 {
			t := unix.NsecToTimespec(int64(wait))
			_ = unix.Nanosleep(&t, nil)
		}
		l.late = append(l.late, micros(time.Since(f.due)))
		if _, err := unix.Write(l.out, f.data[:f.size]); err != nil {
			l.dropped.Add(1)
		}
		l.free <- f
	}
}

// counts stops the line and returns its counts.
func (l *line) counts() lined {
	l.Close()
	q := quantiles(l.late, 0.5, 0.99)
	return lined{Frames: len(l.late), Dropped: l.dropped.Load(), P50: q[0], P99: q[1]}
}

func (l *line) Close() {
	if l.stopping.Swap(true) {
		return
	}
	<-l.over
	unix.Close(l.in)
	unix.Close(l.out)
}
