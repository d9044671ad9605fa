package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/internal/histogram"
	"weft/record"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// steadiness reads the backlog in the measured window, to judge whether the load was
// carried.
type steadiness struct {
	from, span unit.Time
	due        unit.Time
	backlog    []unit.Bytes
	started    [2]uint64 // payload, at the first look and the last
	messages   [2]uint64 // likewise those that started
	rtt        unit.Time
	loads      [][]transport.Load // of hosts, at the edges of quarters
	underWay   unit.Bytes         // at the end of the window, of messages as if each were alone
}

// newSteadiness plans the looks; there are none in a window that has no end.
func newSteadiness(p *plan) steadiness {
	to := min(p.to, p.until)
	if to == unit.Forever || to <= p.from {
		return steadiness{due: unit.Forever}
	}
	return steadiness{from: p.from, span: to - p.from, due: p.from, rtt: p.derived.rtt}
}

// look reads the backlog if that is due.
func (s *steadiness) look(r *run) {
	if r.now < s.due {
		return
	}
	c := r.transport.Counts()
	if len(s.backlog) == 0 {
		s.started[0], s.messages[0] = c.StartedBytes, c.Started
	}
	s.started[1], s.messages[1] = c.StartedBytes, c.Started
	if quarter(len(s.backlog)) {
		s.loads = append(s.loads, r.transport.Loads())
	}
	s.backlog = append(s.backlog, unit.Bytes(c.StartedBytes)-unit.Bytes(c.DeliveredBytes))
	s.due = unit.Forever
	if i := unit.Time(len(s.backlog)); i < record.StabilityLooks {
		const steps = record.StabilityLooks - 1
		s.due = max(r.now+1, s.from+s.span/steps*i+s.span%steps*i/steps)
	}
}

// judge tells whether the load was carried; nil if that cannot be told.
func (r *run) judge() *record.Stability {
	s := &r.steady
	j := record.Judge(s.backlog, unit.Bytes(s.started[1])-unit.Bytes(s.started[0]))
	j.Doubt(s.span, s.rtt, s.messages[1]-s.messages[0])
	if j != nil && j.Unstable {
		load := 0.0
		if r.load != nil {
			_, load, _ = r.load.Over()
		}
		j.Allow(s.underWay, s.span, load)
	}
	return j
}

// addUnderWay adds what of a message that started in the window would not have arrived at its end if it had the
// links of its two hosts to itself.
func (r *run) addUnderWay(m *transport.Message) {
	s := &r.steady
	if s.rtt == 0 || m.Start < s.from || m.Start >= s.from+s.span || m.End != transport.Unfinished && m.End < s.from+s.span {
		return
	}
	left := m.Size
	if gone := s.from + s.span - m.Start - s.rtt; gone > 0 {
		left = max(0, left-min(r.lineRate(m.Src), r.lineRate(m.Dst)).In(gone))
	}
	s.underWay += left
}

// leastHost tells how evenly hosts sent in the window that ends now; nil in one that has no end.
func (r *run) leastHost() *record.LeastHost {
	if r.loads == nil {
		return nil
	}
	hosts := make([]record.HostLoad, len(r.loads))
	for i, now := range r.transport.Loads() {
		was := r.loads[i]
		hosts[i] = record.HostLoad{Had: now.Started - was.Sent, Sent: now.Sent - was.Sent}
	}
	r.loads = nil
	return record.LeastOf(hosts, func(host int) string { return r.hostName(int32(host)) })
}

// Buffers is which switches' buffering is recorded.
type Buffers struct {
	Switches []string  `yaml:"switches" doc:"Switches whose buffer occupancy is summed over the queues of all ports, as names, patterns (tor*) and ranges (tor0..tor8)."`
	Interval unit.Time `yaml:"interval" default:"10us" doc:"Length of the averaging intervals, from the start of the measurement window." source:"SIRD's simulator (NSDI 2025)" min:"1ns"`
	Waiting  bool      `yaml:"waiting_only" default:"false" doc:"Leave out frames in service."`
}

// planBuffers finds the switches of which buffering is measured.
func (p *plan) planBuffers(b *Buffers) error {
	if b == nil {
		return nil
	}
	p.buffers = *b
	chosen := map[topo.NodeID]bool{}
	for i, pattern := range b.Switches {
		nodes, err := p.graph.MatchNodes(pattern)
		if err != nil {
			return at(fmt.Sprintf("record.buffers.switches[%d]", i), err)
		}
		for _, n := range nodes {
			if p.graph.Nodes[n].Kind != topo.Switch {
				return at(fmt.Sprintf("record.buffers.switches[%d]", i), fmt.Errorf("%q names %s, which is a host; only switches have buffers", pattern, p.graph.Nodes[n].Name))
			}
			chosen[n] = true
		}
	}
	for n := range p.graph.Nodes {
		if chosen[topo.NodeID(n)] {
			p.switchesMeasured = append(p.switchesMeasured, topo.NodeID(n))
		}
	}
	return nil
}

// openBuffers begins the measurement of switches.
func (r *run) openBuffers() {
	for _, b := range r.buffering {
		b.Open(r.now)
	}
}

// closeBuffers ends it.
func (r *run) closeBuffers() {
	for _, b := range r.buffering {
		r.buffered = append(r.buffered, b.Close(r.now))
	}
}

// sumBuffers returns what switches buffered, and the series of it.
func (r *run) sumBuffers() (*record.Buffers, []record.Series) {
	if len(r.buffered) == 0 {
		return nil, nil
	}
	out := &record.Buffers{Interval: r.buffers.Interval, Waiting: r.buffers.Waiting}
	var all histogram.Histogram
	var series []record.Series
	var sum, largest unit.Bytes
	for i := range r.buffered {
		b := &r.buffered[i]
		name := r.graph.Nodes[r.switchesMeasured[i]].Name
		one := buffered(b, b.Weights)
		for k, v := range b.Means {
			one.MaxMean = max(one.MaxMean, record.Bytes(v))
			series = append(series, record.Series{Kind: record.Buffer, Entity: name, Time: min(r.from, r.now) + unit.Time(k)*r.buffers.Interval, Value: int64(v)})
		}
		out.Switches = append(out.Switches, record.SwitchBuffer{Name: name, Buffered: one})
		all.Merge(b.Weights)
		sum += b.Mean
		largest = max(largest, b.Max)
		out.MaxMean = max(out.MaxMean, one.MaxMean)
	}
	whole := buffered(&fabric.Buffering{Mean: sum / unit.Bytes(len(r.buffered)), Max: largest}, &all)
	whole.MaxMean = out.MaxMean
	out.Buffered = whole
	return out, series
}

func buffered(b *fabric.Buffering, w *histogram.Histogram) record.Buffered {
	at := func(perMille uint64) record.Bytes { return record.Bytes(w.PerMille(perMille)) }
	return record.Buffered{Mean: record.Bytes(b.Mean), Max: record.Bytes(b.Max), P50: at(500), P99: at(990), P999: at(999)}
}
