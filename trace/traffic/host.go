package traffic

import (
	"weft/internal/minheap"
	"weft/trace"
	"weft/trace/replay"
	"weft/trace/timeline"
	"weft/unit"
	"weft/workload"
)

// host is the source of one host: the ranks that it drives, or one NIC of a rank that another host drives. An
// operation is known by its number at the host.
type host struct {
	*replayed
	id    int32
	ranks []rank // that it drives

	events minheap.Heap[event]
	order  uint64
	due    []pending // messages of the network that may start, in order
	head   int
	count  int // of those that have started
	told   int // how many messages it has reported
	work   []uint32
	ready  []uint32
	out    []signal

	// expects are the receives that took messages whose data is still to come, by send.
	expects map[timeline.Ref]uint32
}

// rank is one rank at a host.
type rank struct {
	core  *replay.Rank
	cpus  []processor
	cpu   map[uint16]int32 // place of a processor's number; nil if all are 0
	sends unit.Time        // when its inner link is free to send
	takes unit.Time        // when its inner link is free to receive
}

// processor takes computations in the order in which they may begin.
type processor struct {
	queue []uint32 // the first one runs
	head  int
}

// pending is a message that may start since a time.
type pending struct {
	since  unit.Time
	number uint32
}

func newHost(r *replayed, id int32) *host {
	h := &host{replayed: r, id: id}
	for _, number := range r.job.ranks[id] {
		if h.drives(number) {
			h.ranks = append(h.ranks, newRank(&r.trace.Ranks[number], r.cores[number]))
		}
	}
	if len(h.ranks) > 0 {
		h.push(event{at: r.start, what: begins})
	}
	return h
}

func newRank(s *trace.Schedule, core *replay.Rank) rank {
	r := rank{core: core}
	for i := range uint32(s.Len()) {
		o := s.At(i)
		if o.Kind != trace.Calc {
			continue
		}
		if r.cpu == nil {
			r.cpu = map[uint16]int32{}
		}
		if _, ok := r.cpu[o.CPU]; !ok {
			r.cpu[o.CPU] = int32(len(r.cpus))
			r.cpus = append(r.cpus, processor{})
		}
	}
	return r
}

func (h *host) push(e event) {
	e.order = h.order
	h.order++
	h.events.Push(e)
}

// Due implements workload.Receiver.
func (h *host) Due() (unit.Time, bool) {
	switch {
	case h.head < len(h.due) && (len(h.events) == 0 || h.due[h.head].since <= h.events[0].at):
		return h.due[h.head].since, true
	case len(h.events) > 0:
		return h.events[0].at, true
	}
	return 0, false
}

// Next implements workload.Source. Where only something within the host was due, or a message that leaves from another
// host of the rank, there is no message.
func (h *host) Next() (workload.Message, bool) {
	if h.head == len(h.due) || len(h.events) > 0 && h.events[0].at < h.due[h.head].since {
		if len(h.events) > 0 {
			h.happen(h.events.Pop())
		}
		return workload.Message{}, false
	}
	p := h.due[h.head]
	if h.head++; h.head == len(h.due) {
		h.due, h.head = h.due[:0], 0
	}
	r, op := h.at(h.id, p.number)
	o := h.trace.Ranks[r].At(op)
	port := h.port(r, o.NIC)
	if port == h.id {
		h.started[h.id][h.count] = p.number
		h.count++
	} else {
		h.signal(port, clears, p.number)
	}
	if h.drives(r) && !h.waits(o.Size) {
		h.began(p.since, r, op)
		h.ended(p.since, r, op)
		h.settle(p.since)
	}
	return workload.Message{At: p.since, Dst: h.port(o.Peer, o.NIC), Size: carried(o.Size)}, port == h.id
}

// Completed implements workload.Source.
func (h *host) Completed(now unit.Time, ordinal uint64) {
	number := h.started[h.id][ordinal]
	r, op := h.at(h.id, number)
	switch {
	case !h.waits(h.trace.Ranks[r].At(op).Size):
	case h.drives(r):
		h.ended(now, r, op)
		h.settle(now)
	default:
		h.signal(h.host[r], acknowledged, number)
	}
}

// Received implements workload.Receiver.
func (h *host) Received(now unit.Time, src int32, ordinal uint64) {
	send := h.ref(src, h.started[src][ordinal])
	if r := h.trace.Ranks[send.Rank].At(send.Op).Peer; !h.drives(r) {
		h.report(r, send)
		return
	}
	h.deliver(now, send)
	h.settle(now)
}

