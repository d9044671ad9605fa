package netns

import (
	"net"
	"net/netip"
	"testing"
	"time"
)

// TestUnread: what comes to a socket that nobody reads is counted at its host, of IPv4 and IPv6, and at no other.
func TestUnread(t *testing.T) {
	h := build(t, 3, 0)
	w := connect(t, h)
	to := []netip.Addr{Addr(1)}
	if h.IPv6() {
		to = append(to, Addr6(1))
	}
	before := uint64(0)
	for _, addr := range to {
		at := netip.AddrPortFrom(addr, 9)
		sink := listenPacket(t, h, 1, at)
		if err := sink.(*net.UDPConn).SetReadBuffer(4000); err != nil {
			t.Fatal(err)
		}
		var from net.Conn
		err := h.Do(0, func() (err error) {
			from, err = net.Dial("udp", at.String())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		for range 100 {
			if _, err := from.Write(make([]byte, 1000)); err != nil {
				t.Fatal(err)
			}
		}
		var counts []uint64
		for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if counts, err = h.Unread(); err != nil {
				t.Fatal(err)
			}
			if counts[1] >= before+80 {
				break
			}
		}
		if len(counts) != 3 || counts[0] != 0 || counts[2] != 0 || counts[1] < before+80 || counts[1] > before+100 {
			t.Errorf("%v: %v of 100 datagrams, and %d before", addr, counts, before)
		}
		before = counts[1]
	}
	w.end()
}

func TestInErrors(t *testing.T) {
	const snmp = "Ip: Forwarding InErrors\nIp: 1 7\nUdp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors\nUdp: 10 2 117 80 100\nUdpLite: InDatagrams InErrors\nUdpLite: 3 4\n"
	if n, err := inErrors4([]byte(snmp)); n != 117 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := inErrors6([]byte("Udp6NoPorts \t5\nUdp6InErrors                    \t12\nUdp6RcvbufErrors 9\n")); n != 12 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for _, text := range []string{"", "Udp:\n", "Udp: InDatagrams\nUdp: 1\n", "Udp: InDatagrams InErrors\nUdp: 1\n", "Udp: InErrors\nUdp: x\n"} {
		if n, err := inErrors4([]byte(text)); err == nil {
			t.Errorf("%q has %d", text, n)
		}
		if n, err := inErrors6([]byte(text)); err == nil {
			t.Errorf("%q has %d", text, n)
		}
	}
}
