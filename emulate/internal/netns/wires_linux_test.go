package netns

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
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
			if p.At < 0 || p.At > time.Since(w.tap.stamps.start) || p.At < last-time.Second {
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
