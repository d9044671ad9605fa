package scenario

import (
	"fmt"
	"runtime"
	"slices"

	"weft/fabric"
	"weft/fault"
	"weft/internal/histogram"
	"weft/record"
	"weft/route/bound"
	"weft/scenario/internal/watch"
	"weft/sim"
	"weft/topo"
	"weft/transport"
	"weft/unit"
)

// Reference packets have one size for all protocols, so that slowdowns against them compare
// across protocols.
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
	m := res.Manifest
	m.Program, m.Host = record.CurrentProgram(), record.CurrentHost()
	m.Name = s.Variant
	m.Partial = res.Summary.Partial
	m.Notices = slices.Concat(r.notes.notices, m.Notices)
	m.Scenario = text
	m.Derived = r.rows()
	m.Seed = s.Seed
	m.Hashes = record.Hashes{Scenario: hash, Result: res.Summary.ResultHash}
	m.Engine = record.Engine{Threads: r.threads, Domains: r.domains, Queue: s.Engine.Queue, Swept: r.swept}
	m.Timings = t
	res.Manifest = m
	return nil
}

// manyRows is the number of rows of ports and snapshots from which on memory is freed
// before they are made.
const manyRows = 1 << 16

// results collects the results of a finished run, except the manifest.
func (r *run) results() *record.Result {
	_, hops := r.Network.Totals()
	counts := r.Transport.Counts()
	flows, tally, hash := r.flows()
	events := r.Network.Events()
	r.swept = r.Network.SweptWindows()
	names := r.graph.PortNames()
	rows := len(names)
	for _, o := range r.observers {
		if t, ok := o.(watch.Tabled); ok {
			rows += t.Rows()
		}
	}
	if rows > manyRows {
		r.release()
	}
	res := &record.Result{Flows: flows, Ports: r.portRows(names), Nodes: nodeRows(r.graph)}
	res.Summary = tally.Summary(res.Ports, r.extent())
	s := &res.Summary
	s.Ended, s.Cause, s.Deadlocked = r.Ended, r.Blocked.Cause, r.Blocked.Deadlocked
	s.Hosts = int64(len(r.graph.Hosts))
	s.Load = r.offering.load
	s.Partial = r.Ended == record.Interrupted || r.Ended == record.Stuck
	s.Events = int64(events)
	s.PacketHops = int64(hops)
	s.PacketsDelivered = int64(counts.Packets)
	s.SourceMarks = int64(counts.SourceMarks)
	s.SpuriousRetransmits = int64(counts.Spurious)
	s.Simulated = r.Now
	r.goodput(s)
	r.arrivals(s)
	r.losses(s)
	r.roundTrips(s)
	partOf[live](r.plan).fillCounts(s)
	r.window.counters = nil
	for _, o := range r.observers {
		o.Section(r.Moment, res)
	}
	s.Noted, s.Finish = r.notes.noted, r.finishAdvice(s)
	s.ResultHash = hash.Result(res.Ports, res.Pauses)
	return res
}

// drawn returns the random choices of faults.
func (s *Scenario) drawn(t *fault.Timeline) (list []record.Draw) {
	for _, d := range t.Drawn {
		list = append(list, record.Draw{
			Fault: faultPath(d.Fault), Kind: s.Faults[d.Fault].Kind,
			Hit: d.Hit, Matching: d.Matching, What: d.What, Names: d.Names,
		})
	}
	return list
}

// extent returns the end of the run and the number of messages of each group. It leaves the
// numbers out with a measured window, since it is not known beforehand which messages
// count. It also leaves them out if programs send the packets, where no messages count.
func (r *run) extent() record.Extent {
	e := record.Extent{End: r.Now}
	if r.times.since > 0 || r.times.to != unit.Forever || r.times.ends || r.foreign() {
		return e
	}
	e.Groups = map[string]int64{}
	known := true
	for g, n := range r.grouped.planned {
		e.Groups[r.groups[g].Name] = n
		e.Planned += n
		known = known && n > 0
	}
	if !known {
		e.Planned = 0
	}
	return e
}

// foreign reports whether the fabric carried packets of programs instead of the file's
// messages.
func (r *run) foreign() bool { return r.options.Live != nil && partOf[live](r.plan).messages() == nil }

// release frees the network, so that its memory can be reused.
func (r *run) release() {
	r.Network, r.Transport = nil, nil
	runtime.GC()
}

// goodput replaces the goodput of finished messages by the bytes delivered in the measured
// window, if the window or the run ended before everything was delivered.
func (r *run) goodput(s *record.Summary) {
	if r.Ended == record.Drained && r.times.from == 0 && r.times.to == unit.Forever {
		return
	}
	window := min(r.Now, r.times.to) - min(r.times.from, r.Now)
	completed := (r.window.complete[1] - r.window.complete[0]).Over(window)
	s.Completed, s.Idle = &completed, s.Runtime == 0
	sum := unit.Bytes(0)
	for g := range r.groups {
		delivered := r.window.packets[1][g].Payload - r.window.packets[0][g].Payload
		sum += delivered
		if group := r.summed(s, g); group != nil {
			group.Goodput = delivered.Over(window)
		}
	}
	s.Goodput = sum.Over(window)
}

