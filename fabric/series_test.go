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
		want    dense
	}{
		{
			"a frame at the beginning of a bucket",
			at(2*us, 0), nil,
			dense{Offered: []int64{0, 0, 1000}, Sent: []int64{0, 0, 1000}, Queue: []int64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		},
		{
			"a frame in the middle of a bucket",
			at(2*us+us/4, 0), nil,
			dense{Offered: []int64{0, 0, 1000}, Sent: []int64{0, 0, 750, 250}, Queue: []int64{0, 0, 0, 1000, 0, 0, 0, 0, 0, 0, 0}},
		},
		{
			"a queue of four",
			at(2*us-1, 0, 1, 2, 3), nil,
			dense{Offered: []int64{0, 4000}, Sent: []int64{0, 0, 1000, 1000, 1000, 1000}, Queue: []int64{0, 0, 4000, 3000, 2000, 1000, 0, 0, 0, 0, 0}},
		},
		{
			"slower while a frame is in service: it began before the run, had it been sent at that rate",
			at(us, 0, 1), []fault.Change{change(us+us/2, fault.SetRate, 2*unit.Gbps)},
			dense{Offered: []int64{0, 2000}, Sent: []int64{0, 1000, 250, 250, 250, 250}, Queue: []int64{0, 0, 1000, 1000, 1000, 1000, 0, 0, 0, 0, 0}},
		},
		{
			"faster, and again",
			at(us, 0, 1, 2), []fault.Change{change(us+us/2, fault.SetRate, 16*unit.Gbps), change(us+us*3/4, fault.SetRate, 4*unit.Gbps)},
			dense{Offered: []int64{0, 3000}, Sent: []int64{0, 1000, 500, 500, 500, 500}, Queue: []int64{0, 0, 2000, 2000, 1000, 1000, 0, 0, 0, 0, 0}},
		},
		{
			"what is offered to a dead link counts, what it loses is not sent",
			append(at(us, 0, 1), at(4*us, 2)...), []fault.Change{change(2*us+us/2, fault.Down, 0)},
			dense{Offered: []int64{0, 2000, 0, 0, 1000}, Sent: []int64{0, 1000}, Queue: []int64{0, 0, 1000, 0, 0, 0, 0, 0, 0, 0, 0}, Dropped: []int64{0, 0, 1, 0, 1}},
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
			if diff := cmp.Diff(test.want.trimmed(), denseOf(got)); diff != "" {
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
	for i, q := range denseOf(series).Queue[21:] { // the third came at 2 µs and 1 ns
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

// dense is a series with all its buckets, up to the last one of each kind in which there is something.
type dense struct{ Offered, Sent, Queue, Dropped []int64 }

func denseOf(s *fabric.Series) dense {
	all := func(buckets fabric.Buckets) (values []int64) {
		for _, b := range buckets {
			for int64(len(values)) <= b.Number {
				values = append(values, 0)
			}
			values[b.Number] = b.Value
		}
		return values
	}
	return dense{all(s.Offered), all(s.Sent), all(s.Queue), all(s.Dropped)}
}

func (d dense) trimmed() dense {
	for _, values := range []*[]int64{&d.Offered, &d.Sent, &d.Queue, &d.Dropped} {
		for n := len(*values); n > 0 && (*values)[n-1] == 0; n-- {
			*values = (*values)[:n-1]
		}
		if len(*values) == 0 {
			*values = nil
		}
	}
	return d
}

// TestSeriesOfIdleTime records a port over seconds in which nothing comes, and one whose queue stands still. Buckets without anything
// take no room.
func TestSeriesOfIdleTime(t *testing.T) {
	n := setup{Graph: funnel(4, 8*unit.Gbps, 1000, 0), Sends: []send{{At: 0, Src: 0, Dst: 4, ID: 0, Size: 1000}, {At: 1000 * unit.Second, Src: 1, Dst: 4, ID: 1, Size: 1000}}}.build(t)
	s := n.Record(n.port(t, "left", "right"), unit.Nanosecond)
	n.drain(t)
	n.Finish(9_000_000 * unit.Second)
	if k, full := s.Buckets(); k > 3*1000*2+10 || full { // a frame takes 1 µs
		t.Errorf("%d buckets, full: %v", k, full)
	}
	if want := int64(1000 * unit.Second / unit.Nanosecond); s.Offered[len(s.Offered)-1].Number < want {
		t.Errorf("the last frame was offered in bucket %d, before %d", s.Offered[len(s.Offered)-1].Number, want)
	}
}
