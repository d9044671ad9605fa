package fabric_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/fabric"
	"weft/fault"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// TestSeries records the link from a funnel's left switch, which carries 1000
// bytes in a microsecond, in buckets of a microsecond.
func TestSeries(t *testing.T) {
	const us = unit.Microsecond
	at := func(when sim.Time, ids ...uint32) (sends []send) {
		for _, id := range ids {
			sends = append(sends, send{At: when - 1000, Src: int32(id), Dst: 4, ID: id, Size: 1000})
		}
		return sends
	}
	change := func(at sim.Time, what fault.Effect, rate unit.Rate) fault.Change {
		return fault.Change{At: at, What: what, Rate: rate}
	}
	tests := []struct {
		name    string
		sends   []send
		changes []fault.Change
		want    fabric.Series
	}{
		{
			"a frame at the beginning of a bucket",
			at(2*us, 0), nil,
			fabric.Series{Offered: []uint64{0, 0, 1000}, Sent: []uint64{0, 0, 1000}, Queue: []uint32{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		},
		{
			"a frame in the middle of a bucket",
			at(2*us+us/4, 0), nil,
			fabric.Series{Offered: []uint64{0, 0, 1000}, Sent: []uint64{0, 0, 750, 250}, Queue: []uint32{0, 0, 0, 1000, 0, 0, 0, 0, 0, 0, 0}},
		},
		{
			"a queue of four",
			at(2*us-1, 0, 1, 2, 3), nil,
			fabric.Series{Offered: []uint64{0, 4000}, Sent: []uint64{0, 0, 1000, 1000, 1000, 1000}, Queue: []uint32{0, 0, 4000, 3000, 2000, 1000, 0, 0, 0, 0, 0}},
		},
		{
			"slower while a frame is in service: it began before the run, had it been sent at that rate",
			at(us, 0, 1), []fault.Change{change(us+us/2, fault.SetRate, 2*unit.Gbps)},
			fabric.Series{Offered: []uint64{0, 2000}, Sent: []uint64{0, 1000, 250, 250, 250, 250}, Queue: []uint32{0, 0, 1000, 1000, 1000, 1000, 0, 0, 0, 0, 0}},
		},
		{
			"faster, and again",
			at(us, 0, 1, 2), []fault.Change{change(us+us/2, fault.SetRate, 16*unit.Gbps), change(us+us*3/4, fault.SetRate, 4*unit.Gbps)},
			fabric.Series{Offered: []uint64{0, 3000}, Sent: []uint64{0, 1000, 500, 500, 500, 500}, Queue: []uint32{0, 0, 2000, 2000, 1000, 1000, 0, 0, 0, 0, 0}},
		},
		{
			"what is offered to a dead link counts, what it loses is not sent",
			append(at(us, 0, 1), at(4*us, 2)...), []fault.Change{change(2*us+us/2, fault.Down, 0)},
			fabric.Series{Offered: []uint64{0, 2000, 0, 0, 1000}, Sent: []uint64{0, 1000}, Queue: []uint32{0, 0, 1000, 0, 0, 0, 0, 0, 0, 0, 0}, Dropped: []uint32{0, 0, 1, 0, 1}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			n := setup{Graph: funnel(4, 8*unit.Gbps, 1000, 0), Sends: test.sends}.build(t)
			link := n.port(t, "left", "right")
			got := n.Record(link, us)
			for _, c := range test.changes {
				c.Port = link
				n.change(t, c)
			}
			n.drain(t)
			n.Finish(10 * us)
			test.want.Interval = us
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("series (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSeriesOfCoins fills a queue of three frames that hardly moves. Newcomers take
// the place of the last one or not; the record must always see three.
func TestSeriesOfCoins(t *testing.T) {
	const us = unit.Microsecond
	link := topo.PortID(2 * (50 + 1))
	s := setup{Graph: funnel(50, unit.Mbps, 1000, 0), Port: func(p topo.PortID) fabric.PortConfig {
		if p != link {
			return unlimited(p)
		}
		return fabric.PortConfig{Classes: 2, Limit: 3000, Trim: &fabric.TrimConfig{Header: 64, Coin: true}}
	}}
	for i := range 50 {
		s.Sends = append(s.Sends, send{At: sim.Time(i) * us, Src: int32(i), Dst: 50, ID: uint32(i), Size: 1000, Class: 1})
	}
	n := s.build(t)
	series := n.Record(link, us/10)
	n.run(t, 50*us)
	n.Finish(50 * us)
	for i, q := range series.Queue[21:] { // the third came at 2 µs and 1 ns
		if q != 3000 {
			t.Fatalf("at the start of bucket %d the queue was %d bytes, want 3000", 21+i, q)
		}
	}
}

// TestRecordingChangesNothing compares the deliveries and counters of a queue
// that overflows, with and without a record.
func TestRecordingChangesNothing(t *testing.T) {
	run := func(record bool) ([]delivery, fabric.PortCounters) {
		s := setup{Graph: funnel(8, 8*unit.Gbps, 1000, 0)}
		for i := range 400 {
			s.Sends = append(s.Sends, send{At: sim.Time(i/2) * 777 * unit.Nanosecond, Src: int32(i % 8), Dst: 8, ID: uint32(i), Size: uint16(500 + i)})
		}
		n := s.build(t)
		link := n.port(t, "left", "right")
		if record {
			n.Record(link, 1_234_567)
		}
		n.change(t, fault.Change{At: 50 * unit.Microsecond, Port: link, What: fault.SetRate, Rate: 3 * unit.Gbps})
		n.drain(t)
		n.Finish(unit.Millisecond)
		return n.logs[8], n.Counters(link, unit.Millisecond)
	}
	log, counters := run(false)
	recordedLog, recordedCounters := run(true)
	if diff := cmp.Diff(log, recordedLog); diff != "" {
		t.Errorf("deliveries (-without +with a record):\n%s", diff)
	}
	if diff := cmp.Diff(counters, recordedCounters); diff != "" {
		t.Errorf("counters (-without +with a record):\n%s", diff)
	}
}
