package transport

import (
	"math/bits"

	"weft/fabric"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/sim"
	"weft/unit"
	"weft/workload"
)

// start hands a message of a source to the transport.
func (e *Endpoint) start(now sim.Time, h int32, s *source, w workload.Message) {
	host := &e.hosts[h]
	g := &e.t.groups[s.group]
	packets := g.packets(w.Size)
	record := int32(-1)
	if now >= e.t.from && now < e.t.to {
		record = e.records.add(sent{
			from: originOf(s.group, host.id), dst: w.Dst, ordinal: uint32(s.ordinal),
			size: w.Size, Start: now, SenderEnd: Unfinished,
		})
	}
	e.counts.Started++
	e.counts.StartedBytes += uint64(w.Size)
	host.load.Started += w.Size
	if g.Congestion.NewHost != nil {
		e.submit(now, h, s, w, record)
	} else if g.Balancer.Subflows > 1 && packets > 1 {
		e.startParts(now, h, s, w, packets, record)
	} else {
		e.startPart(now, h, s, 0, part{dst: w.Dst, size: w.Size, packets: packets, record: record, split: -1, round: w.Round})
	}
	s.ordinal++
}

// part is a message, or a part of one.
type part struct {
	dst           int32
	size          unit.Bytes
	packets       uint32
	record, split int32
	round         *workload.Round // not to be kept
}

// startPart hands part number of a source's next message to a connection.
func (e *Endpoint) startPart(now sim.Time, h int32, s *source, number int32, p part) {
	host, g := &e.hosts[h], &e.t.groups[s.group]
	c := e.connect(now, h, s, p.dst, number)
	m := e.newMessage(s)
	m.conn, m.size, m.packets, m.record, m.split = c, p.size, p.packets, p.record, p.split
	m.start, m.ordinal, m.serial = now, s.ordinal, uint32(s.ordinal)
	m.Reset(m.packets, g.ReorderLimit)
	if e.queues(g) {
		m.Queue()
	}
	if g.Recovery.Kind == GoBackN {
		m.GoBack()
	}
	e.list(g, m, p.round)
	c.active++
	c.queue.pushBack(m)
	if b := host.backlog; b != nil && g.Congestion.SourceMarks {
		b.left += m.size + unit.Bytes(m.packets)*g.Header
	}
	if c.bundle != nil {
		e.began(now, h, c.bundle)
	}
	if e.watched != nil {
		e.watched.started(now, m)
	}
	if c.credits != nil {
		e.owe(now, h, c, m.size+unit.Bytes(m.packets)*g.Header)
	}
	if c.clock != nil {
		e.follow(now, c)
	}
	e.makeReady(now, &e.hosts[h], c)
}

// newMessage returns an unused message of a source, with a slot.
func (e *Endpoint) newMessage(s *source) *message {
	if n := len(s.slots); n > 0 {
		m := e.messages[s.slots[n-1]]
		s.slots = s.slots[:n-1]
		m.live = true
		return m
	}
	if len(e.freshMessages) == 0 {
		e.freshMessages = make([]message, e.batch())
	}
	m := &e.freshMessages[0]
	e.freshMessages = e.freshMessages[1:]
	m.slot, m.live = uint32(len(e.messages)), true
	e.messages = append(e.messages, m)
	return m
}

// batch is how many messages or connections are allocated together, so that
// neighbours in memory are those of neighbouring hosts.
func (e *Endpoint) batch() int { return min(max(len(e.hosts), 1), 64) }

// connect returns the connection for a part of the source's next message to dst.
func (e *Endpoint) connect(now sim.Time, h int32, s *source, dst, part int32) *connection {
	host := &e.hosts[h]
	g := &e.t.groups[s.group]
	if g.Pool > 0 {
		return e.take(now, h, s, dst, part)
	}
	if g.PerPair {
		key := pair{s.group, dst, part}
		if c := host.pairs[key]; c != nil {
			if c.active == 0 {
				e.resume(now, c)
			}
			return c
		}
		if host.pairs == nil {
			host.pairs = map[pair]*connection{}
		}
		c := e.newConnection(s.group)
		host.pairs[key] = c
		e.open(now, h, c, s, dst, part, 0)
		return c
	}
	c := e.newConnection(s.group)
	e.open(now, h, c, s, dst, part, s.ordinal+1)
	return c
}

