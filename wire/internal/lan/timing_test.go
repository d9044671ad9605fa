package lan

import (
	"testing"

	"weft/unit"
)

// TestLone: a lone datagram takes a transmission and a delay per link, to the picosecond.
func TestLone(t *testing.T) {
	c := star()
	c.Up = Link{Rate: 7 * unit.Gbps, Delay: 3 * unit.Nanosecond}
	c.Down = Link{Rate: 9 * unit.Gbps, Delay: 5 * unit.Nanosecond, Queue: 1066, Mark: 1}
	for _, test := range []struct {
		paths []Link
		want  unit.Time
	}{
		// 1066 B are 8528 bits: 1218285.71 ps at 7 Gb/s, 947555.56 at 9 and 2842666.67 at 3.
		{nil, 1218286 + 3000 + 947556 + 5000},
		{[]Link{{Rate: 3 * unit.Gbps, Delay: 7 * unit.Nanosecond}}, 1218286 + 3000 + 2842667 + 7000 + 947556 + 5000},
	} {
		c.Paths = test.paths
		n, hosts := toys(c, 2)
		hosts[0].send(1, order{at: 11, to: address(1), port: 63, size: 1000})
		finish(t, n)
		got := hosts[1].got
		if len(got) != 1 || got[0].at != 11+test.want || n.Now() != got[0].at {
			t.Fatalf("got %v, expected one at %v", got, 11+test.want)
		}
		if r := got[0]; r.from.Addr() != address(0).Addr() || r.from.Port() != 4063 || r.size != 1000 || r.marked {
			t.Errorf("got %+v", r)
		}
	}
}

// TestBurst: datagrams of a burst leave and arrive one transmission after another.
func TestBurst(t *testing.T) {
	n, hosts := toys(star(), 2)
	const count = 1000
	hosts[0].send(count, order{to: address(1), size: 1184})
	finish(t, n)
	each := (10 * unit.Gbps).Transmit(1250)
	if each != unit.Microsecond {
		t.Fatal(each)
	}
	for i, r := range hosts[1].got {
		if want := unit.Time(i+2)*each + 2*unit.Microsecond; r.at != want || int(r.first) != i%256 {
			t.Fatalf("number %d (%d) arrived at %v, not at %v", i, r.first, r.at, want)
		}
	}
	if len(hosts[1].got) != count {
		t.Errorf("%d arrived", len(hosts[1].got))
	}
}

// TestShare: two senders at full rate have half of the receiver's link each. Its queue grows by one datagram
// per transmission, so marks and drops begin where the closed form says.
func TestShare(t *testing.T) {
	const size, count = 1250, 200
	for _, test := range []struct {
		mark, queue unit.Bytes
		marked      int // number of the first marked one
		dropped     int // and of the first dropped one, in order of arrival at the queue; -1: none
	}{
		// Datagrams 2k and 2k+1 reach the queue together, when k-1 of those before have left after the first:
		// number 2k finds k, number 2k+1 finds k+1.
		{0, 0, -1, -1},
		{10 * size, 0, 21, -1},
		{10*size - 1, 0, 19, -1},
		{0, 11 * size, -1, 21},
		{0, 11*size - 1, -1, 19},
		{5 * size, 11 * size, 11, 21},
	} {
		c := star()
		c.Down.Mark, c.Down.Queue = test.mark, test.queue
		n, hosts := toys(c, 3)
		for _, h := range hosts[:2] {
			h.send(count, order{to: address(2), size: size - 66})
		}
		total := finish(t, n)
		longest := unit.Bytes((count + 1) * size)
		if test.queue > 0 {
			longest = test.queue / size * size
		}
		if got := n.LongestQueue(address(2)); got != longest {
			t.Errorf("%+v: the longest queue was %v, not %v", test, got, longest)
		}
		got := hosts[2].got
		for i, r := range got {
			want := unit.Time(i+2)*unit.Microsecond + 2*unit.Microsecond
			if r.at != want {
				t.Fatalf("%+v: number %d arrived at %v, not at %v", test, i, r.at, want)
			}
		}
		first := -1
		for i, r := range got {
			if r.marked {
				first = i
				break
			}
		}
		if first != test.marked {
			t.Errorf("%+v: the first marked is %d", test, first)
		}
		if test.dropped < 0 {
			from := [2]int{}
			for _, r := range got {
				from[r.from.Addr().As4()[3]]++
			}
			if from != [2]int{count, count} || total.Dropped != 0 {
				t.Errorf("%+v: %v arrived, %+v", test, from, total)
			}
			continue
		}
		// Host 0 is first in each pair, so it is host 1's that are dropped: from then on every one.
		if int(total.Dropped) != (2*count-test.dropped+1)/2 {
			t.Errorf("%+v: %d were dropped", test, total.Dropped)
		}
		if r := got[test.dropped]; r.from != address(0) {
			t.Errorf("%+v: number %d is from %v", test, test.dropped, r.from)
		}
	}
}

// TestSlowPath: a path's rate can change, and its queue drops and marks on its own account.
func TestSlowPath(t *testing.T) {
	c := star()
	c.Paths = []Link{{Rate: 100 * unit.Gbps}}
	n, hosts := toys(c, 2)
	n.SetLink(0, Link{Rate: unit.Gbps, Queue: 5 * 1250, Mark: 2 * 1250})
	hosts[0].send(100, order{to: address(1), size: 1184})
	total := finish(t, n)
	p := n.PathCounts(0)
	// One leaves per 10 that come, from 1 µs on: after 5 have filled it, the queue takes one per 10.
	if p.Sent != 100 || p.Arrived != 14 || p.Dropped != 86 || p.Marked != 11 || total.Dropped != 86 || total.Arrived != 14 || total.Marked != 11 {
		t.Errorf("path %+v, all %+v", p, total)
	}
	got := hosts[1].got
	for i := range got[1:] {
		if gap := got[i+1].at - got[i].at; gap != 10*unit.Microsecond {
			t.Errorf("number %d came %v after the one before", i+1, gap)
		}
	}
}

// TestTwice: a datagram that two queues mark is counted once.
func TestTwice(t *testing.T) {
	c := star()
	c.Paths = []Link{{Rate: 5 * unit.Gbps, Mark: 1}}
	c.Down = Link{Rate: unit.Gbps, Mark: 1}
	n, hosts := toys(c, 2)
	hosts[0].send(10, order{to: address(1), size: 1184})
	if total := finish(t, n); total.Marked != 9 || n.PathCounts(0).Marked != 9 || hosts[1].got[0].marked || !hosts[1].got[9].marked {
		t.Errorf("%+v, on the path %+v", total, n.PathCounts(0))
	}
}

// TestStanding: a queue that never empties needs no more memory with time.
func TestStanding(t *testing.T) {
	q := queue{Link: Link{Rate: 10 * unit.Gbps, Queue: 100 * 1250}}
	taken := 0
	for now := unit.Time(0); now < unit.Second/10; now += 900 * unit.Nanosecond {
		if _, _, ok := q.take(now, 1250); ok {
			taken++
		}
	}
	if most := 2 * 2 * 100; cap(q.leaving) > most || taken < 100_000 || q.bytes < 99*1250 {
		t.Errorf("%v of %d datagrams need room for %d", q.bytes, taken, cap(q.leaving))
	}
}
