package netns

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"time"
)

// wires forwards frames by their destination, and looks at each.
type wires struct {
	tap  *Tap
	stop chan struct{}
	done sync.WaitGroup
	// These are read when it has stopped.
	frames, longest int
	early           int
	wrong           map[string]int
}

// connect starts to forward frames between hosts until the test ends, or stop is called.
func connect(t testing.TB, h *Hosts) *wires {
	t.Helper()
	tap, err := h.Tap(TapOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := &wires{tap: tap, stop: make(chan struct{}), wrong: map[string]int{}}
	w.done.Add(1)
	go w.forward(t, h.MTU())
	t.Cleanup(w.end)
	return w
}

func (w *wires) end() {
	select {
	case <-w.stop:
	default:
		close(w.stop)
		w.done.Wait()
		w.tap.Close()
	}
}

func (w *wires) forward(t testing.TB, mtu int) {
	defer w.done.Done()
	// Room for what is too long, so that it is noticed.
	batch := NewBatch(64, mtu+2000)
	last := time.Duration(0)
	for {
		select {
		case <-w.stop:
			return
		default:
		}
		if _, err := w.tap.Wait(10 * time.Millisecond); err != nil {
			t.Error(err)
			return
		}
		n, err := w.tap.Read(batch)
		if err != nil {
			t.Error(err)
			return
		}
		for i := range n {
			p := &batch[i]
			w.frames++
			w.longest = max(w.longest, len(p.Data))
			if p.At < 0 || p.At > time.Since(w.tap.start) || p.At < last-time.Second {
				w.early++
			}
			last = p.At
			to, fault := look(p)
			if fault != "" {
				w.wrong[fault]++
				continue
			}
			p.Host = int32(to)
		}
		for sent := 0; sent < n; {
			m, err := w.tap.Write(batch[sent:n])
			if err != nil {
				t.Error(err)
				return
			}
			sent += m
		}
	}
}

// look returns the host to which a frame goes, and what is wrong with it.
func look(p *Packet) (int, string) {
	if len(p.Data) < Header+20 || !bytes.Equal(p.Data[:6], hostMAC) || !bytes.Equal(p.Data[6:12], hostMAC) {
		return 0, fmt.Sprintf("a frame that starts with %x", p.Data[:min(len(p.Data), 14)])
	}
	ip := p.Data[Header:]
	var src, dst netip.Addr
	var proto byte
	var rest []byte
	switch binary.BigEndian.Uint16(p.Data[12:]) {
	case 0x0800:
		src, _ = netip.AddrFromSlice(ip[12:16])
		dst, _ = netip.AddrFromSlice(ip[16:20])
		head := int(ip[0]&15) * 4
		if sum(0, ip[:head]) != 0xffff {
			return 0, "checksum of IPv4"
		}
		proto, rest = ip[9], ip[head:binary.BigEndian.Uint16(ip[2:])]
		if binary.BigEndian.Uint16(ip[6:])&0x3fff != 0 {
			proto = 0 // a fragment
		}
	case 0x86dd:
		src, _ = netip.AddrFromSlice(ip[8:24])
		dst, _ = netip.AddrFromSlice(ip[24:40])
		proto, rest = ip[6], ip[40:40+int(binary.BigEndian.Uint16(ip[4:]))]
	default:
		return 0, fmt.Sprintf("protocol %x", p.Data[12:14])
	}
	to, ok := HostOf(dst)
	if from, known := HostOf(src); !ok || !known || from != int(p.Host) {
		return 0, fmt.Sprintf("from %s to %s, protocol %d", src, dst, proto)
	}
	if proto == 6 || proto == 17 {
		pseudo := append(append([]byte{}, src.AsSlice()...), dst.AsSlice()...)
		if sum(sum(0, pseudo)+uint32(proto)+uint32(len(rest)), rest) != 0xffff {
			return 0, fmt.Sprintf("checksum of protocol %d", proto)
		}
	}
	return to, ""
}

// sum adds to a checksum of the Internet.
func sum(s uint32, data []byte) uint32 {
	for ; len(data) > 1; data = data[2:] {
		s += uint32(binary.BigEndian.Uint16(data))
		s = s&0xffff + s>>16
	}
	if len(data) == 1 {
		s += uint32(data[0]) << 8
	}
	for s > 0xffff {
		s = s&0xffff + s>>16
	}
	return s
}

// check stops the wires and tells what was wrong with frames.
func (w *wires) check(t *testing.T, mtu int) {
	t.Helper()
	w.end()
	for what, n := range w.wrong {
		t.Errorf("%d frames: %s", n, what)
	}
	if w.longest > mtu+Header {
		t.Errorf("a frame of %d bytes with an MTU of %d", w.longest, mtu)
	}
	if w.early > 0 {
		t.Errorf("%d of %d frames have impossible times", w.early, w.frames)
	}
}

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
	if sent, received, err := h.Lost(); err != nil || sent > 0 || received > 0 {
		t.Errorf("lost %d and %d, %v", sent, received, err)
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		host      int
		four, six string
	}{{0, "10.0.0.1", "fd00::1"}, {254, "10.0.0.255", "fd00::ff"}, {65535, "10.1.0.0", "fd00::1:0"}, {most - 1, "10.255.255.253", "fd00::ff:fffd"}} {
		if Addr(c.host).String() != c.four || Addr6(c.host).String() != c.six {
			t.Errorf("host %d has %s and %s", c.host, Addr(c.host), Addr6(c.host))
		}
		for _, text := range []string{c.four, c.six, "::ffff:" + c.four} {
			if got, ok := HostOf(netip.MustParseAddr(text)); !ok || got != c.host {
				t.Errorf("%s is of host %d, %v", text, got, ok)
			}
		}
	}
	for _, text := range []string{"10.0.0.0", "11.0.0.1", "fd00::", "fd00:0:0:1::1", "fe80::1", "fd00::100:1", "::1"} {
		if got, ok := HostOf(netip.MustParseAddr(text)); ok {
			t.Errorf("%s is of host %d", text, got)
		}
	}
}