// deliver takes a message that a rank of the host has received in full.
func (h *host) deliver(now unit.Time, send timeline.Ref) {
	recv, ok := h.expects[send]
	if !ok {
		h.arrive(now, send)
		return
	}
	delete(h.expects, send)
	r, op := h.at(h.id, recv)
	h.ended(now, r, op)
}

// happen lets an event of the host happen.
func (h *host) happen(e event) {
	switch e.what {
	case begins:
		for i := range h.ranks {
			h.ready = h.ranks[i].core.Begin(h.ready[:0])
			h.release(h.job.ranks[h.id][i])
		}
	case computed:
		r, op := h.at(h.id, e.number)
		cpu := h.processor(r, h.trace.Ranks[r].At(op).CPU)
		if cpu.head++; cpu.head == len(cpu.queue) {
			cpu.queue, cpu.head = cpu.queue[:0], 0
		}
		h.ended(e.at, r, op)
		h.run(e.at, cpu)
	case sent:
		r, op := h.at(h.id, e.number)
		h.over(r, op) // the log has its end already
	case arrived:
		h.arrive(e.at, h.ref(e.source, e.number))
	}
	h.settle(e.at)
}

// settle lets operations begin until none may any more.
func (h *host) settle(now unit.Time) {
	for i := 0; i < len(h.work); i++ {
		h.begin(now, h.work[i])
	}
	h.work = h.work[:0]
}

// begin begins an operation that waits for no other one.
func (h *host) begin(now unit.Time, number uint32) {
	r, op := h.at(h.id, number)
	o := h.trace.Ranks[r].At(op)
	switch {
	case o.Kind == trace.Recv:
		h.began(now, r, op)
		if m, ok := h.core(r).Post(op); ok {
			h.took(now, r, op, m)
		}
	case o.Kind == trace.Calc:
		cpu := h.processor(r, o.CPU)
		if cpu.queue = append(cpu.queue, number); len(cpu.queue)-cpu.head == 1 {
			h.run(now, cpu)
		}
	case h.inner(r, o.Peer):
		h.sendInner(now, r, op, o)
	case h.waits(o.Size):
		h.began(now, r, op)
		h.signal(h.host[o.Peer], requests, number)
	default:
		h.due = append(h.due, pending{now, number})
	}
}

// run starts the computation of a processor whose turn it is.
func (h *host) run(now unit.Time, cpu *processor) {
	if cpu.head == len(cpu.queue) {
		return
	}
	number := cpu.queue[cpu.head]
	r, op := h.at(h.id, number)
	h.began(now, r, op)
	h.push(event{at: now + unit.Time(h.trace.Ranks[r].At(op).Size)*unit.Nanosecond, what: computed, number: number})
}

// arrive lets a message arrive, or the request of one that waits for its receive.
func (h *host) arrive(now unit.Time, send timeline.Ref) {
	o := h.trace.Ranks[send.Rank].At(send.Op)
	m := replay.Message{Tag: o.Tag, Source: send.Rank, Op: send.Op}
	if recv, ok := h.core(o.Peer).Arrive(m); ok {
		h.took(now, o.Peer, recv, m)
	}
}

// took lets a receive take a message, which is there or waits at its sender.
func (h *host) took(now unit.Time, r int32, op uint32, m replay.Message) {
	send := timeline.Ref{Rank: m.Source, Op: m.Op}
	o := h.trace.Ranks[send.Rank].At(send.Op)
	h.log.Ranks[r].Took[op] = send
	if h.inner(send.Rank, r) || !h.waits(o.Size) {
		h.ended(now, r, op)
		return
	}
	if h.expects == nil {
		h.expects = map[timeline.Ref]uint32{}
	}
	h.expects[send] = h.first[r] + op
	h.signal(h.port(send.Rank, o.NIC), clears, h.first[send.Rank]+send.Op)
}

// began tells that an operation has begun, and ended that it has ended.
func (h *host) began(now unit.Time, r int32, op uint32) {
	h.log.Ranks[r].Begin[op] = now
	h.ready = h.core(r).Started(op, h.ready[:0])
	h.release(r)
}

func (h *host) ended(now unit.Time, r int32, op uint32) {
	h.log.Ranks[r].End[op] = now
	h.over(r, op)
}

func (h *host) over(r int32, op uint32) {
	h.ready = h.core(r).Ended(op, h.ready[:0])
	h.release(r)
}

// release takes what may begin of a rank into the work to do.
func (h *host) release(r int32) {
	for _, op := range h.ready {
		h.work = append(h.work, h.first[r]+op)
	}
}

func (h *host) core(r int32) *replay.Rank { return h.ranks[h.place[r]].core }

func (h *host) processor(r int32, number uint16) *processor {
	own := &h.ranks[h.place[r]]
	return &own.cpus[own.cpu[number]]
}
