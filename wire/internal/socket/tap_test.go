package socket

import (
	"net/netip"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTap compares what taps at both ends see with what was sent, also where a bank listens at all addresses.
func TestTap(t *testing.T) {
	onEach(t, func(t *testing.T, addr string) {
		a, b := listen(t, addr, Options{Ports: 3, ECN: true}), listen(t, addr, Options{Ports: 2})
		var left, came []Passed
		keep := func(list *[]Passed) func(Passed) {
			return func(p Passed) {
				p.Data = append([]byte{}, p.Data...)
				*list = append(*list, p)
			}
		}
		a.Tap(keep(&left))
		b.Tap(keep(&came))
		for port := range a.Ports() {
			to := netip.AddrPortFrom(reach(b).Addr(), b.ports[port%2].Port())
			if err := a.Send(port, to, []byte{byte(port)}); err != nil {
				t.Fatal(err)
			}
			d := receiveOne(t, b, 100)
			if d.Port != port%2 {
				t.Errorf("it came to port %d, not to %d", d.Port, port%2)
			}
			if err := b.Send(1, d.From, nil); err != nil {
				t.Fatal(err)
			}
			receiveOne(t, a, 100)
		}
		if err := a.Send(a.Ports(), reach(b), nil); err == nil || len(left) != 2*a.Ports() {
			t.Errorf("%d were seen, and %v", len(left), err)
		}
		for i, p := range left {
			if p.Sent != (i%2 == 0) || p.Sent && p.From.Port() != a.ports[i/2].Port() || p.ECN != ecnOfTest(i) {
				t.Errorf("%d is %+v", i, p)
			}
			if p.From.Addr() != reach(a).Addr() {
				t.Errorf("%d is from %v", i, p.From)
			}
			p.Sent = !p.Sent
			if diff := cmp.Diff(p, came[i], cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })); diff != "" {
				t.Errorf("%d, as both ends see it:\n%s", i, diff)
			}
		}
	})
}

// ecnOfTest is the field of the i-th datagram that TestTap sends: those of the first bank are ECN-capable.
func ecnOfTest(i int) uint8 {
	if i%2 == 0 && runtime.GOOS == "linux" && !switched("WEFT_WIRE_NO_ECN") && !switched("WEFT_WIRE_PLAIN") {
		return 2
	}
	return 0
}

// TestRoutes: what is remembered of strangers is bounded, and a peer that cannot be reached has no address of this host.
func TestRoutes(t *testing.T) {
	x := &tap{ports: []netip.AddrPort{netip.MustParseAddrPort("[::]:7")}, own: map[netip.Addr]netip.Addr{}}
	for i := range mostRoutes + 10 {
		peer := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 1, byte(i >> 8), byte(i)}), 9)
		if at := x.local(0, peer); at.Port() != 7 || !at.Addr().IsLoopback() {
			t.Fatalf("%v reaches %v", at, peer)
		}
	}
	if len(x.own) > mostRoutes {
		t.Errorf("%d are remembered", len(x.own))
	}
	if own := route(netip.MustParseAddrPort("[ff02::1%none]:9")); own != netip.IPv6Unspecified() {
		t.Errorf("%v reaches a link that is not there", own)
	}
}
