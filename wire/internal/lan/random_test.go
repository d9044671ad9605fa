package lan

import (
	"testing"

	"weft/unit"
)

// mess runs hosts that chatter over a bad network, with crashes, moves and cuts.
// It returns a hash of all that arrived.
func mess(t *testing.T, seed uint64) (trace uint64, total Counts) {
	const count = 12
	c := paths(3)
	c.Seed = seed
	c.Down.Queue, c.Down.Mark = 20_000, 5000
	for i := range c.Paths {
		c.Paths[i].Queue, c.Paths[i].Mark = 50_000, 20_000
	}
	c.Faults = Faults{Loss: 0.01, Duplicate: 0.01, Corrupt: 0.01, Reorder: 0.1, ReorderBy: 30 * unit.Microsecond}
	n := New(c)
	hosts := make([]*chatter, count)
	for i := range hosts {
		hosts[i] = &chatter{state: uint64(i) << 32, hosts: count, left: 2000}
		n.Add(hosts[i], address(i))
	}
	for i := range unit.Time(20) {
		at := (50*i + 1) * unit.Microsecond
		path := int(i % 3)
		n.At(at, func() { n.Cut(path, true) })
		n.At(at+20*unit.Microsecond, func() { n.Cut(path, false) })
		var crashed Host
		n.At(at+5*unit.Microsecond, func() { crashed = n.Remove(address(3)) })
		n.At(at+25*unit.Microsecond, func() { n.Add(crashed, address(3)) })
		n.At(at+15*unit.Microsecond, func() { n.Move(address(5), address(50)) })
		n.At(at+35*unit.Microsecond, func() { n.Move(address(50), address(5)) })
	}
	for !n.Run(n.Now() + unit.Microsecond/2) {
		conserve(t, n.Counts())
	}
	total = finish(t, n)
	for _, h := range hosts {
		if h.left > 0 {
			t.Errorf("a host has %d left", h.left)
		}
		trace = trace*31 + h.trace
	}
	var ways Counts
	for p := range c.Paths {
		way := n.PathCounts(p)
		ways.Sent, ways.Lost, ways.InFlight = ways.Sent+way.Sent, ways.Lost+way.Lost, ways.InFlight+way.InFlight
	}
	if ways.InFlight != 0 || ways.Lost >= total.Lost || ways.Sent != total.Sent+total.Duplicated-(total.Lost-ways.Lost) {
		t.Errorf("the paths have %+v of %+v", ways, total)
	}
	return trace, total
}

// TestConservation: no datagram is missing at any time, whatever happens, and all of it happens.
func TestConservation(t *testing.T) {
	_, c := mess(t, 1)
	for _, v := range []uint64{c.Sent, c.Arrived, c.Dropped, c.Lost, c.Marked, c.Duplicated, c.Corrupted, c.Reordered, c.Nowhere} {
		if v < 100 {
			t.Errorf("something was rare: %+v", c)
		}
	}
}

// TestSameSeed: the same seed gives the same run, another one does not.
func TestSameSeed(t *testing.T) {
	one, counts := mess(t, 1)
	if again, c := mess(t, 1); again != one || c != counts {
		t.Errorf("the same seed gave %x and %x, %+v and %+v", one, again, counts, c)
	}
	if two, _ := mess(t, 2); two == one {
		t.Error("another seed gave the same run")
	}
}
