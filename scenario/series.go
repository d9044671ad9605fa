package scenario

import (
	"weft/record"
	"weft/unit"
)

// seriesRows returns the recorded series in long form.
func (r *run) seriesRows() []record.Series {
	var rows []record.Series
	for i, s := range r.series {
		name := r.graph.PortName(r.ports[i])
		at := func(b int) unit.Time { return unit.Time(b) * s.Interval }
		for b, v := range s.Offered {
			rows = append(rows, record.Series{Kind: record.Accepted, Entity: name, Time: at(b), Value: int64(v)})
		}
		for b, v := range s.Sent {
			rows = append(rows, record.Series{Kind: record.Transmitted, Entity: name, Time: at(b), Value: int64(v)})
		}
		for b, v := range s.Queue {
			rows = append(rows, record.Series{Kind: record.Queue, Entity: name, Time: at(b), Value: int64(v)})
		}
		for b, v := range s.Dropped {
			rows = append(rows, record.Series{Kind: record.Dropped, Entity: name, Time: at(b), Value: int64(v)})
		}
		for b, v := range s.Paused {
			rows = append(rows, record.Series{Kind: record.Paused, Entity: name, Time: at(b), Value: int64(v)})
		}
	}
	return rows
}
