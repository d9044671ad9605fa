package socket

import (
	"fmt"
	"net/netip"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sendMarked sends a datagram with an ECN field of choice from a socket of the test's.
func sendMarked(t *testing.T, to netip.AddrPort, data string, bits byte) {
	t.Helper()
	family, level, kind := unix.AF_INET, unix.IPPROTO_IP, unix.IP_TOS
	var name unix.Sockaddr = &unix.SockaddrInet4{Port: int(to.Port())}
	if to.Addr().Is6() {
		family, level, kind = unix.AF_INET6, unix.IPPROTO_IPV6, unix.IPV6_TCLASS
		name = &unix.SockaddrInet6{Port: int(to.Port()), Addr: to.Addr().As16()}
	} else {
		name.(*unix.SockaddrInet4).Addr = to.Addr().As4()
	}
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	control := make([]byte, unix.CmsgSpace(4))
	h := &unix.Cmsghdr{Level: int32(level), Type: int32(kind)}
	h.SetLen(unix.CmsgLen(4))
	*(*unix.Cmsghdr)(unsafe.Pointer(&control[0])) = *h
	control[unix.CmsgLen(0)] = bits
	if _, err := unix.SendmsgN(fd, []byte(data), control, name, 0); err != nil {
		t.Fatal(err)
	}
}

func TestMarksAreRead(t *testing.T) {
	for _, way := range []string{"default", "WEFT_WIRE_NO_MMSG", "WEFT_WIRE_NO_ECN"} {
		for _, addr := range []string{"127.0.0.1:0", "[::1]:0", ":0", ":0 over IPv6"} {
			t.Run(fmt.Sprintf("%s/%s", way, addr), func(t *testing.T) {
				if way != "default" {
					t.Setenv(way, "1")
				}
				on, over6 := addr, addr == ":0 over IPv6"
				if over6 {
					listen(t, "[::1]:0", Options{Ports: 1})
					on = ":0"
				}
				b := listen(t, on, Options{Ports: 2})
				to := reach(b)
				if over6 {
					to = netip.AddrPortFrom(netip.IPv6Loopback(), to.Port())
				}
				for bits := range byte(4) {
					sendMarked(t, to, fmt.Sprint(bits), bits)
					d := receiveOne(t, b, 100)
					if want := bits == ce && way != "WEFT_WIRE_NO_ECN"; d.Marked != want || string(d.Data) != fmt.Sprint(bits) {
						t.Errorf("ECN %d: received %q, marked %v", bits, d.Data, d.Marked)
					}
				}
				c := b.Counters()
				if way == "WEFT_WIRE_NO_ECN" {
					if c.ECN != 0 || c.Marked != 0 {
						t.Errorf("counted %+v", c)
					}
				} else if c.ECN != 3 || c.Marked != 1 {
					t.Errorf("counted %+v", c)
				}
			})
		}
	}
}

func TestECNIsSetWhenAsked(t *testing.T) {
	for _, way := range []string{"default", "WEFT_WIRE_NO_ECN"} {
		for _, addr := range loopbacks() {
			for _, ask := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/%v", way, addr, ask), func(t *testing.T) {
					b := listen(t, addr, Options{Ports: 1})
					if way != "default" {
						t.Setenv(way, "1")
					}
					a := listen(t, addr, Options{Ports: 2, ECN: ask})
					for port := range 2 {
						if err := a.Send(port, reach(b), []byte("x")); err != nil {
							t.Fatal(err)
						}
						receiveOne(t, b, 100)
					}
					want := uint64(0)
					if ask && way == "default" {
						want = 2
					}
					if c := b.Counters(); c.ECN != want || c.Marked != 0 {
						t.Errorf("counted %+v, want %d with ECN", c, want)
					}
				})
			}
		}
	}
}

func TestLinkLocalAddressesKeepTheirZone(t *testing.T) {
	var z zones
	for _, text := range []string{"[fe80::1%lo]:7", "[fe80::1%1]:7"} {
		var s sockaddr
		if !s.set(netip.MustParseAddrPort(text), true, &z) {
			t.Fatal(text)
		}
		if got := s.get(&z).String(); got != "[fe80::1%lo]:7" {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestBusySocketSaysSo(t *testing.T) {
	// A packet in a queue below counts against the socket that sent it. Loopback has no queue,
	// so a pair of sockets stands in.
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	// A socket of this kind takes no address, so it is named none.
	var nobody sockaddr
	for range 1 << 20 {
		switch errno := sendTo(pair[0], []byte("full"), &nobody); errno {
		case 0:
		case unix.EAGAIN:
			if errorOf(errno, netip.AddrPort{}, 4, &nobody) != ErrBusy {
				t.Error("a full socket is not ErrBusy")
			}
			return
		default:
			t.Fatal(errno)
		}
	}
	t.Error("the socket took all")
}

func TestNothingIsAllocatedPerDatagram(t *testing.T) {
	for _, addr := range loopbacks() {
		t.Run(addr, func(t *testing.T) {
			a, b := listen(t, addr, Options{ECN: true}), listen(t, addr, Options{})
			data, batch, to := make([]byte, 1452), newBatch(1500), reach(b)
			if n := testing.AllocsPerRun(200, func() {
				for port := range a.Ports() {
					if err := a.Send(port, to, data); err != nil {
						t.Fatal(err)
					}
				}
				for left := a.Ports(); left > 0; {
					n, err := b.Receive(batch)
					if err != nil {
						t.Fatal(err)
					}
					left -= n
				}
			}); n >= 1 {
				t.Errorf("%v allocations for %d datagrams", n, a.Ports())
			}
		})
	}
}

func TestNothingIsAllocatedPerBurst(t *testing.T) {
	a, b := listen(t, "127.0.0.1:0", Options{ECN: true}), listen(t, "127.0.0.1:0", Options{Merge: true})
	bursty(t, a)
	burst, batch, to := segmentsOf(repeated(1452, 16)...), newBatch(1<<16), reach(b)
	if n := testing.AllocsPerRun(200, func() {
		for port := range a.Ports() {
			if err := a.SendBurst(port, to, burst); err != nil {
				t.Fatal(err)
			}
			for left := len(burst); left > 0; {
				n, err := b.Receive(batch)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range batch[:n] {
					for range d.Each {
						left--
					}
				}
			}
		}
	}); n >= 1 {
		t.Errorf("%v allocations for %d bursts", n, a.Ports())
	}
}
