package scenario

import (
	"weft/fabric"
	"weft/record"
	"weft/unit"
)

// seriesRows returns the recorded series in long form. Each port has a row of its queue at the begin of the run, when it is empty, so
// that a port that did nothing is there.
func (r *run) seriesRows() []record.Series {
	n := 0
	for _, s := range r.series {
		k, _ := s.Buckets()
		n += k + 1
	}
	rows := make([]record.Series, 0, n)
	for i, s := range r.series {
		name := r.graph.PortName(r.ports[i])
		add := func(kind string, buckets fabric.Buckets) {
			for _, b := range buckets {
				rows = append(rows, record.Series{Kind: kind, Entity: name, Time: unit.Time(b.Number) * s.Interval, Value: b.Value})
			}
		}
		add(record.Accepted, s.Offered)
		add(record.Transmitted, s.Sent)
		add(record.Queue, fabric.Buckets{{}})
		add(record.Queue, s.Queue)
		add(record.Dropped, s.Dropped)
		add(record.Paused, s.Paused)
	}
	return rows
}