// newConnection returns a connection of the group that carries nothing.
func (e *Endpoint) newConnection(group int32) *connection {
	if n := len(e.idle[group]); n > 0 {
		c := e.idle[group][n-1]
		e.idle[group] = e.idle[group][:n-1]
		return c
	}
	g := &e.t.groups[group]
	if len(e.freshConnections) == 0 {
		e.freshConnections = make([]connection, e.batch())
		e.connections = append(e.connections, e.freshConnections)
	}
	c := &e.freshConnections[0]
	e.freshConnections = e.freshConnections[1:]
	c.group = group
	env := g.Env
	env.Rand = &c.entropyRng
	c.entropy = g.Balancer.New(env)
	env.Rand = &c.congestionRng
	if n := g.Balancer.Subflows; n > 1 && g.Balancer.DivideBDP {
		env.BDP = max(1, env.BDP/unit.Bytes(n))
		env.BDPPackets = max(1, env.BDPPackets/n)
	}
	c.congestion = g.Congestion.New(env)
	if g.Congestion.Controller.Fields {
		c.fielder, _ = c.congestion.(protocol.Fielder)
	}
	c.tracks = c.fielder != nil || g.Congestion.Stamping == protocol.OnData
	e.lend(c)
	e.probeWith(c)
	e.clockWith(c)
	if g.ConnectionTimer {
		c.timer = &reliable.Timer{Least: g.RTO}
	} else if g.Adaptive {
		c.patience = &reliable.Patience{Least: max(g.RTO, g.LeastRTO), First: g.FirstRTO}
	}
	return c
}

// open begins a connection; part and number tell apart those of a host to another.
func (e *Endpoint) open(now sim.Time, h int32, c *connection, s *source, dst, part int32, number uint64) {
	host := &e.hosts[h]
	c.src, c.dst, c.part = h, dst, part
	c.bundle = e.bundleOf(host, s.group, dst)
	c.apart = c.bundle != nil || host.backlog != nil
	c.inflight, c.active, c.held, c.taken = 0, 0, false, 0
	c.queue = messageList{}
	name := sim.Mix(sim.Mix(host.name+sim.Mix(uint64(s.group)))+sim.Mix(e.t.names[dst])) + number
	siblings := name
	if e.group(c).Pool > 0 { // the parts of a message take connections of several numbers
		siblings -= number
	}
	if part > 0 {
		name = sim.Mix(name) + uint64(part)
	}
	sim.SeedStream(&c.congestionRng, e.t.seed, name, "congestion")
	sim.SeedStream(&c.entropyRng, e.t.seed, name, "entropy")
	c.congestion.Start(now)
	if k, ok := c.congestion.(protocol.HopCounter); ok && e.t.hops != nil {
		k.SetHops(e.t.hops(host.id, dst))
	}
	c.entropy.Start(now)
	e.tellPaths(c)
	if s, ok := c.entropy.(protocol.Sibling); ok {
		s.SetSubflow(int(part), siblings)
	}
	c.window = c.congestion.Window()
	if c.credits != nil {
		c.credits.open()
	}
	if c.prober != nil {
		c.prober.open()
	}
	if c.clock != nil {
		e.openClock(host, c)
	}
	if c.timer != nil {
		c.timer.Reset()
	}
	if c.patience != nil {
		c.patience.Reset()
	}
}

// receiveAck handles an acknowledgement.
func (e *Endpoint) receiveAck(now sim.Time, h int32, id fabric.FrameID) {
	f := e.d.Frame(id)
	m := e.messages[f.Message/e.domains]
	if !m.live || m.serial != f.Serial { // of a message that is complete
		e.d.Free(id)
		return
	}
	c := m.conn
	a := &e.acked
	*a = protocol.Ack{Now: now, Entropy: f.Entropy, Marked: f.Bits&echo != 0, InFlight: c.inflight}
	first := f.Bits&again == 0
	began, left := m.Began(f.Seq)
	if !left { // another copy of the packet waits at the NIC
		began = now
	}
	p, fresh := e.acknowledge(m, f.Seq)
	if fresh {
		a.Packets = 1
		if p.Tries == 1 {
			a.RTT = now - p.SentAt
			e.rttsOf(c.group).Add(int64(a.RTT))
		}
	}
	ext, before := e.d.Extension(id), f.Aux
	if f.Tracked() {
		e.takeTrail(e.group(c), id, a)
		if before = e.d.Trail(id).Aux; f.Bits&reported == 0 { // its extension has the stamps alone
			ext = nil
		}
	}
	if f.Bits&answered != 0 {
		ext, before = takeAnswer(e.group(c), e.d.Extension(id), a)
	}
	if ext == nil {
		if a.Marked {
			a.MarkedPackets = 1
		}
		a.Packets += e.cumulative(m, before)
	} else {
		readReport(ext, &e.report)
		a.MarkedPackets = int32(e.report.Marked)
		for k, word := range e.report.Bitmap {
			for ; word != 0; word &= word - 1 {
				if _, fresh := e.acknowledge(m, e.report.Base+uint32(64*k+bits.TrailingZeros64(word))); fresh {
					a.Packets++
				}
			}
		}
		a.Packets += e.cumulative(m, e.report.Expected)
	}
	e.d.Free(id)
	switch {
	case a.Packets == 0:
	case c.timer != nil:
		c.timer.Heard(now, a.RTT)
	case c.patience != nil && fresh && first && p.Tries > 1:
		c.patience.HeardLate(now, now-began)
	case c.patience != nil && fresh:
		c.patience.Heard(now, now-began)
	case c.patience != nil:
		c.patience.Heard(now, 0)
	}
	if c.bundle != nil && a.Answered {
		c.bundle.Answered(now, a.Answer)
		e.changed(now, h, c.bundle)
	}
	window := c.window
	c.congestion.Acked(a)
	c.window = c.congestion.Window()
	a.Room, a.Cut = c.window-c.inflight, c.window < window
	if ext != nil && e.group(c).Unmarked {
		e.recycle(c, a)
	} else {
		c.entropy.Acked(a)
	}
	if e.group(c).Recovery.Kind >= IRN {
		e.fillGaps(now, m)
	}
	e.proceed(now, h, m)
}

