package socket

import (
	"net"
	"net/netip"
	"sync"
)

// Passed is a datagram that a Bank sent or received.
type Passed struct {
	From, To netip.AddrPort
	Sent     bool
	// ECN is the ECN field of its IP header, 0 if unknown.
	ECN  uint8
	Data []byte
}

// Tap sets a function to be called for each datagram that the kernel took, and each that Receive
// returns. The data is valid during the call. Calls may be concurrent. Tap must be called before
// any other method.
//
// If a Bank listens at all addresses of the host, the kernel does not say which one a datagram
// used. Tap reports the address from which the peer is reached.
func (b *Bank) Tap(see func(Passed)) {
	b.tap = &tap{see: see, ports: b.ports, ecn: b.sockets.ecn(), own: map[netip.Addr]netip.Addr{}}
}

// tap observes a bank. A nil tap does nothing.
type tap struct {
	see   func(Passed)
	ports []netip.AddrPort
	ecn   uint8

	mu sync.Mutex
	// own maps each peer's address to this host's address on the route to it.
	own map[netip.Addr]netip.Addr
}

// mostRoutes limits the size of own, since strangers may have many addresses.
const mostRoutes = 4096

func (t *tap) sent(port int, to netip.AddrPort, data []byte) {
	if t != nil {
		t.see(Passed{From: t.local(port, to), To: to, Sent: true, ECN: t.ecn, Data: data})
	}
}

func (t *tap) received(list []Datagram) {
	if t == nil {
		return
	}
	for i := range list {
		d := &list[i]
		to := t.local(d.Port, d.From)
		for one := range d.Each {
			t.see(Passed{From: d.From, To: to, ECN: d.ECN, Data: one})
		}
	}
}

// local returns the address of a port as a peer sees it.
func (t *tap) local(port int, peer netip.AddrPort) netip.AddrPort {
	at := t.ports[port]
	if !at.Addr().IsUnspecified() {
		return at
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	own, known := t.own[peer.Addr()]
	if !known {
		if len(t.own) >= mostRoutes {
			clear(t.own)
		}
		own = route(peer)
		t.own[peer.Addr()] = own
	}
	return netip.AddrPortFrom(own, at.Port())
}

// route returns the host's address on the route to a peer, or the unspecified address of the
// peer's family if there is no route.
func route(peer netip.AddrPort) netip.Addr {
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(peer)) // sends nothing
	if err != nil {
		if peer.Addr().Is4() {
			return netip.IPv4Unspecified()
		}
		return netip.IPv6Unspecified()
	}
	defer c.Close()
	return localOf(c).Addr()
}
