package transport

import (
	"math/rand/v2"

	"weft/fabric"
	"weft/internal/histogram"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/sim"
	"weft/unit"
)

// Kinds of frame.
const (
	data uint8 = iota
	ack
	nack       // reports a packet that arrived trimmed; or of a switch, its notice
	pull       // grants credit to a sender
	request    // asks a receiver for credit
	probeFrame // tests a path
	probeEcho  // answers it
	hostFrame  // belongs to the transport of a host as a whole

	kinds = iota // their number
)

// Bits of a frame.
const (
	echo     uint8 = 1 << iota // of an ACK: the packet arrived marked
	askAck                     // of data: the sender waits for an acknowledgement
	measured                   // the message is recorded
	again                      // of data: a retransmission

	overdue  = again    // of a request: credit was waited for in vain for a timeout
	answered = askAck   // of an ACK: its extension has an answer
	reported = measured // of an ACK: its extension has a report

	partsShift = 4 // above it stands, of data, in how many parts the message is divided, less 1
)

// connection is the sending end of a conversation.
type connection struct {
	group    int32
	src, dst int32  // host in the domain; host in the graph
	part     int32  // of messages, that it carries
	told     uint32 // how often paths had changed when it was told of them
	number   int32  // in its pool, from 1; 0 in none
	window   unit.Bytes
	inflight unit.Bytes
	// queue lists the connection's messages that have something to send.
	queue messageList
	// active counts the messages that are not acknowledged.
	active int32

	ready     bool
	parked    bool // until its class may be sent again
	held      bool // may not send for now; see clock and pool
	queues    bool // for its bundle
	apart     bool // of a bundle, or at a host with a backlog
	tracks    bool // switches write on its packets
	kept      kept
	nextReady *connection

	congestion protocol.Congestion
	entropy    protocol.Entropy
	fielder    protocol.Fielder   // nil unless its packets carry fields
	credits    *credits           // nil unless receivers grant what it sends
	prober     *prober            // nil unless the chooser tests paths
	clock      *clock             // nil unless its control has timers, paces or counts
	timer      *reliable.Timer    // nil unless it has one for all packets
	patience   *reliable.Patience // nil unless it adapts the timeout of its packets
	pool       *pool              // nil unless it is of one
	bundle     *bundle            // nil unless its control has bundles
	// Of a host with a backlog: since when it could send, and when its last frame was sent.
	readyAt, taken unit.Time
	congestionRng  rand.PCG
	entropyRng     rand.PCG
}

// Endpoint is the transport of the hosts of one domain; it implements
// fabric.Endpoint.
type Endpoint struct {
	d       *fabric.Domain
	t       *Transport
	self    uint32 // number of the domain
	domains uint32
	hosts   []host

	messages []*message // by slot
	pathList []protocol.Path
	// Allocated and not yet used.
	freshMessages    []message
	freshConnections []connection
	// connections are all that were made, as they were allocated.
	connections [][]connection
	idle        [][]*connection // by group
	inbound     []inbound
	spare       []int32 // free inbound

	records chunks[sent]
	ends    chunks[ending]
	counts  Counts
	packets []Packets              // by group
	arrived uint64                 // payload of messages, and parts of them, that arrived in full
	rtts    []*histogram.Histogram // in picoseconds, by group; nil without any
	gauge   *gauge                 // nil without

	splits     []split
	freeSplits []int32
	// borrowers are the connections that spend credit, probers those that test paths,
	// clocked those whose controls have clocks.
	borrowers []*connection
	probers   []*connection
	clocked   []*connection
	bundles   []*bundle

	// Scratch, so that what interfaces are handed does not escape.
	acked   protocol.Ack
	lost    protocol.Loss
	arrival protocol.Arrival
	granted protocol.Grant
	packet  protocol.Packet
	stamps  [protocol.MostStamps]protocol.Stamp
	report  reliable.Report // being read
	flushed reliable.Report // being written

	submission protocol.HostMessage

	watched   *watched       // nil without
	throttled *throttled     // nil without interrupts
	breach    *Breach        // of a congestion control, the first
	heard     protocol.Heard // scratch, too
	incast    protocol.Incast
}

func (e *Endpoint) group(c *connection) *Group { return &e.t.groups[c.group] }

// payload returns the payload of a packet of m.
func (e *Endpoint) payload(m *message, seq uint32) unit.Bytes {
	full := e.t.groups[m.conn.group].Payload
	if seq+1 == m.packets {
		return m.size - unit.Bytes(seq)*full
	}
	return full
}

