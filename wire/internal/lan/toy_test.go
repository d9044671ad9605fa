package lan

import (
	"encoding/binary"
	"hash/fnv"
	"net/netip"
	"testing"

	"weft/sim"
	"weft/unit"
)

// order is a datagram that a toy is to send, not before a time.
type order struct {
	at   unit.Time
	to   netip.AddrPort
	port int
	size int
}

// receipt is a datagram that a toy got.
type receipt struct {
	at     unit.Time
	from   netip.AddrPort
	size   int
	first  byte
	marked bool
}

// toy is a host that sends what it was told, in order. The first byte of datagrams counts.
type toy struct {
	orders  []order
	got     []receipt
	next    byte
	expired []unit.Time
	react   func(now unit.Time)
}

func (h *toy) Arrive(now unit.Time, from netip.AddrPort, b []byte, marked bool) {
	r := receipt{now, from, len(b), 0, marked}
	if len(b) > 0 {
		r.first = b[0]
	}
	h.got = append(h.got, r)
	if h.react != nil {
		h.react(now)
	}
}

func (h *toy) Next(now unit.Time, b []byte) (to netip.AddrPort, port, n int, ok bool) {
	if len(h.orders) == 0 || h.orders[0].at > now {
		return to, 0, 0, false
	}
	o := h.orders[0]
	h.orders = h.orders[1:]
	clear(b[:o.size])
	b[0] = h.next
	h.next++
	return o.to, o.port, o.size, true
}

func (h *toy) Wake(unit.Time) unit.Time {
	if len(h.orders) == 0 {
		return unit.Forever
	}
	return h.orders[0].at
}

func (h *toy) Expire(now unit.Time) { h.expired = append(h.expired, now) }

// send adds count datagrams.
func (h *toy) send(count int, o order) {
	for range count {
		h.orders = append(h.orders, o)
	}
}

// address returns the address of a host by its number.
func address(host int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(host >> 8), byte(host)}), 4000)
}

// toys returns a network with as many toys.
func toys(c Config, count int) (*Network, []*toy) {
	n := New(c)
	hosts := make([]*toy, count)
	for i := range hosts {
		hosts[i] = &toy{}
		n.Add(hosts[i], address(i))
	}
	return n, hosts
}

// star has hosts at 10 Gb/s around one switch.
func star() Config {
	link := Link{Rate: 10 * unit.Gbps, Delay: unit.Microsecond}
	return Config{Seed: 1, Up: link, Down: link, Overhead: 66}
}

// finish runs a network until nothing is left.
func finish(t *testing.T, n *Network) Counts {
	t.Helper()
	if !n.Run(unit.Forever) {
		t.Fatalf("at %v something is left to happen", n.Now())
	}
	c := n.Counts()
	if c.InFlight != 0 {
		t.Errorf("%d datagrams are in flight at the end", c.InFlight)
	}
	conserve(t, c)
	return c
}

// conserve demands that no datagram is missing.
func conserve(t *testing.T, c Counts) {
	t.Helper()
	if c.Sent+c.Duplicated != c.Arrived+c.Dropped+c.Lost+c.Oversized+c.Nowhere+c.InFlight {
		t.Errorf("datagrams are missing: %+v", c)
	}
}

// near demands that a count is within some standard deviations of its mean.
func near(t *testing.T, what string, got uint64, of uint64, p, sigmas float64) {
	t.Helper()
	mean := float64(of) * p
	if off := float64(got) - mean; off*off > sigmas*sigmas*mean*(1-p) {
		t.Errorf("%s: %d of %d, expected about %.0f", what, got, of, mean)
	}
}

// chatter is a host that sends datagrams of all sizes at random times, and answers some of those that arrive.
type chatter struct {
	state  uint64
	hosts  int
	left   int
	wake   unit.Time
	answer []netip.AddrPort
	trace  uint64
}

func (h *chatter) draw(below uint64) uint64 {
	h.state++
	return sim.Mix(h.state) % below
}

func (h *chatter) Arrive(now unit.Time, from netip.AddrPort, b []byte, marked bool) {
	hash := fnv.New64a()
	head := binary.BigEndian.AppendUint64(nil, h.trace)
	head = binary.BigEndian.AppendUint64(head, uint64(now))
	head = binary.BigEndian.AppendUint16(head, from.Port())
	if marked {
		head = append(head, 1)
	}
	hash.Write(head)
	hash.Write(b)
	h.trace = hash.Sum64()
	if h.draw(4) == 0 {
		h.answer = append(h.answer, from)
	}
}

func (h *chatter) Next(now unit.Time, b []byte) (to netip.AddrPort, port, n int, ok bool) {
	switch {
	case len(h.answer) > 0:
		to, h.answer = h.answer[0], h.answer[1:]
	case h.left > 0 && h.wake <= now:
		h.left--
		to = address(int(h.draw(uint64(h.hosts))))
		to = netip.AddrPortFrom(to.Addr(), to.Port()+uint16(h.draw(bank+1))) // the last is no host's
		h.wake = now + unit.Time(h.draw(3))*unit.Microsecond
	default:
		return to, 0, 0, false
	}
	n = int(h.draw(3000))
	for i := range b[:n] {
		b[i] = byte(i)
	}
	return to, int(h.draw(bank)), n, true
}

func (h *chatter) Wake(unit.Time) unit.Time {
	if h.left == 0 {
		return unit.Forever
	}
	return h.wake
}

func (h *chatter) Expire(unit.Time) {}
