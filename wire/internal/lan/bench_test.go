package lan

import (
	"net/netip"
	"testing"

	"weft/unit"
)

// source is a host that always has a datagram for another host, each from the next port, and wants to be
// woken at a time that changes with each.
type source struct {
	to   netip.AddrPort
	port int
	left int
	wake unit.Time
	got  int
}

func (h *source) Arrive(now unit.Time, _ netip.AddrPort, _ []byte, _ bool) {
	h.got++
	h.wake = now + unit.Millisecond
}

func (h *source) Next(now unit.Time, b []byte) (to netip.AddrPort, port, n int, ok bool) {
	if h.left == 0 {
		return to, 0, 0, false
	}
	h.left--
	h.port = (h.port + 1) % bank
	h.wake = now + 50*unit.Microsecond
	return h.to, h.port, 1000 + h.port, true
}

func (h *source) Wake(unit.Time) unit.Time { return h.wake }
func (h *source) Expire(unit.Time)         { h.wake = unit.Forever }

// ring returns a network in which each host sends to the next.
func ring(count int) (*Network, []*source) {
	c := paths(4)
	for i := range c.Paths {
		c.Paths[i].Rate = 100 * unit.Gbps
	}
	c.Down.Queue, c.Down.Mark = 200_000, 80_000
	n := New(c)
	hosts := make([]*source, count)
	for i := range hosts {
		hosts[i] = &source{to: address((i + 1) % count), wake: unit.Forever}
		n.Add(hosts[i], address(i))
	}
	return n, hosts
}

// TestAllocations: a datagram allocates nothing.
func TestAllocations(t *testing.T) {
	n, hosts := ring(16)
	n.SetFaults(Faults{Loss: 0.01, Duplicate: 0.01, Corrupt: 0.01, Reorder: 0.01, ReorderBy: unit.Microsecond})
	round := func() {
		for i, h := range hosts {
			h.left = 100
			n.Stir(address(i))
		}
		n.Run(n.Now() + unit.Millisecond)
	}
	for range 20 {
		round()
	}
	before := n.Counts().Arrived
	if allocs := testing.AllocsPerRun(50, round); allocs != 0 {
		t.Errorf("%v allocations per 1600 datagrams", allocs)
	}
	if n.Counts().Arrived < before+50*1500 {
		t.Errorf("only %d arrived", n.Counts().Arrived-before)
	}
}

// BenchmarkMillion carries a million datagrams among 16 hosts over 4 paths.
func BenchmarkMillion(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		n, hosts := ring(16)
		for i, h := range hosts {
			h.left = 1_000_000 / len(hosts)
			n.Stir(address(i))
		}
		n.Run(unit.Forever)
		if c := n.Counts(); c.Sent != 1_000_000 || c.InFlight != 0 {
			b.Fatalf("%+v", c)
		}
	}
}