// acknowledge notes that a packet arrived and takes it out of flight.
func (e *Endpoint) acknowledge(m *message, seq uint32) (reliable.Packet, bool) {
	p, flying, fresh := m.Ack(seq)
	if flying {
		m.conn.inflight -= e.payload(m, seq)
	} else if fresh && m.conn.credits != nil {
		m.conn.credits.backlog -= e.wire(m, seq) // it was to be sent again
	}
	return p, fresh
}

// cumulative acknowledges what precedes seq, whose own acknowledgements were
// lost, and returns how many packets that is.
func (e *Endpoint) cumulative(m *message, seq uint32) (packets int32) {
	for q := m.Oldest(); q < seq; q = max(q+1, m.Oldest()) {
		if _, fresh := e.acknowledge(m, q); fresh {
			packets++
		}
	}
	return packets
}

// recycle tells the entropy chooser of every unmarked entropy that a coalesced
// acknowledgement returned, and of the trigger's if that was marked.
func (e *Endpoint) recycle(c *connection, a *protocol.Ack) {
	if a.Marked {
		c.entropy.Acked(a)
		a.Cut = false
	}
	a.Marked, a.Packets, a.MarkedPackets = false, 1, 0
	for _, v := range e.report.Entropies {
		a.Entropy = v
		c.entropy.Acked(a)
		a.Cut = false
	}
}

// update lets a connection go on after its state changed.
func (e *Endpoint) update(now sim.Time, h int32, m *message) {
	m.conn.window = m.conn.congestion.Window()
	e.proceed(now, h, m)
}

// proceed is update for a connection whose window is known.
func (e *Endpoint) proceed(now sim.Time, h int32, m *message) {
	c := m.conn
	if m.Done() {
		e.complete(now, h, m)
	}
	if c.credits != nil {
		e.settle(now, h, c)
	}
	if c.clock != nil {
		e.follow(now, c)
	}
	e.makeReady(now, &e.hosts[h], c)
}

// complete ends a message that is fully acknowledged.
func (e *Endpoint) complete(now sim.Time, h int32, m *message) {
	c := m.conn
	if m.queued {
		c.queue.remove(m)
	}
	s := &e.hosts[h].sources[c.group]
	e.disarm(&e.hosts[h], m)
	m.live, m.conn = false, nil
	s.slots = append(s.slots, m.slot)
	c.active--
	if c.bundle != nil {
		c.bundle.active--
	}
	switch {
	case c.active > 0 || e.group(c).PerPair:
	case c.pool != nil:
		e.release(now, h, c)
	default:
		e.hosts[h].unready(c, e.group(c).Class)
		if c.clock != nil {
			e.hosts[h].closeClock(c)
		}
		e.idle[c.group] = append(e.idle[c.group], c)
	}
	if c.bundle != nil { // it may have had the turn
		e.passOn(now, h, c.bundle)
	}
	if m.split >= 0 && !e.lastPart(m.split) {
		return
	}
	if m.record >= 0 {
		e.records.at(m.record).SenderEnd = now
	}
	e.counts.Completed++
	s.Completed(now, m.ordinal)
	e.schedule(now, h, s)
}
