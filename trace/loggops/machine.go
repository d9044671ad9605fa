package loggops

import (
	"context"
	"slices"

	"weft/trace"
	"weft/trace/replay"
	"weft/trace/timeline"
	"weft/unit"
)

// machine is the ranks with their processors and NICs.
type machine struct {
	Parameters
	notes  notes
	trace  *trace.Trace
	ranks  []*replay.Rank
	queue  queue
	lines  map[place]*line
	spare  []*line
	seq    uint64
	events int64

	cpus, nics numbering
	// By rank and number: when a processor is free, and a NIC outbound and inbound.
	cpu, out, in []unit.Time

	released []released
	ready    []uint32
	merged   []uint32
	log      *timeline.Log // nil if it is not asked for
}

// released is operations of a rank that may begin.
type released struct {
	rank     int32
	from, to int // in machine.ready
}

// numbering maps numbers of processors or NICs, which may be large, to places in a table.
type numbering struct {
	places []uint16
	count  int
}

func (n *numbering) add(number uint16) {
	for len(n.places) <= int(number) {
		n.places = append(n.places, 0)
	}
	if n.places[number] == 0 {
		n.count++
		n.places[number] = uint16(n.count)
	}
}

// of returns the place for a rank.
func (n *numbering) of(rank int32, number uint16) int {
	return int(rank)*n.count + int(n.places[number]) - 1
}

func newMachine(t *trace.Trace, p Parameters) *machine {
	m := &machine{Parameters: p, trace: t, lines: map[place]*line{}, ranks: replay.New(t)}
	used := processors(make([]uint32, len(t.Ranks)))
	for r := range t.Ranks {
		s := &t.Ranks[r]
		for i := range uint32(s.Len()) {
			o := s.At(i)
			m.cpus.add(o.CPU)
			m.nics.add(o.NIC)
			used.add(int32(r), o.CPU)
			if o.Kind == trace.Send {
				used.add(o.Peer, o.CPU)
			}
		}
	}
	m.notes = newNotes(t, &p, used)
	m.cpu = make([]unit.Time, len(t.Ranks)*m.cpus.count)
	m.out = make([]unit.Time, len(t.Ranks)*m.nics.count)
	m.in = make([]unit.Time, len(t.Ranks)*m.nics.count)
	return m
}

func (m *machine) ends() []unit.Time {
	ends := make([]unit.Time, len(m.ranks))
	for r := range ends {
		for _, t := range m.cpu[r*m.cpus.count : (r+1)*m.cpus.count] {
			ends[r] = max(ends[r], t)
		}
	}
	return ends
}

// run handles events until there are none.
func (m *machine) run(ctx context.Context) error {
	for r, rank := range m.ranks {
		m.ready = rank.Begin(m.ready)
		m.release(int32(r), 0)
		m.insert()
	}
	for n := 0; len(m.queue) > 0; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e := m.queue.pop()
		m.handle(e)
		m.insert()
	}
	return nil
}

// handle lets an event take what it needs, or wait for it.
func (m *machine) handle(e event) {
	o := m.trace.Ranks[e.rank].At(e.op)
	if o.Kind == trace.Recv {
		m.events++
		m.receive(e, o)
		return
	}
	p := place{rank: e.rank, cpu: o.CPU, what: forCPU}
	cpu := &m.cpu[m.cpus.of(e.rank, o.CPU)]
	free := *cpu
	var nic *unit.Time
	switch {
	case e.message:
		p = place{o.Peer, o.CPU, o.NIC, forReceipt}
		cpu, nic = &m.cpu[m.cpus.of(o.Peer, o.CPU)], &m.in[m.nics.of(o.Peer, o.NIC)]
		free = max(*cpu, *nic)
	case o.Kind == trace.Send:
		p = place{e.rank, o.CPU, o.NIC, forSend}
		nic = &m.out[m.nics.of(e.rank, o.NIC)]
		free = max(*cpu, *nic)
	}
	if e.waits {
		l := m.lines[p]
		if l == nil || l.at != e.at || l.queue[0].seq != e.seq {
			return // it has been dealt with
		}
		if free > e.at {
			l.at, e.at = free, free
			m.queue.push(e)
			return
		}
		defer m.next(p, l, cpu, nic)
	} else if free > e.at {
		m.wait(p, e, free)
		return
	}
	m.events++
	switch {
	case e.message:
		m.arrive(e, o, cpu, nic)
	case o.Kind == trace.Send:
		m.send(e, o, cpu, nic)
	default:
		*cpu = e.at + unit.Time(o.Size)*unit.Nanosecond
		m.started(e.rank, e.op, e.at)
		m.ended(e.rank, e.op, *cpu)
	}
}