// Receive implements fabric.Endpoint.
func (e *Endpoint) Receive(now sim.Time, h int32, id fabric.FrameID) bool {
	switch e.d.Frame(id).Kind {
	case data:
		e.receiveData(now, h, id)
		if e.hosts[h].grants != nil {
			e.grant(now, h)
		}
	case ack:
		e.receiveAck(now, h, id)
	case nack:
		if e.d.Frame(id).Originated() {
			e.receiveNotice(now, h, id)
			break
		}
		e.receiveNack(now, h, id)
	case pull:
		e.receivePull(now, h, id)
	case request:
		e.receiveRequest(now, h, id)
	case probeFrame:
		e.answerProbe(h, id)
	case probeEcho:
		e.receiveProbeEcho(now, h, id)
	case hostFrame:
		e.receiveHosted(now, h, id)
	}
	host := &e.hosts[h]
	if e.t.nic != nil {
		e.enqueue(now, host)
	}
	if host.hosted == nil {
		return host.hasControl() || host.readyHead != nil
	}
	return e.hasFrames(now, h, host)
}

// hasFrames tells whether a host has something to send.
func (e *Endpoint) hasFrames(now sim.Time, h int32, host *host) bool {
	ready := host.hosted != nil && e.awaken(now, h, host.hosted)
	return ready || host.hasControl() || host.readyHead != nil
}

// Pull implements fabric.Endpoint. Acknowledgements go first; then connections
// take turns, a packet each. With a queue at the NIC, that has all in order.
func (e *Endpoint) Pull(now sim.Time, h int32) (id fabric.FrameID, more, ok bool) {
	host := &e.hosts[h]
	if host.stopped != nil || host.backlog != nil || host.hosted != nil || e.t.nic != nil {
		return e.pullAny(now, h, host)
	}
	if !host.control.empty() {
		return host.control.pop(), !host.control.empty() || host.readyHead != nil, true
	}
	return e.pullConnection(now, host)
}

// pullAny is Pull for all kinds of host.
func (e *Endpoint) pullAny(now sim.Time, h int32, host *host) (id fabric.FrameID, more, ok bool) {
	if host.backlog != nil {
		host.backlog.idle(now)
	}
	if host.stopped == nil {
		if ok = !host.control.empty(); ok {
			id = host.control.pop()
		}
	} else {
		id, ok = e.nextControl(host)
	}
	switch {
	case ok:
		if f := e.d.Frame(id); e.t.nic != nil && f.Kind == data {
			host.queued -= unit.Bytes(f.Size)
			e.departed(now, host, f)
		}
		more = e.hasFrames(now, h, host)
	case host.hosted != nil && host.pauses&host.hosted.uses == 0:
		id, more, ok = e.pullHosted(now, h, host)
	default:
		id, more, ok = e.pullConnection(now, host)
	}
	if host.backlog != nil && ok {
		host.backlog.took(now, unit.Bytes(e.d.Frame(id).Size))
	}
	return id, more, ok
}

// pullConnection yields the next frame of a host's connections.
func (e *Endpoint) pullConnection(now sim.Time, host *host) (id fabric.FrameID, more, ok bool) {
	for host.readyHead != nil {
		c := host.readyHead
		host.readyHead = c.nextReady
		c.nextReady, c.ready = nil, false
		if !e.sendable(c) || host.pauses != 0 && e.park(host, c) { // its window shrank, or what was lost arrived after all
			if c.bundle != nil {
				e.passOn(now, c.src, c.bundle)
			}
			continue
		}
		if c.bundle != nil && c.bundle.keep(c) {
			continue
		}
		id = e.send(now, host, c)
		e.makeReady(now, host, c)
		return id, host.readyHead != nil, true
	}
	return 0, false, false
}

// sendable tells whether c has a packet that its window allows.
func (e *Endpoint) sendable(c *connection) bool {
	if c.held {
		return false
	}
	for c.queue.head != nil {
		m := c.queue.head
		seq, ok := m.Next()
		if ok {
			size := e.payload(m, seq)
			if c.inflight > 0 && size < e.group(c).Payload && e.group(c).Nagle && m.Fresh(seq) {
				c.kept |= keptByNagle
				return false
			}
			if !c.admits(size) {
				c.kept |= keptByWindow
				return false
			}
			return true
		}
		if m.Unsent() > 0 {
			c.kept |= keptByReorderLimit
			return false
		}
		c.queue.popFront()
	}
	return false
}

// admits tells whether the window of c has room for a packet of that payload. One without
// payload takes no room of a window; it takes credit, as a frame of any size does.
func (c *connection) admits(payload unit.Bytes) bool {
	if c.credits != nil {
		return c.inflight+max(payload, 1) <= c.window
	}
	return c.inflight+payload <= c.window || c.inflight == 0
}

