package transport

import (
	"slices"

	"weft/internal/connection/end"
	"weft/internal/connection/sending"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// nobody, as source.hears, means that no source is told what the group receives.
const nobody int32 = -1

// source yields the messages of a group at a host.
type source struct {
	workload.Source
	// The source itself, if it implements these interfaces; else nil.
	receiver  workload.Receiver
	signaller workload.Signaller
	beside    []int32 // hosts that its signals reach without delay

	group   int32
	hears   int32 // group whose source at this host is told what the group receives, or nobody
	pending workload.Message
	waiting bool      // pending, or the receiver's next message, has a deadline
	due     unit.Time // of the receiver's next message, if waiting
	ordinal uint64
	sent    uint32 // number of signals sent
}

// sourcesOf returns the sources of a host, by group.
func (e *Endpoint) sourcesOf(h int32) []source {
	n := len(e.t.groups)
	return e.sources[int(h)*n : (int(h)+1)*n]
}

// openSources sets up the sources of a host and schedules their first messages.
func (e *Endpoint) openSources(h int32) {
	t, host := e.t, &e.hosts[h]
	host.reckons = e.Sending.Reckons(h)
	host.plain = host.hosted == nil && t.net.Queue == nil && !host.reckons
	host.alone = host.hosted != nil && t.net.Queue == nil && host.hosted.groups == 1<<len(t.groups)-1
	sources := e.sourcesOf(h)
	for g := range t.groups {
		s := t.groups[g].Sources[host.ID]
		receiver, _ := s.(workload.Receiver)
		signaller, _ := s.(workload.Signaller)
		sources[g] = source{Source: s, receiver: receiver, signaller: signaller, group: int32(g), hears: int32(g)}
		if n, ok := s.(workload.Neighbour); ok {
			sources[g].beside = n.Beside()
		}
		switch next := g + 1; {
		case next < len(t.groups) && t.groups[next].Answers:
			sources[g].hears = int32(next)
		case t.groups[g].Answers:
			sources[g].hears = nobody
		}
		if w := g + t.groups[g].Twin; s == nil && t.groups[w].Sources[host.ID] != nil {
			sources[g].hears = int32(w)
		}
		if receiver != nil {
			e.scheduleReceiver(0, h, &sources[g])
			continue
		}
		e.schedule(0, h, &sources[g])
	}
}

// schedule schedules the source's next message.
func (e *Endpoint) schedule(now unit.Time, h int32, s *source) {
	if s.receiver != nil {
		e.react(now, h, s)
		return
	}
	if s.Source == nil || s.waiting {
		return
	}
	m, ok := s.Next()
	if !ok {
		return
	}
	s.pending, s.waiting = m, true
	e.Sending.Await(e.Host(h), end.Deadline{At: max(m.At, now), What: s.group})
}

// expireSource starts the messages of a source that are due.
func (e *Endpoint) expireSource(now unit.Time, h int32, s *source) {
	if s.receiver != nil {
		e.startReceiver(now, h, s)
		return
	}
	s.waiting = false
	e.start(now, h, s, s.pending)
	e.schedule(now, h, s)
}

// start hands a message of a source to its transport.
func (e *Endpoint) start(now sim.Time, h int32, s *source, w workload.Message) {
	host := &e.hosts[h]
	g := &e.t.net.Groups[s.group]
	record := int32(-1)
	if now >= e.t.from && now < e.t.to {
		record = e.records.add(sent{
			from: originOf(s.group, host.ID), dst: w.Dst, ordinal: uint32(s.ordinal),
			size: w.Size, Start: now, Tally: end.Tally{Completed: Unfinished},
		})
	}
	e.Counts.Started++
	e.Counts.StartedBytes += uint64(w.Size)
	e.Sending.Load(h).Started += w.Size
	switch {
	case e.t.outside != nil:
		e.startOutside(now, Carried{Group: int(s.group), Src: host.ID, Dst: w.Dst, Ordinal: s.ordinal, Size: w.Size}, record)
	case g.Congestion.NewHost != nil:
		e.submit(now, h, s, w, record)
	default:
		m := sending.Message{Group: s.group, Dst: w.Dst, Size: w.Size, Ordinal: s.ordinal}
		if record >= 0 {
			m.Tally = &e.records.at(record).Tally
		}
		if w.Round != nil {
			m.Incast, m.Senders = w.Round.Number, w.Round.Senders
		}
		e.Start(now, h, &m)
	}
	s.ordinal++
}

// Delivered implements end.Carrier.
func (e *Endpoint) Delivered(now unit.Time, h int32, d end.Delivery) {
	if d.Measured {
		e.ends.add(ending{now, originOf(int32(d.Group), d.Src), d.Serial})
	}
	e.notifySource(now, h, d)
}

// notifySource tells the responsible source what a group received.
func (e *Endpoint) notifySource(now unit.Time, h int32, d end.Delivery) {
	sources := e.sourcesOf(h)
	if w := sources[d.Group].hears; w != nobody && sources[w].receiver != nil {
		sources[w].receiver.Received(now, d.Src, uint64(d.Serial))
		e.schedule(now, h, &sources[w])
	}
}

// Completed implements end.Carrier.
func (e *Endpoint) Completed(now unit.Time, h int32, c end.Completion) {
	s := &e.sourcesOf(h)[c.Group]
	if c.Tally != nil {
		c.Tally.Completed = now
	}
	s.Completed(now, c.Ordinal)
	e.schedule(now, h, s)
}

// tenants knows which hosts may send for which tenant.
type tenants []Group

// Has implements protocol.Tenants.
func (n tenants) Has(tenant uint8, host int32) bool {
	for i := range n {
		g := &n[i]
		if g.Tenant != tenant {
			continue
		}
		if g.Members == nil && g.Sources[host] != nil {
			return true
		}
		if _, ok := slices.BinarySearch(g.Members, host); ok {
			return true
		}
	}
	return false
}