// wait puts an event into the line for what is not free.
func (m *machine) wait(p place, e event, free unit.Time) {
	l := m.lines[p]
	if l == nil {
		l = &line{}
		if n := len(m.spare); n > 0 {
			l, m.spare = m.spare[n-1], m.spare[:n-1]
		}
		m.lines[p] = l
	}
	e.waits, e.at = true, 0
	l.push(e)
	if l.queue[0].seq == e.seq {
		l.at, e.at = free, free
		m.queue.push(e)
	}
}

// next removes the first of a line and has the queue stand for the next one.
func (m *machine) next(p place, l *line, cpu, nic *unit.Time) {
	l.pop()
	if len(l.queue) == 0 {
		delete(m.lines, p)
		m.spare = append(m.spare, l)
		return
	}
	e := l.queue[0]
	e.at = *cpu
	if nic != nil {
		e.at = max(e.at, *nic)
	}
	l.at = e.at
	m.queue.push(e)
}

// perByte returns what all bytes of a message but the first take.
func perByte(size int64, each unit.Time) unit.Time { return unit.Time(max(size-1, 0)) * each }

func (m *machine) send(e event, o trace.Operation, cpu, nic *unit.Time) {
	*cpu = e.at + m.Overhead + perByte(o.Size, m.OverheadPerByte)
	*nic = e.at + m.Gap + perByte(o.Size, m.GapPerByte)
	m.started(e.rank, e.op, e.at)
	m.queue.push(event{at: e.at + m.Overhead + m.Latency, seq: m.seq, rank: e.rank, op: e.op, message: true})
	m.seq++
	if o.Size <= m.Eager {
		m.ended(e.rank, e.op, *cpu)
	} else {
		m.notes.put(e.rank, e.op, *cpu)
	}
}

// receipt is how long a processor works on a message that has arrived.
func (p *Parameters) receipt(size int64) unit.Time {
	return p.Overhead + max(perByte(size, p.OverheadPerByte), perByte(size, p.GapPerByte))
}

// arrive handles a message at its receiver.
func (m *machine) arrive(e event, o trace.Operation, cpu, nic *unit.Time) {
	*cpu = e.at + m.receipt(o.Size)
	*nic = e.at + m.Gap + perByte(o.Size, m.GapPerByte)
	recv, ok := m.ranks[o.Peer].Arrive(replay.Message{Tag: o.Tag, Source: e.rank, Op: e.op})
	if !ok {
		if m.notes.timed(o.Peer) {
			m.notes.handled(sent{e.rank, e.op}, o.Size <= m.Eager, *cpu)
		}
		return
	}
	end := *cpu
	m.took(o.Peer, recv, e.rank, e.op)
	if o.Size > m.Eager {
		m.taken(e.rank, e.op, o.CPU, o.NIC, e.at)
	}
	m.ended(o.Peer, recv, end)
}

