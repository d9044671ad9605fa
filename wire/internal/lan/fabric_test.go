package lan

import (
	"net/netip"
	"testing"

	"weft/unit"
)

// paths returns the star with as many paths.
func paths(count int) Config {
	c := star()
	for range count {
		c.Paths = append(c.Paths, Link{Rate: 10 * unit.Gbps, Delay: unit.Microsecond})
	}
	return c
}

// TestPaths: each port has its path, and ports use all paths evenly.
func TestPaths(t *testing.T) {
	const count, hosts = 8, 200
	n, all := toys(paths(count), hosts+1)
	want := [count]uint64{}
	for i, h := range all[:hosts] {
		for k := range bank {
			h.send(2, order{to: address(hosts), port: k, size: 100})
			from := netip.AddrPortFrom(address(i).Addr(), address(i).Port()+uint16(k))
			want[n.Path(from, address(hosts))]++
		}
	}
	finish(t, n)
	for p := range count {
		c := n.PathCounts(p)
		if c.Sent != 2*want[p] || c.Arrived != c.Sent {
			t.Errorf("path %d: %+v, expected %d", p, c, 2*want[p])
		}
		near(t, "ports of a path", want[p], hosts*bank, 1./count, 3)
	}
	// Another destination or seed gives other paths to most.
	c := paths(count)
	c.Seed++
	other := New(c)
	same := [2]uint64{}
	for i := range hosts {
		was := n.Path(address(i), address(hosts))
		if n.Path(address(i), address(hosts+1)) == was {
			same[0]++
		}
		if other.Path(address(i), address(hosts)) == was {
			same[1]++
		}
	}
	near(t, "same path to another host", same[0], hosts, 1./count, 4)
	near(t, "same path by another seed", same[1], hosts, 1./count, 4)
}

// TestCut: a path that is cut loses what is on it and what it is given, until it is mended.
func TestCut(t *testing.T) {
	n, hosts := toys(paths(2), 2)
	const period = 10 * unit.Microsecond
	cut := n.Path(address(0), address(1))
	other := 0
	for n.Path(netip.AddrPortFrom(address(0).Addr(), 4000+uint16(other)), address(1)) == cut {
		other++
	}
	for i := range 100 {
		hosts[0].send(1, order{at: unit.Time(i) * period, to: address(1), size: 1184})
		hosts[0].send(1, order{at: unit.Time(i) * period, to: address(1), port: other, size: 1184})
	}
	// Each first one is on the path from 2 µs to 4 µs of its period.
	n.At(20*period+3*unit.Microsecond, func() { n.Cut(cut, true) })
	n.At(50*period+1*unit.Microsecond, func() { n.Cut(cut, false) })
	n.At(70*period+3*unit.Microsecond, func() { n.Cut(cut, true); n.Cut(cut, false) })
	total := finish(t, n)
	if c := n.PathCounts(cut); c.Sent != 100 || c.Lost != 31 || c.Arrived != 69 || total.Lost != 31 {
		t.Errorf("the cut path: %+v, all: %+v", c, total)
	}
	if c := n.PathCounts(1 - cut); c.Sent != 100 || c.Arrived != 100 {
		t.Errorf("the other path: %+v", c)
	}
}

// TestMTU: a link loses what is larger than it takes, and a path may come to take less.
func TestMTU(t *testing.T) {
	c := paths(1)
	c.Paths[0].MTU, c.Down.MTU = 1000, 900
	n, hosts := toys(c, 2)
	send := func() {
		for _, size := range []int{800, 801, 900, 901, 1000, 1001} {
			hosts[0].send(1, order{to: address(1), size: size})
		}
		n.Stir(address(0))
	}
	send()
	if total := finish(t, n); total.Oversized != 3 || len(hosts[1].got) != 3 || n.PathCounts(0).Oversized != 1 {
		t.Errorf("%d arrived, %+v, on the path %+v", len(hosts[1].got), total, n.PathCounts(0))
	}
	c.Paths[0].MTU = 800
	n.SetLink(0, c.Paths[0])
	send()
	if total := finish(t, n); total.Oversized != 8 || len(hosts[1].got) != 4 || n.PathCounts(0).Oversized != 6 {
		t.Errorf("%d arrived, %+v, on the path %+v", len(hosts[1].got), total, n.PathCounts(0))
	}
}

// TestFaults: faults have their frequencies, and can be turned off.
func TestFaults(t *testing.T) {
	c := paths(4)
	c.Faults = Faults{Loss: 0.05, Duplicate: 0.03, Corrupt: 0.02, Reorder: 0.1, ReorderBy: 5 * unit.Microsecond}
	n, hosts := toys(c, 2)
	const count = 100_000
	hosts[0].send(count, order{to: address(1), size: 10})
	total := finish(t, n)
	near(t, "lost", total.Lost, count, 0.05, 4)
	near(t, "duplicated", total.Duplicated, count-total.Lost, 0.03, 4)
	near(t, "corrupted", total.Corrupted, total.Arrived, 0.02, 4)
	near(t, "reordered", total.Reordered, total.Arrived, 0.1, 4)
	if total.Arrived != uint64(len(hosts[1].got)) {
		t.Errorf("%d arrived, %d were counted", len(hosts[1].got), total.Arrived)
	}
	n.SetFaults(Faults{})
	hosts[0].send(count, order{to: address(1), size: 10})
	n.Stir(address(0))
	before := total
	if total = finish(t, n); total.Arrived != before.Arrived+count || total.Corrupted != before.Corrupted {
		t.Errorf("without faults %+v became %+v", before, total)
	}
}

// TestCertain: each fault does to a datagram what it says, and nothing else.
func TestCertain(t *testing.T) {
	const way = 2*unit.Microsecond + 2*unit.Microsecond
	for _, test := range []struct {
		faults Faults
		at     []unit.Time
		bits   bool // one bit of each is wrong
	}{
		{Faults{}, []unit.Time{way}, false},
		{Faults{Loss: 1, Duplicate: 1}, nil, false},
		{Faults{Duplicate: 1}, []unit.Time{way, way + unit.Microsecond}, false},
		{Faults{Corrupt: 1}, []unit.Time{way}, true},
		{Faults{Corrupt: 1, Duplicate: 1}, []unit.Time{way, way + unit.Microsecond}, true},
		{Faults{Reorder: 1, ReorderBy: 7}, []unit.Time{way + 7}, false},
	} {
		c := star()
		c.Faults = test.faults
		n := New(c)
		sender, sink := &toy{}, &reader{}
		n.Add(sender, address(0))
		n.Add(sink, address(1))
		sender.send(1, order{to: address(1), size: 1184})
		finish(t, n)
		if len(sink.at) != len(test.at) {
			t.Errorf("%+v: %d arrived", test.faults, len(sink.at))
			continue
		}
		for i, at := range sink.at {
			if at != test.at[i] || sink.from[i] != address(0) || (sink.ones[i] == 1) != test.bits || sink.ones[i] > 1 {
				t.Errorf("%+v: number %d came at %v with %d bits", test.faults, i, at, sink.ones[i])
			}
		}
	}
}
