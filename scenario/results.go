package scenario

import (
	"fmt"
	"runtime"

	"weft/fabric"
	"weft/fault"
	"weft/internal/histogram"
	"weft/record"
	"weft/route/bound"
	"weft/sim"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// Reference packets have the same size for every protocol, so that slowdowns
// against them compare across protocols.
const (
	referencePayload unit.Bytes = 4096
	referenceHeader  unit.Bytes = 64
)

// describe fills in the manifest.
func (r *run) describe(s *Scenario, res *record.Result, t record.Timings) error {
	text, hash, err := s.resolvedAndHash()
	if err != nil {
		return err
	}
	m := record.Manifest{Program: record.CurrentProgram(), Host: record.CurrentHost()}
	m.Name = s.Variant
	m.Partial = res.Summary.Partial
	m.Notices = r.notices
	m.Scenario = text
	m.Derived = r.rows()
	m.Seed = s.Seed
	if len(r.ports)+len(r.pairs)+len(r.credits.samples) > 0 {
		m.Interval = r.interval
	}
	if r.windows.more {
		m.Notices = append(m.Notices, fmt.Sprintf("congestion windows of %d connections are recorded, but more match record.windows", mostConnections))
	}
	if r.plan.credit && len(r.credits.samples) == 0 {
		m.Notices = append(m.Notices, "record.credit: true recorded nothing, since no transport here tracks credit at both ends, as sird and homa do")
	}
	if len(res.Faults) == record.MostFaults {
		m.Notices = append(m.Notices, fmt.Sprintf("of the port faults, only the first %d are recorded and summed up", record.MostFaults))
	}
	if len(res.Snapshots) > 0 {
		m.SnapshotInterval = r.snapshots.span
	}
	m.Hashes = record.Hashes{Scenario: hash, Result: res.Summary.ResultHash}
	m.Engine = record.Engine{Threads: r.threads, Domains: r.domains, Queue: s.Engine.Queue, Swept: r.swept}
	m.Timings = t
	res.Manifest = m
	return nil
}

// manyRows is from how many rows of ports and snapshots on memory is freed for them first.
const manyRows = 1 << 16

// results collects what a finished run leaves, but for the manifest.
func (r *run) results() *record.Result {
	_, hops := r.network.Totals()
	counts := r.transport.Counts()
	flows, tally, hash := r.flows()
	r.afterthoughts()
	events := r.network.Events()
	r.swept = r.network.SweptWindows()
	names := r.graph.PortNames()
	faultRows, faulty := r.recovery.results(r.network, r.transport, r.now, names)
	if 2*len(r.graph.Links)+r.snapshots.count() > manyRows {
		r.release()
	}
	res := &record.Result{
		Flows: flows, Faults: faultRows,
		Ports: r.portRows(names), Series: append(append(r.seriesRows(), r.windows.rows(r.hostName)...), r.credits.rows()...),
		Nodes: nodeRows(r.graph),
	}
	for _, m := range r.timeline.Marks {
		res.Marks = append(res.Marks, record.Mark{At: m.At, What: m.What})
	}
	s := tally.Summary(res.Ports, r.extent())
	s.Ended, s.Cause = r.ended, r.cause
	s.Hosts = int64(len(r.graph.Hosts))
	var series []record.Series
	s.Buffers, series = r.sumBuffers()
	res.Series = append(res.Series, series...)
	s.Stability, s.Load, s.LeastHost = r.judge(), r.load, r.least
	s.Noted, s.Finish = r.noted, r.finishAdvice(&s)
	r.goodput(&s)
	r.arrivals(&s)
	r.losses(&s)
	r.roundTrips(&s)
	s.Faults = faulty
	s.Partial = r.ended == record.Interrupted || r.ended == record.Stuck
	s.Events = int64(events)
	s.PacketHops = int64(hops)
	s.PacketsDelivered = int64(counts.Packets)
	s.SourceMarks = int64(counts.SourceMarks)
	s.SpuriousRetransmits = int64(counts.Spurious)
	s.Simulated = r.now
	s.Credit = r.credits.mean()
	s.CreditPackets = r.creditPackets()
	res.Pauses, s.Pauses = r.pauseResults(names)
	s.Deflections = r.deflections(res.Ports)
	s.Detours = r.detours()
	if r.reactionTo != nil {
		s.Reactions = r.reactions.result(r.hostName, r.ports, res.Ports)
	}
	s.ResultHash = hash.Result(res.Ports, res.Pauses)
	res.Summary = s
	r.counters, r.pauses = nil, nil
	res.Snapshots = r.snapshots.rows(names)
	return res
}

// drawn returns what chance chose for the faults to hit.
func (s *Scenario) drawn(t *fault.Timeline) (list []record.Draw) {
	for _, d := range t.Drawn {
		list = append(list, record.Draw{
			Fault: faultPath(d.Fault), Kind: s.Faults[d.Fault].Kind,
			Hit: d.Hit, Matching: d.Matching, What: d.What, Names: d.Names,
		})
	}
	return list
}

// extent returns when the run ended and how many messages the groups have. With a
// measured window it is not known beforehand which of them count.
func (r *run) extent() record.Extent {
	e := record.Extent{End: r.now}
	if r.since > 0 || r.to != unit.Forever || r.ends {
		return e
	}
	e.Groups = map[string]int64{}
	known := true
	for g, n := range r.planned {
		e.Groups[r.groups[g].Name] = n
		e.Planned += n
		known = known && n > 0
	}
	if !known {
		e.Planned = 0
	}
	return e
}

// release lets go of the network, so that what comes takes its place in memory.
func (r *run) release() {
	r.network, r.transport = nil, nil
	r.snapshots.survey, r.snapshots.spare = nil, nil
	runtime.GC()
}

// goodput replaces the goodput of finished messages by what was delivered in the
// measured window, if that window or the run ended before all was delivered.
func (r *run) goodput(s *record.Summary) {
	if r.ended == record.Drained && r.from == 0 && r.to == unit.Forever {
		return
	}
	window := min(r.now, r.to) - min(r.from, r.now)
	completed := (r.complete[1] - r.complete[0]).Over(window)
	s.Completed, s.Idle = &completed, s.Runtime == 0
	sum := unit.Bytes(0)
	for g := range r.groups {
		delivered := r.packets[1][g].Payload - r.packets[0][g].Payload
		sum += delivered
		if group := r.summed(s, g); group != nil {
			group.Goodput = delivered.Over(window)
		}
	}
	s.Goodput = sum.Over(window)
}

// summed returns what a summary has of a group; nil if it is the only one.
func (r *run) summed(s *record.Summary, g int) *record.Group {
	for i := range s.Groups {
		if s.Groups[i].Name == r.groups[g].Name {
			return &s.Groups[i]
		}
	}
	return nil
}

// arrivals counts the packets that arrived within the measured window, and their marks.
func (r *run) arrivals(s *record.Summary) {
	for g := range r.groups {
		before, after := r.packets[0][g], r.packets[1][g]
		p := record.Packets{
			Arrived: int64(after.Arrived - before.Arrived), Marked: int64(after.Marked - before.Marked), Kept: int64(after.Kept - before.Kept),
		}
		s.Packets.Add(p)
		if group := r.summed(s, g); group != nil {
			group.Packets = p
		}
	}
}

// losses tells apart what was lost for faults and for want of room.
func (r *run) losses(s *record.Summary) {
	for _, c := range r.counters {
		for reason, frames := range c.Drops {
			if reason == int(fabric.CreditQueueFull) {
				continue
			}
			to := &s.LostToCongestion
			if fabric.Reason(reason).IsFault() {
				to = &s.LostToFaults
			}
			to.Frames += int64(frames)
			to.Bytes += int64(c.LostBytes[reason])
		}
	}
}

// roundTrips fills in the percentiles of round-trip times.
func (r *run) roundTrips(s *record.Summary) {
	var all histogram.Histogram
	for g, h := range r.rtts {
		all.Merge(h)
		for i := range s.Groups {
			if s.Groups[i].Name == r.groups[g].Name {
				s.Groups[i].RTT = rtts(h)
			}
		}
	}
	s.RTT = rtts(&all)
}

func rtts(h *histogram.Histogram) record.RTTs {
	at := func(perMille uint64) unit.Time { return unit.Time(h.PerMille(perMille)) }
	return record.RTTs{Packets: int64(h.Count()), P50: at(500), P99: at(990), P999: at(999), Max: unit.Time(h.Max())}
}

// manyMessages is from how many messages on it pays to free memory between two uses of it.
const manyMessages = 1 << 16

// flows returns the rows that the recording policy asks for, and sums up the measured
// messages. Rows are much larger than what they are made of, so that only those that are
// kept are ever held, and what a step is done with is freed before the next.
func (r *run) flows() ([]record.Flow, *record.Tally, *record.Hash) {
	messages := r.transport.Messages()
	r.findStarved(messages)
	measured, kept := 0, 0
	for m := range messages.All() {
		in := r.counts(m)
		r.addUnderWay(m)
		if in {
			measured++
			r.addSent(m)
		}
		if r.keeps(m.ID(), in) {
			kept++
		}
	}
	collect := func() {
		if max(measured, kept) > manyMessages {
			runtime.GC()
		}
	}
	each := func(yield func(*record.Flow) bool) { r.eachRow(messages, yield) }
	rows := make([]record.Flow, 0, kept)
	if r.sample >= 1 {
		collect()
		for f := range each {
			if r.keeps(f.ID, f.Measured) {
				rows = append(rows, *f)
			}
		}
		messages = nil
		each = func(yield func(*record.Flow) bool) {
			for i := range rows {
				if !yield(&rows[i]) {
					return
				}
			}
		}
	}
	collect()
	tally, hash := record.NewTally(measured, r.sizes), record.NewHash(measured)
	for f := range each {
		if f.Measured {
			tally.Add(f)
			hash.Add(f)
		}
		if r.sample < 1 && r.keeps(f.ID, f.Measured) {
			rows = append(rows, *f)
		}
	}
	return rows, tally, hash
}

// keeps tells whether the recording policy asks for the row of a message.
func (r *run) keeps(id uint64, measured bool) bool {
	if r.sample >= 1 {
		return measured || r.all
	}
	if !measured {
		return false
	}
	draw := sim.Stream(r.seed, id, "sample")
	return float64(draw.Uint64()>>11)/(1<<53) < float64(r.sample)
}

// eachRow yields the messages as rows. Each is good until the next.
func (r *run) eachRow(messages *transport.Messages, yield func(*record.Flow) bool) {
	ideals := ideals{plan: &r.plan}
	least := bound.New(r.graph, r.tables)
	var row record.Flow
	for m := range messages.All() {
		g := &r.groups[m.Group]
		path := ideals.path(m.Src, m.Dst)
		ideal := transport.Ideal(path, m.Size, g.Payload, g.Header)
		delay, rate := least.Between(m.Src, m.Dst)
		row = record.Flow{
			Group: g.Name, ID: m.ID(), Src: r.hostName(m.Src), Dst: r.hostName(m.Dst),
			Measured: r.counts(m),
			Bytes:    m.Size, Packets: int64(m.Packets),
			Start: m.Start, End: m.End, SenderEnd: m.SenderEnd,
			Ideal:       ideal,
			IdealRef:    transport.Ideal(path, m.Size, referencePayload, referenceHeader),
			IdealBare:   delay + rate.Transmit(m.Size),
			IdealAck:    ideal + transport.Ideal(path, 0, 1, g.AckSize),
			Retransmits: int64(m.Retransmits), Timeouts: int64(m.Timeouts), Trims: int64(m.Trims),
		}
		if r.aside[m.Group] {
			row.Ideal, row.IdealRef, row.IdealBare, row.IdealAck = 0, 0, 0, 0
		}
		if !yield(&row) {
			return
		}
	}
}

// counts tells whether a message is measured. By their ends those count that ended within
// the window, and as unfinished those that the run did not see the end of.
func (p *plan) counts(m *transport.Message) bool {
	if m.Start < p.since || m.Start >= p.to {
		return false
	}
	return !p.ends || m.End == transport.Unfinished || m.End >= p.from && m.End < p.to
}

func (p *plan) hostName(h int32) string { return p.graph.Nodes[p.graph.Hosts[h]].Name }

// ideals finds the path that a message takes in the fault-free network: the first
// of the next hops of every switch.
type ideals struct {
	*plan
	out   []transport.Hop
	ports []topo.PortID // of the last path
}

// path returns the links from one host to another. It is good until the next call.
func (d *ideals) path(src, dst int32) []transport.Hop {
	g := d.graph
	d.out, d.ports = d.out[:0], d.ports[:0]
	target := g.Hosts[dst]
	edge := d.tables.Edge(target)
	next := d.uplinks[src]
	for {
		_, to := g.Ends(next)
		l := g.Links[next.Link()]
		d.ports = append(d.ports, next)
		d.out = append(d.out, transport.Hop{Rate: l.Rate, Delay: l.Delay + g.Nodes[to].Latency})
		if to == target || g.Nodes[to].Kind == topo.Host {
			return d.out
		}
		if d.tables.Edge(to) == edge {
			next = d.uplinks[dst].Reverse()
			continue
		}
		next = d.tables.Hops(to, edge)[0]
	}
}

// portRows returns what the ports counted within the measured window.
func (r *run) portRows(names []string) []record.Port {
	rows := make([]record.Port, len(names))
	window := min(r.now, r.to) - min(r.from, r.now)
	for i, name := range names {
		from, to := r.graph.Ends(topo.PortID(i))
		c := r.counters[i]
		rows[i] = record.Port{
			Name: name, From: r.graph.Nodes[from].Name, To: r.graph.Nodes[to].Name,
			Rate:   r.graph.Links[i/2].Rate,
			Frames: int64(c.Frames + c.RefusedFrames), Bytes: int64(c.Bytes + c.RefusedBytes),
			SentFrames: int64(c.SentFrames), SentBytes: int64(c.SentBytes),
			Drops: record.Drops{
				QueueFull:       int64(c.Drops[fabric.QueueFull]),
				HeaderQueueFull: int64(c.Drops[fabric.HeaderQueueFull]),
				LinkDown:        int64(c.Drops[fabric.LinkDown]),
				Loss:            int64(c.Drops[fabric.Loss]),
				NoRoute:         int64(c.Drops[fabric.NoRoute]),
				CreditQueueFull: int64(c.Drops[fabric.CreditQueueFull]),
				HeadroomFull:    int64(c.Drops[fabric.HeadroomFull]),
				PauseWatchdog:   int64(c.Drops[fabric.Watchdogged]),
			},
			DroppedBytes:  int64(c.DroppedBytes),
			FlushedFrames: int64(c.FlushedFrames), FlushedBytes: int64(c.FlushedBytes),
			Marks: int64(c.Marks), Trims: int64(c.Trims), TrimmedBytes: int64(c.TrimmedBytes),
			QueueMax: unit.Bytes(c.QueueMax),
		}
		if window > 0 {
			rows[i].QueueMean = c.QueueByteTime / float64(window)
		}
	}
	return rows
}
