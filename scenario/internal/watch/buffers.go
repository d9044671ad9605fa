package watch

import (
	"weft/fabric"
	"weft/internal/histogram"
	"weft/record"
	"weft/topo"
	"weft/unit"
)

// buffers measures the buffer occupancy of switches in the measured window.
type buffers struct {
	Nothing
	scene    *Scene
	switches []topo.NodeID
	options  BufferOptions
	open     []*fabric.Buffer
	found    []fabric.Buffering // the results at the end of the window
}

func newBuffers(s *Scene, r *Records) *buffers {
	b := &buffers{scene: s, switches: r.Switches, options: r.Buffers}
	for _, node := range b.switches {
		b.open = append(b.open, s.Network.Buffer(node, b.options.Interval, b.options.Waiting))
	}
	return b
}

// Open begins the measurement.
func (b *buffers) Open(now unit.Time) {
	for _, one := range b.open {
		one.Open(now)
	}
}

// Close ends the measurement.
func (b *buffers) Close(now unit.Time) {
	for _, one := range b.open {
		b.found = append(b.found, one.Close(now))
	}
}

// Recorded counts averaging intervals.
func (b *buffers) Recorded(now unit.Time) (values int64, err error) {
	for _, one := range b.open {
		n, over := one.Buckets()
		if values += int64(n); over {
			return values, full("buffers.interval", b.options.Interval, now)
		}
	}
	return values, nil
}

// Section adds the buffer occupancy of switches, and its time series.
func (b *buffers) Section(m *Moment, res *record.Result) {
	if len(b.found) == 0 {
		return
	}
	out := &record.Buffers{Interval: b.options.Interval, Waiting: b.options.Waiting}
	var all histogram.Histogram
	var sum, largest unit.Bytes
	begin := min(b.scene.From, m.Now)
	for i := range b.found {
		f := &b.found[i]
		name := b.scene.Graph.Nodes[b.switches[i]].Name
		one := buffered(f, f.Weights)
		for k, v := range f.Means {
			one.MaxMean = max(one.MaxMean, record.Bytes(v))
			res.Series = append(res.Series, record.Series{Kind: record.Buffer, Entity: name, Time: begin + unit.Time(k)*b.options.Interval, Value: int64(v)})
		}
		out.Switches = append(out.Switches, record.SwitchBuffer{Name: name, Buffered: one})
		all.Merge(f.Weights)
		sum += f.Mean
		largest = max(largest, f.Max)
		out.MaxMean = max(out.MaxMean, one.MaxMean)
	}
	whole := buffered(&fabric.Buffering{Mean: sum / unit.Bytes(len(b.found)), Max: largest}, &all)
	whole.MaxMean = out.MaxMean
	out.Buffered = whole
	res.Summary.Buffers = out
}

func buffered(b *fabric.Buffering, w *histogram.Histogram) record.Buffered {
	at := func(perMille uint64) record.Bytes { return record.Bytes(w.PerMille(perMille)) }
	return record.Buffered{Mean: record.Bytes(b.Mean), Max: record.Bytes(b.Max), P50: at(500), P99: at(990), P999: at(999)}
}