// summed returns a group's part of a summary, or nil if the group is the only one.
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
		before, after := r.window.packets[0][g], r.window.packets[1][g]
		p := record.Packets{
			Arrived: int64(after.Arrived - before.Arrived), Marked: int64(after.Marked - before.Marked), Kept: int64(after.Kept - before.Kept),
		}
		s.Packets.Add(p)
		if group := r.summed(s, g); group != nil {
			group.Packets = p
		}
	}
}

// losses separates losses by faults from losses for lack of room.
func (r *run) losses(s *record.Summary) {
	for _, c := range r.window.counters {
		for reason, frames := range c.Drops {
			if !dropReasons[reason].losses {
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
	for g, h := range r.window.rtts {
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

// manyMessages is the number of messages from which on memory is freed between two steps.
const manyMessages = 1 << 16

// flows returns the rows that the recording policy asks for, and sums up the measured
// messages. Rows are much larger than the messages they are made from, so only rows that
// are kept are held in memory, and each step frees its memory before the next.
func (r *run) flows() ([]record.Flow, *record.Tally, *record.Hash) {
	var listeners []watch.Listener
	for _, o := range r.observers {
		if l, ok := o.(watch.Listener); ok {
			listeners = append(listeners, l)
		}
	}
	messages := r.Transport.Messages()
	measured, kept := 0, 0
	for m := range messages.All() {
		in := r.counts(m)
		for _, l := range listeners {
			l.Message(m, in)
		}
		if in {
			measured++
		}
		if r.keeps(m.ID(), in) {
			kept++
		}
	}
	for _, o := range r.observers {
		if d, ok := o.(watch.Doubter); ok {
			d.Doubt(r.Moment, messages, r.qualify)
		}
	}
	collect := func() {
		if max(measured, kept) > manyMessages {
			runtime.GC()
		}
	}
	each := func(yield func(*record.Flow) bool) { r.eachRow(messages, yield) }
	rows := make([]record.Flow, 0, kept)
	if r.recorded.sample >= 1 {
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
	tally, hash := record.NewTally(measured, r.recorded.sizes), record.NewHash(measured)
	for f := range each {
		if f.Measured {
			tally.Add(f)
			hash.Add(f)
		}
		if r.recorded.sample < 1 && r.keeps(f.ID, f.Measured) {
			rows = append(rows, *f)
		}
	}
	return rows, tally, hash
}

// keeps reports whether the recording policy asks for the row of a message.
func (r *run) keeps(id uint64, measured bool) bool {
	if r.recorded.sample >= 1 {
		return measured || r.recorded.all
	}
	if !measured {
		return false
	}
	draw := sim.Stream(r.seed, id, "sample")
	return float64(draw.Uint64()>>11)/(1<<53) < float64(r.recorded.sample)
}

// eachRow yields one row per message. A row is valid until the next one.
func (r *run) eachRow(messages *transport.Messages, yield func(*record.Flow) bool) {
	ideals := ideals{plan: r.plan}
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
		if r.grouped.withoutSlowdowns[m.Group] {
			row.Ideal, row.IdealRef, row.IdealBare, row.IdealAck = 0, 0, 0, 0
		}
		if r.options.Live != nil { // the endpoints that carry the message only count in total
			row.Retransmits, row.Timeouts = record.Unknown, record.Unknown
		}
		if !yield(&row) {
			return
		}
	}
}

// counts reports whether a message is measured. If messages count by their end, it includes
// those that ended within the window or not at all.
func (p *plan) counts(m *transport.Message) bool {
	if m.Start < p.times.since || m.Start >= p.times.to {
		return false
	}
	return !p.times.ends || m.End == transport.Unfinished || m.End >= p.times.from && m.End < p.times.to
}

// portRows returns the counts of ports within the measured window.
func (r *run) portRows(names []string) []record.Port {
	rows := make([]record.Port, len(names))
	window := min(r.Now, r.times.to) - min(r.times.from, r.Now)
	for i, name := range names {
		from, to := r.graph.Ends(topo.PortID(i))
		c := r.window.counters[i]
		rows[i] = record.Port{
			Name: name, From: r.graph.Nodes[from].Name, To: r.graph.Nodes[to].Name,
			Rate:   r.graph.Links[i/2].Rate,
			Frames: int64(c.Frames + c.RefusedFrames), Bytes: int64(c.Bytes + c.RefusedBytes),
			SentFrames: int64(c.SentFrames), SentBytes: int64(c.SentBytes),
			Drops:         dropsOf(&c),
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

// finishAdvice describes how to let the last messages of a stable run finish.
func (r *run) finishAdvice(s *record.Summary) string {
	if !r.times.endless || r.Ended != record.Until || s.Stability != nil && s.Stability.Unstable {
		return ""
	}
	to := (r.times.until - 2*s.FCT.Max) / unit.Microsecond * unit.Microsecond
	if to <= r.times.from+(r.times.until-r.times.from)/2 {
		return ""
	}
	from := ""
	if r.times.from > 0 {
		from = fmt.Sprintf("from: %v, ", r.times.from)
	}
	return fmt.Sprintf("messages start until the run ends; write measure: {%sto: %v}, so that those count which can finish", from, to)
}
