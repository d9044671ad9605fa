package transport

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fault"
	"weft/sim"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// TestMeasuredMessages records those messages that start within the window, the
// first instant included and the last one not, whenever they end.
func TestMeasuredMessages(t *testing.T) {
	const us = unit.Microsecond
	l := &list{}
	for i := range 10 {
		*l = append(*l, workload.Message{At: unit.Time(i) * 10 * us, Dst: 1, Size: 100 * payload})
	}
	for _, domains := range []int{1, 2} {
		messages := append(list(nil), *l...)
		c := labConfig{
			Graph:   graph(t, topo.Dumbbell{Left: 1, Right: 1, Rate: 100 * unit.Gbps, Delay: us, SwitchLatency: 0}),
			Domains: domains,
			Groups:  []Group{{Params: params(unit.MiB), Sources: []workload.Source{&messages, nil}}},
		}
		lab := c.build(t)
		lab.transport.from, lab.transport.to = 30*us, 50*us
		lab.run(t, unit.Second)
		var got []uint64
		for _, m := range collect(lab.transport) {
			got = append(got, m.Ordinal)
			if m.End < m.Start+33*us || m.SenderEnd < m.End {
				t.Errorf("message %d from %d to %d, acknowledged at %d", m.Ordinal, m.Start, m.End, m.SenderEnd)
			}
		}
		if diff := cmp.Diff([]uint64{3, 4}, got); diff != "" {
			t.Errorf("%d domains: measured (-want +got):\n%s", domains, diff)
		}
		if counts := lab.transport.Counts(); counts.Started != 10 || counts.Completed != 10 {
			t.Errorf("%d domains: started %d and completed %d of 10", domains, counts.Started, counts.Completed)
		}
	}
}

// TestUnfinished stops a run in the middle: what is not done says so, and the
// oldest of it is named.
func TestUnfinished(t *testing.T) {
	const us = unit.Microsecond
	g := graph(t, topo.Dumbbell{Left: 3, Right: 1, Rate: 100 * unit.Gbps, Delay: us, SwitchLatency: 0})
	for _, domains := range []int{1, 2} {
		p := params(10 * payload)
		p.RTO = 100 * us
		entropy := count(&p)
		entropy.next = 40
		sources := make([]workload.Source, 4)
		sources[1] = &list{{At: 0, Dst: 0, Size: payload}, {At: 20 * us, Dst: 3, Size: 30 * payload}}
		sources[0] = &list{{At: 40 * us, Dst: 3, Size: payload}}
		lab := labConfig{Graph: g, Domains: domains, Groups: []Group{{Params: p, Sources: sources}}}.build(t)
		if w, ok := lab.transport.Oldest(); ok {
			t.Errorf("%d domains: before the run %+v waits", domains, w)
		}
		// Two packets have come through the link in the middle by now.
		lab.run(t, 23*us)
		lab.Apply(23*us, fault.Change{Port: topo.PortID(2 * (len(g.Links) - 1)), What: fault.Down})
		lab.run(t, 90*us)
		got, ok := lab.transport.Oldest()
		want := Waiting{
			Group: 0, Src: 1, Dst: 3, Ordinal: 1, Start: 20 * us, Packets: 30, Left: 28,
			Entropy: 43, Window: 10 * payload, InFlight: got.InFlight, Blocked: ByWindow,
		}
		if !ok {
			t.Fatalf("%d domains: nothing waits", domains)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d domains: the oldest (-want +got):\n%s", domains, diff)
		}
		if got.InFlight == 0 || got.InFlight > got.Window {
			t.Errorf("%d domains: %d bytes in flight of %d", domains, got.InFlight, got.Window)
		}
		type end struct {
			Src             int32
			Ordinal         uint64
			Ended, SenderOK bool
		}
		var ends []end
		for _, m := range collect(lab.transport) {
			ends = append(ends, end{m.Src, m.Ordinal, m.End != Unfinished, m.SenderEnd != Unfinished})
		}
		if diff := cmp.Diff([]end{{0, 0, false, false}, {1, 0, true, true}, {1, 1, false, false}}, ends); diff != "" {
			t.Errorf("%d domains: ends (-want +got):\n%s", domains, diff)
		}
		c := lab.transport.Counts()
		if c.Started != 3 || c.Completed != 1 || c.Delivered != 1 {
			t.Errorf("%d domains: %+v", domains, c)
		}
	}
}

// TestGroupsShareHosts runs two groups with transports of their own over the same
// pairs of hosts.
func TestGroupsShareHosts(t *testing.T) {
	slow, fast := params(payload), params(unit.MiB)
	slow.Payload, slow.Header, slow.AckSize = 1000, 40, 40
	l := labConfig{Graph: star(t, 2), Groups: []Group{
		{Name: "slow", Params: slow, Sources: from(0, 2, message1(10_000))},
		{Name: "fast", Params: fast, Sources: from(0, 2, message1(10*payload), message1(payload))},
	}}.build(t)
	type row struct {
		Group   int
		Ordinal uint64
		Size    unit.Bytes
		Packets uint32
	}
	var got []row
	var ends []sim.Time
	for _, m := range l.finish(t) {
		got = append(got, row{m.Group, m.Ordinal, m.Size, m.Packets})
		ends = append(ends, m.End)
	}
	want := []row{{0, 0, 10_000, 10}, {1, 0, 10 * payload, 10}, {1, 1, payload, 1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if ends[0] < ends[1] {
		t.Errorf("the group with a window of %d packets was done at %d, the one with all at once at %d", payload/1000, ends[0], ends[1])
	}
}