// receive posts a receive.
func (m *machine) receive(e event, o trace.Operation) {
	m.started(e.rank, e.op, e.at)
	msg, ok := m.ranks[e.rank].Post(e.op)
	if !ok {
		return
	}
	end := e.at
	m.took(e.rank, e.op, msg.Source, msg.Op)
	s := m.trace.Ranks[msg.Source].At(msg.Op)
	if s.Size > m.Eager {
		cpu, nic := s.CPU, s.NIC
		if m.AsLogGOPSim {
			cpu, nic = o.CPU, o.NIC
		}
		m.taken(msg.Source, msg.Op, cpu, nic, e.at)
	}
	if m.notes.timed(e.rank) {
		end = max(end, m.notes.handledAt(sent{msg.Source, msg.Op}, s.Size <= m.Eager))
	}
	m.ended(e.rank, e.op, end)
}

// taken ends a send that waited for its receive.
func (m *machine) taken(rank int32, op uint32, cpu, nic uint16, at unit.Time) {
	c, n := &m.cpu[m.cpus.of(rank, cpu)], &m.out[m.nics.of(rank, nic)]
	*c, *n = max(*c, at), max(*n, at)
	m.ended(rank, op, max(at, m.notes.of(rank, op)))
}

// took notes which send's message a receive took.
func (m *machine) took(rank int32, op uint32, source int32, send uint32) {
	if m.log != nil {
		m.log.Ranks[rank].Took[op] = timeline.Ref{Rank: source, Op: send}
	}
}

func (m *machine) started(rank int32, op uint32, at unit.Time) {
	if m.log != nil {
		m.log.Ranks[rank].Begin[op] = at
	}
	if !m.notes.starts[rank] {
		return // nothing is released by a start
	}
	m.notes.hold(&m.trace.Ranks[rank], rank, op, true, at)
	from := len(m.ready)
	m.ready = m.ranks[rank].Started(op, m.ready)
	m.release(rank, from)
}

func (m *machine) ended(rank int32, op uint32, at unit.Time) {
	if m.log != nil {
		m.log.Ranks[rank].End[op] = at
	}
	m.notes.hold(&m.trace.Ranks[rank], rank, op, false, at)
	from := len(m.ready)
	m.ready = m.ranks[rank].Ended(op, m.ready)
	m.release(rank, from)
}

// release notes that what was appended to ready from a place on is of a rank.
func (m *machine) release(rank int32, from int) {
	if from < len(m.ready) {
		m.released = append(m.released, released{rank, from, len(m.ready)})
	}
}

// insert makes events of the operations that were released: by rank, by kind, and then in the order in
// which they were.
func (m *machine) insert() {
	if len(m.released) > 1 {
		slices.SortStableFunc(m.released, func(a, b released) int { return int(a.rank) - int(b.rank) })
	}
	for list := m.released; len(list) > 0; {
		n := 1
		for n < len(list) && list[n].rank == list[0].rank {
			n++
		}
		rank := list[0].rank
		ready := m.ready[list[0].from:list[0].to]
		if n > 1 {
			m.merged = m.merged[:0]
			for _, r := range list[:n] {
				m.merged = append(m.merged, m.ready[r.from:r.to]...)
			}
			ready = m.merged
			s := &m.trace.Ranks[rank]
			slices.SortStableFunc(ready, func(a, b uint32) int { return int(s.Kind(a)) - int(s.Kind(b)) })
		}
		for _, op := range ready {
			m.queue.push(event{at: m.earliestOf(rank, op), seq: m.seq, rank: rank, op: op})
			m.seq++
		}
		list = list[n:]
	}
	m.ready, m.released = m.ready[:0], m.released[:0]
}

// earliestOf returns when an operation that may begin tries to.
func (m *machine) earliestOf(rank int32, op uint32) unit.Time {
	o := m.trace.Ranks[rank].At(op)
	at := m.cpu[m.cpus.of(rank, o.CPU)]
	if o.Kind == trace.Send {
		at = max(at, m.out[m.nics.of(rank, o.NIC)])
	}
	return max(at, m.notes.of(rank, op))
}
