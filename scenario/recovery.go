package scenario

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/fault"
	"weft/record"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// The definition of the time to regain the full rate; docs/results.md describes it.
const (
	// The rate before a fault is the mean of rateBuckets buckets. The rate after it is the
	// mean of spanBuckets buckets.
	rateBuckets = 8
	spanBuckets = 4
	// fullRate is the share of the earlier rate that must be regained, in per cent.
	fullRate = 95
	// mostWords limits the memory that each domain uses for the measurement.
	mostWords = 1 << 17
)

// incident is a time after 0 at which links fail, slow down, or begin to lose frames.
type incident struct {
	at unit.Time
	// edges marks the edge switches whose hosts are affected, by index into recovery.edges.
	edges []bool
	// bound is the most that can be delivered from and to these hosts right after the
	// incident; 0 means that nothing can.
	bound unit.Rate
}

// recovery measures the effects of faults on ports and on the hosts behind them.
type recovery struct {
	of        *plan
	edges     []topo.NodeID // switches with hosts
	edge      []int32       // of each host
	incidents []incident
	gauge     *transport.Gauge
	open      map[openKey]int // rows of faults in force
	rows      []record.Fault
	losses    []fabric.Losses // of each row, when its fault began
	ports     []topo.PortID   // of each row
	met       meetings
}

type openKey struct {
	port topo.PortID
	kind string
}

// newRecovery plans the measurement of a plan's faults.
func newRecovery(p *plan) *recovery {
	v := &recovery{of: p, open: map[openKey]int{}}
	if len(p.failing.timeline.Changes) == 0 {
		return v
	}
	place := map[topo.NodeID]int32{}
	for _, up := range p.uplinks {
		_, sw := p.graph.Ends(up)
		if _, known := place[sw]; !known {
			place[sw] = int32(len(v.edges))
			v.edges = append(v.edges, sw)
		}
		v.edge = append(v.edge, place[sw])
	}
	v.findIncidents(place)
	v.planGauge()
	v.met = newMeetings(p.failing.timeline)
	return v
}

// findIncidents replays the changes to find the incidents.
func (v *recovery) findIncidents(place map[topo.NodeID]int32) {
	g := v.of.graph
	rates, losses := map[topo.PortID]unit.Rate{}, map[topo.PortID]unit.Ratio{}
	for _, c := range v.of.failing.timeline.Changes {
		worse := c.What == fault.Down
		switch c.What {
		case fault.SetRate:
			before, changed := rates[c.Port]
			if !changed {
				before = g.Links[c.Port.Link()].Rate
			}
			worse = c.Rate < before
			rates[c.Port] = c.Rate
		case fault.SetLoss:
			worse = c.Loss > losses[c.Port]
			losses[c.Port] = c.Loss
		}
		if !worse || c.At == 0 {
			continue
		}
		n := len(v.incidents)
		if n == 0 || v.incidents[n-1].at != c.At {
			if n == transport.MaxGauged {
				return
			}
			v.incidents = append(v.incidents, incident{at: c.At, edges: make([]bool, len(v.edges))})
			n++
		}
		from, to := g.Ends(c.Port)
		a, atA := place[from]
		b, atB := place[to]
		felt := v.incidents[n-1].edges
		switch {
		case !atA && !atB: // between higher switches: any host may be affected
			for i := range felt {
				felt[i] = true
			}
		default:
			if atA {
				felt[a] = true
			}
			if atB {
				felt[b] = true
			}
		}
	}
}

// planGauge sets up the measurement of the affected hosts' rates.
func (v *recovery) planGauge() {
	n := len(v.incidents)
	if n == 0 {
		return
	}
	bucket := max(v.of.derived.rtt, unit.Nanosecond)
	first := v.incidents[0].at
	start := first - rateBuckets*bucket
	if start < 0 {
		start = first % bucket
	}
	v.gauge = &transport.Gauge{
		Start: start, Bucket: bucket, Most: mostWords / n, Sets: n,
		In: make([]uint16, len(v.edge)), Edge: v.edge,
	}
	for h, e := range v.edge {
		for i := range v.incidents {
			if v.incidents[i].edges[e] {
				v.gauge.In[h] |= 1 << i
			}
		}
	}
}

// changing is called before each change of a link.
func (v *recovery) changing(n *fabric.Network, now unit.Time, c fault.Change) {
	v.met.look(n, now, c.Port)
	kind := record.FaultDown
	switch c.What {
	case fault.SetRate:
		kind = record.FaultRate
	case fault.SetLoss:
		kind = record.FaultLoss
	default:
		if v.of.isMissing(c.Port.Link()) {
			kind = record.FaultMissing
		}
	}
	key := openKey{c.Port, kind}
	if row, is := v.open[key]; is {
		v.rows[row].To = now
		v.end(n, now, row)
		delete(v.open, key)
	}
	f := record.Fault{Kind: kind, From: now, To: record.Unfinished, LastOffered: record.Unfinished, Avoided: record.Unfinished, Regained: record.Unfinished}
	switch c.What {
	case fault.Up:
		return
	case fault.SetRate:
		if f.Rate = c.Rate; c.Rate == v.of.graph.Links[c.Port.Link()].Rate {
			return
		}
	case fault.SetLoss:
		if f.Probability = float64(c.Loss); c.Loss == 0 {
			return
		}
	}
	if len(v.rows) == record.MostFaults {
		return
	}
	v.open[key] = len(v.rows)
	v.rows = append(v.rows, f)
	v.losses = append(v.losses, n.Losses(c.Port, now))
	v.ports = append(v.ports, c.Port)
}

