//go:build linux

package netns

import (
	"bytes"
	"io"
	"math/rand"
	"net"
	"net/netip"
	"testing"
	"time"
)

func TestSpike(t *testing.T) {
	inside(t)
	begin := time.Now()
	h, err := space.Build(Options{Names: names(2)})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	t.Log("built in", time.Since(begin), h.notes, h.six)
	tap, err := h.Tap(TapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("buffer", tap.Buffer())
	go func() {
		batch := NewBatch(64, 1500)
		for {
			tap.Wait(-1)
			n, err := tap.Read(batch)
			if err != nil {
				panic(err)
			}
			for i := range n {
				p := &batch[i]
				var to netip.Addr
				switch p.Data[12] {
				case 0x08:
					to, _ = netip.AddrFromSlice(p.Data[30:34])
				case 0x86:
					to, _ = netip.AddrFromSlice(p.Data[38:54])
				}
				if k, ok := HostOf(to); ok {
					p.Host = int32(k)
				} else {
					t.Logf("stray %x", p.Data)
				}
			}
			tap.Write(batch[:n])
		}
	}()
	for _, addr := range []string{Addr(1).String(), Addr6(1).String()} {
		var ln net.Listener
		if err := h.Do(1, func() (err error) { ln, err = net.Listen("tcp", net.JoinHostPort(addr, "5000")); return }); err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 8<<20)
		rand.New(rand.NewSource(1)).Read(data)
		go func() {
			c, err := ln.Accept()
			if err != nil {
				panic(err)
			}
			io.Copy(c, c)
			c.Close()
		}()
		var c net.Conn
		if err := h.Do(0, func() (err error) {
			c, err = net.DialTimeout("tcp", net.JoinHostPort(addr, "5000"), 3*time.Second)
			return
		}); err != nil {
			t.Fatal(err)
		}
		begin = time.Now()
		go func() { c.Write(data); c.(*net.TCPConn).CloseWrite() }()
		got, err := io.ReadAll(c)
		t.Log(addr, len(got), bytes.Equal(got, data), err, time.Since(begin), tap.Drops())
	}
}
