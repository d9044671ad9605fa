package netns

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"testing"
	"time"
)

func TestHostsTalk(t *testing.T) {
	for _, c := range []struct{ hosts, mtu int }{{2, 1500}, {2, 9000}, {16, 1500}, {2, 1280}} {
		t.Run(fmt.Sprintf("%d hosts, MTU %d", c.hosts, c.mtu), func(t *testing.T) {
			h := build(t, c.hosts, c.mtu)
			w := connect(t, h)
			a, b := 0, c.hosts-1
			addrs := []netip.Addr{Addr(b)}
			if h.IPv6() {
				addrs = append(addrs, Addr6(b))
			}
			for _, addr := range addrs {
				echo(t, h, a, b, addr)
				stream(t, h, a, b, addr)
			}
			w.check(t, c.mtu)
			// A whole segment fills the MTU.
			if w.longest != c.mtu+Header {
				t.Errorf("the longest frame had %d bytes", w.longest)
			}
			t.Logf("%d frames, dropped %d", w.frames, w.tap.drops)
		})
	}
}

// echo sends datagrams to and fro, also one that IP has to cut.
func echo(t *testing.T, h *Hosts, a, b int, addr netip.Addr) {
	t.Helper()
	server := listenPacket(t, h, b, netip.AddrPortFrom(addr, 7))
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(buf[:n], from)
		}
	}()
	var client net.Conn
	err := h.Do(a, func() (err error) {
		client, err = net.Dial("udp", server.LocalAddr().String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for size := range 10 {
		data := []byte("ping" + strconv.Itoa(size) + string(make([]byte, size*300)))
		if size == 9 {
			data = append(data, make([]byte, 20_000)...)
		}
		_, _ = client.Write(data)
		_ = client.SetReadDeadline(time.Now().Add(20 * time.Second))
		buf := make([]byte, 1<<16)
		n, err := client.Read(buf)
		if err != nil || !bytes.Equal(buf[:n], data) {
			t.Fatalf("%s: echo of %d bytes: %d, %v", addr, len(data), n, err)
		}
	}
}

func listenPacket(t *testing.T, h *Hosts, host int, addr netip.AddrPort) (conn net.PacketConn) {
	t.Helper()
	err := h.Do(host, func() (err error) {
		conn, err = net.ListenPacket("udp", addr.String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// stream sends some MB over TCP, and reads them back.
func stream(t *testing.T, h *Hosts, a, b int, addr netip.Addr) {
	t.Helper()
	var listener net.Listener
	err := h.Do(b, func() (err error) {
		listener, err = net.Listen("tcp", netip.AddrPortFrom(addr, 80).String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		c, err := listener.Accept()
		if err == nil {
			_, _ = io.Copy(c, c)
			c.Close()
		}
	}()
	var c net.Conn
	err = h.Do(a, func() (err error) {
		c, err = net.DialTimeout("tcp", listener.Addr().String(), 20*time.Second)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	data := make([]byte, 4<<20)
	source := rand.NewChaCha8([32]byte{1})
	_, _ = source.Read(data)
	go func() {
		_, _ = c.Write(data)
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	got, err := io.ReadAll(c)
	if err != nil || !bytes.Equal(got, data) {
		t.Fatalf("%s: %d of %d bytes came back, equal %v, %v", addr, len(got), len(data), bytes.Equal(got, data), err)
	}
}

// TestHostsAreQuiet: nothing is sent that no program sent.
func TestHostsAreQuiet(t *testing.T) {
	h := build(t, 3, 0)
	w := connect(t, h)
	time.Sleep(1500 * time.Millisecond)
	w.check(t, h.MTU())
	if w.frames > 0 {
		t.Errorf("%d frames: %v", w.frames, w.wrong)
	}
}

func TestManyHosts(t *testing.T) {
	inside(t)
	begin := time.Now()
	h := build(t, 64, 0)
	t.Logf("64 hosts in %v; notes: %q", time.Since(begin), h.Notes())
	w := connect(t, h)
	echo(t, h, 63, 0, Addr(0))
	w.check(t, h.MTU())
	if lost, err := h.Lost(); err != nil || lost != (Lost{}) {
		t.Errorf("lost %+v, %v", lost, err)
	}
}