// changed is called after all changes of one instant.
func (v *recovery) changed(n *fabric.Network, now unit.Time) {
	i, found := slices.BinarySearchFunc(v.incidents, now, func(x incident, at unit.Time) int { return cmp.Compare(x.at, at) })
	if found {
		v.incidents[i].bound = v.bound(n, v.incidents[i].edges)
	}
}

// bound returns the most that can be delivered from and to the hosts of the affected
// switches. It adds what these hosts can send, and what the other hosts can send to them.
// Each edge switch is limited by the links to its hosts and by its links to other switches.
func (v *recovery) bound(n *fabric.Network, felt []bool) unit.Rate {
	var out, in, outOfOthers unit.Rate
	adjacency := v.of.graph.Adjacency()
	rate := func(p topo.PortID) unit.Rate {
		if n.Down(p) {
			return 0
		}
		return n.Rate(p)
	}
	for i, sw := range v.edges {
		var toHosts, fromHosts, up, down unit.Rate
		for _, p := range adjacency.Ports(sw) {
			if _, to := v.of.graph.Ends(p); v.of.graph.Nodes[to].Kind == topo.Host {
				toHosts += rate(p)
				fromHosts += rate(p.Reverse())
			} else {
				up += rate(p)
				down += rate(p.Reverse())
			}
		}
		if felt[i] {
			out += min(fromHosts, up)
			in += min(toHosts, down)
		} else {
			outOfOthers += min(fromHosts, up)
		}
	}
	return out + min(in, outOfOthers)
}

// end completes the row of a fault with its effects on the port.
func (v *recovery) end(n *fabric.Network, now unit.Time, row int) {
	f, before, l := &v.rows[row], v.losses[row], n.Losses(v.ports[row], now)
	switch f.Kind {
	case record.FaultDown, record.FaultMissing:
		f.Lost, f.LostBytes = int64(l.Down-before.Down), int64(l.DownBytes-before.DownBytes)
		f.Offered, f.OfferedBytes = int64(l.Refused-before.Refused), int64(l.RefusedBytes-before.RefusedBytes)
		f.Flushed = int64(l.Flushed - before.Flushed)
		if l.Last >= 0 {
			f.LastOffered = l.Last
		}
		if l.Before >= 0 {
			f.Avoided = l.Before
		}
	case record.FaultLoss:
		f.Lost, f.LostBytes = int64(l.Random-before.Random), int64(l.RandomBytes-before.RandomBytes)
	}
}

// settle completes the rows of faults still in force at the end of the run, and adds the
// times at which rates were regained.
func (v *recovery) settle(n *fabric.Network, t *transport.Transport, now unit.Time) {
	for _, row := range v.open {
		v.end(n, now, row)
	}
	v.regain(t.Gauged(now), now)
}

// regain finds, for each incident, when the affected hosts were again served at the earlier
// rate, or at the highest rate still possible.
func (v *recovery) regain(buckets [][]uint64, now unit.Time) {
	g := v.gauge
	for i := range v.incidents {
		in := &v.incidents[i]
		if in.at > now {
			return
		}
		past := int((in.at - g.Start) / g.Bucket)
		from := max(0, past-rateBuckets)
		sum := func(from, to int) (s uint64) {
			for _, b := range buckets[from:to] {
				s += b[i]
			}
			return s
		}
		if past == from || past > len(buckets) {
			continue
		}
		count := unit.Time(past - from)
		before := sum(from, past)
		if before == 0 {
			continue
		}
		target := before
		if bound := uint64(v.of.payloadShare(in.bound).In(count * g.Bucket)); bound > 0 {
			target = min(before, bound)
		}
		regained := record.Unfinished
		first := past
		if g.Start+unit.Time(past)*g.Bucket < in.at {
			first++
		}
		for b := first; b+spanBuckets <= len(buckets); b++ {
			if 100*uint64(count)*sum(b, b+spanBuckets) >= fullRate*spanBuckets*target {
				regained = g.Start + unit.Time(b)*g.Bucket
				break
			}
		}
		for r := range v.rows {
			if f := &v.rows[r]; f.From == in.at && f.Kind != record.FaultMissing {
				f.RateBefore = unit.Bytes(before).Over(count * g.Bucket)
				f.RateTarget = unit.Bytes(target * fullRate / 100).Over(count * g.Bucket)
				f.Regained = regained
			}
		}
	}
}

// payloadShare returns the payload in a rate on the wire, for the group with the largest
// share of payload.
func (p *plan) payloadShare(r unit.Rate) unit.Rate {
	var best unit.Rate
	for i := range p.groups {
		g := &p.groups[i]
		best = max(best, r/unit.Rate(g.Payload+g.Header)*unit.Rate(g.Payload))
	}
	return best
}

// isMissing reports whether a link is permanently absent; routing avoids it.
func (p *plan) isMissing(l topo.LinkID) bool { return p.failing.missing != nil && p.failing.missing[l] }
