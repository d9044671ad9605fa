package watch

import (
	"slices"

	"weft/fabric"
	"weft/record"
	"weft/topo"
	"weft/unit"
)

// ports writes the time series of ports, which the ports record themselves.
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

// kinds is the number of series per port.
const kinds = 5

// Section adds the series in long form. Each port has a row for its empty queue at the
// beginning, so that a port that did nothing appears, too. If the run ended at a stated
// time or was interrupted, each series continues to that time.
func (p *ports) Section(m *Moment, res *record.Result) {
	n := 0
	for _, s := range p.series {
		k, _ := s.Buckets()
		n += k + 1 + 2*kinds
	}
	last := p.last(m)
	rows := make([]record.Series, 0, n)
	for i, s := range p.series {
		name := p.scene.Graph.PortName(p.ids[i])
		add := func(kind string, buckets fabric.Buckets) {
			for _, b := range prolonged(buckets, last) {
				rows = append(rows, record.Series{Kind: kind, Entity: name, Time: unit.Time(b.Number) * s.Interval, Value: b.Value})
			}
		}
		add(record.Accepted, s.Offered)
		add(record.Transmitted, s.Sent)
		add(record.Queue, append(fabric.Buckets{{}}, s.Queue...))
		add(record.Dropped, s.Dropped)
		add(record.Paused, s.Paused)
	}
	res.Series = append(res.Series, rows...)
	res.Manifest.Interval = p.interval
}

// last returns the bucket up to which series continue, or -1 if they end with their last
// event.
func (p *ports) last(m *Moment) int64 {
	if m.Now == 0 || m.Ended != record.Until && m.Ended != record.Interrupted {
		return -1
	}
	if last := int64((m.Now - 1) / p.interval); last < fabric.MostBuckets {
		return last
	}
	return -1 // no reader accepts so many buckets
}

// prolonged continues buckets up to the last one of the run with zeros. It adds the first
// and the last empty bucket, so that a line through all of them falls at once and stays
// there. A series without buckets is unchanged.
func prolonged(buckets fabric.Buckets, last int64) fabric.Buckets {
	k := len(buckets)
	if k == 0 || buckets[k-1].Number >= last {
		return buckets
	}
	first := buckets[k-1].Number + 1
	buckets = append(slices.Clip(buckets), fabric.Bucket{Number: first})
	if first < last {
		buckets = append(buckets, fabric.Bucket{Number: last})
	}
	return buckets
}