// makeReady puts c at the end of its host's turn list if it can send.
func (e *Endpoint) makeReady(now sim.Time, h *host, c *connection) {
	if c.ready || !e.sendable(c) || h.pauses != 0 && e.park(h, c) {
		return
	}
	if c.apart {
		if c.bundle != nil && c.bundle.keep(c) {
			return
		}
		c.readyAt = now
	}
	c.ready = true
	if h.readyHead == nil {
		h.readyHead = c
	} else {
		h.readyTail.nextReady = c
	}
	h.readyTail = c
}

// send builds the next data frame of c, which is sendable.
func (e *Endpoint) send(now sim.Time, h *host, c *connection) fabric.FrameID {
	g := e.group(c)
	m := c.queue.head
	seq, _ := m.Next()
	payload := e.payload(m, seq)
	entropy := c.entropy.Next(now)
	retransmission := m.Sent(seq, now, entropy)
	if c.timer != nil && c.inflight == 0 {
		c.timer.Began(now)
	}
	c.inflight += payload
	id := e.d.Alloc()
	f := e.d.Frame(id)
	f.Address(h.id, c.dst, uint8(c.group))
	f.Message, f.Serial, f.Seq = m.slot*e.domains+e.self, m.serial, seq
	f.Aux = m.packets
	f.Size = uint16(payload + g.Header)
	f.Entropy = entropy
	f.Kind = data
	f.SetClass(g.Class, g.Spray)
	if c.tracks {
		e.trackData(now, g, c, id)
	}
	if m.record >= 0 {
		f.Bits |= measured
	}
	if m.split >= 0 {
		f.Bits |= (e.splits[m.split].parts - 1) << partsShift
	}
	if retransmission {
		f.Bits |= again
		f.SetClass(g.Class-g.Ahead, g.Spray)
		e.counts.Retransmits++
		if m.record >= 0 {
			e.records.at(m.record).Retransmits++
		}
	} else {
		h.load.Sent += payload
	}
	if g.Short > 0 && g.deflectable(m, retransmission) {
		e.d.GiveTokens(id)
	}
	if c.credits != nil {
		e.spend(now, c, id)
	}
	if h.backlog != nil && g.Congestion.SourceMarks {
		if f := e.d.Frame(id); h.backlog.sends(now, c, unit.Bytes(f.Size), retransmission) {
			f.Flags |= fabric.Marked
			e.counts.SourceMarks++
		}
	}
	if seq == 0 && m.incast != nil && m.incast.number > 0 {
		e.writeList(g, m, id)
	}
	if c.clock != nil {
		e.clockSent(now, h, c, id)
	}
	if c.bundle != nil {
		e.bundleSent(now, c.src, c.bundle, unit.Bytes(e.d.Frame(id).Size))
	}
	if g.AckEvery > 1 && !e.sendableInTime(c) {
		e.d.Frame(id).Bits |= askAck
	}
	if !m.armed && !e.queues(g) {
		e.arm(h, m, now+g.RTO)
	}
	return id
}

// queues tells whether the packets of a group wait in the queue of the NIC before their
// timeouts begin. The timer of a connection counts from the time at which the window
// allowed the packet, as TCP's does.
func (e *Endpoint) queues(g *Group) bool {
	return e.t.nic != nil && !g.ConnectionTimer && !g.TimedFromQueue
}

// departed begins the timeout of a data packet that leaves the queue of the NIC.
func (e *Endpoint) departed(now sim.Time, h *host, f *fabric.Frame) {
	m := e.messages[f.Message/e.domains]
	if !m.live || m.serial != f.Serial || !e.queues(e.group(m.conn)) {
		return
	}
	m.Departed(f.Seq, now)
	if !m.armed {
		e.arm(h, m, now+e.group(m.conn).RTO)
	}
}

// Warm implements fabric.Warmer.
func (e *Endpoint) Warm(frames uint64) (sum uint64) {
	if uint64(len(e.hosts)+len(e.messages)+len(e.inbound)) > frames {
		return 0
	}
	for i := range e.hosts {
		h := &e.hosts[i]
		sum += uint64(h.incoming.used) + uint64(len(h.sources))
		if len(h.control.buf) > 0 {
			sum += uint64(h.control.buf[h.control.tail&uint32(len(h.control.buf)-1)])
		}
		if len(h.incoming.entries) > 0 {
			sum += uint64(h.incoming.entries[0].key)
		}
	}
	for _, m := range e.messages {
		if m.live {
			sum += m.Warm() + uint64(m.slot) + uint64(m.conn.inflight) + uint64(m.conn.dst)
		}
	}
	for i := range e.inbound {
		sum += e.inbound[i].Warm()
	}
	return sum
}
