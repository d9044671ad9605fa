package watch

import (
	"weft/fabric"
	"weft/record"
	"weft/topo"
	"weft/unit"
)

// ports has the series of ports, which note them themselves.
type ports struct {
	Nothing
	scene    *Scene
	ids      []topo.PortID
	interval unit.Time
	series   []*fabric.Series
}

func newPorts(s *Scene, r *Records) *ports {
	p := &ports{scene: s, ids: r.Ports, interval: r.Interval}
	for _, id := range p.ids {
		p.series = append(p.series, s.Network.Record(id, r.Interval))
	}
	return p
}

// Recorded counts buckets.
func (p *ports) Recorded(now unit.Time) (values int64, err error) {
	for _, s := range p.series {
		n, over := s.Buckets()
		if values += int64(n); over {
			return values, full("interval", p.interval, now)
		}
	}
	return values, nil
}

// Section adds the series in long form. Each port has a row of its queue at the begin of the run, when it is empty, so
// that a port that did nothing is there.
func (p *ports) Section(_ *Moment, res *record.Result) {
	n := 0
	for _, s := range p.series {
		k, _ := s.Buckets()
		n += k + 1
	}
	rows := make([]record.Series, 0, n)
	for i, s := range p.series {
		name := p.scene.Graph.PortName(p.ids[i])
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
	res.Series = append(res.Series, rows...)
	res.Manifest.Interval = p.interval
}
