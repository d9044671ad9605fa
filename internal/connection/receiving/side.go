package receiving

import (
	"weft/internal/connection/end"
	"weft/internal/packet"
	"weft/protocol"
	"weft/protocol/reliable"
	"weft/unit"
)

// Config is the environment of some hosts' receiving side.
type Config struct {
	end.Site
	// Gauge, if not nil, measures delivered payload over time.
	Gauge Gauge
	// Convergence goes into protocol.HostEnv, for the receiving ends of controls.
	Convergence protocol.Convergence
}

// Gauge measures payload that arrives for the first time.
type Gauge interface {
	Deliver(now unit.Time, src, dst int32, payload unit.Bytes)
}

// Side is the receiving side of a carrier's hosts.
type Side struct {
	Config
	hosts []host
	// Packets counts arrived data packets, by group. Arrived is the payload of messages, and of
	// parts, that arrived in full.
	Packets []end.Packets
	Arrived uint64

	// answers holds the receiving ends that answer, by host and group. It is nil if there are
	// none.
	answers []*answers
	inbound []inbound
	spare   []int32 // indices of free inbound

	// Scratch space, so that arguments of interface calls do not escape to the heap.
	arrival protocol.Arrival
	granted protocol.Grant
	heard   protocol.Heard
	incast  protocol.Incast
	advice  protocol.Advice
	advices []advice // of the last data packet
	flushed reliable.Report
}

// host is the receiving side of one host.
type host struct {
	*end.Host
	incoming table
	// parts counts, for messages with missing parts, the parts that arrived in full.
	parts map[uint64]uint8
	// grants is the receiving side of the congestion control, or nil.
	grants *grants
}

// tableStart is the initial size of a host's table. One block of memory holds the tables of all
// hosts.
const tableStart = 4

// New returns the receiving side of hosts.
func New(c Config) *Side {
	s := &Side{Config: c, hosts: make([]host, len(c.Hosts)), Packets: make([]end.Packets, len(c.Network.Groups))}
	tables := make([]entry, tableStart*len(c.Hosts))
	for i := range s.hosts {
		h := &s.hosts[i]
		h.Host = &c.Hosts[i]
		h.incoming.entries = tables[i*tableStart : (i+1)*tableStart : (i+1)*tableStart]
		s.openGrants(h)
		s.openAnswers(h)
	}
	return s
}

// Data handles a data packet, trimmed or not. The caller must then call Grant for a host that
// grants credit.
func (s *Side) Data(now unit.Time, local int32, id packet.ID) {
	h := &s.hosts[local]
	p := s.Store.At(id)
	var asked packet.Ask
	var incast *protocol.Incast
	packets := p.Aux
	if p.Flags&packet.Extended != 0 {
		packets = s.Store.Aux(p)
		incast = s.takeList(p)
		if ask := s.Store.Ask(p); ask != nil {
			asked = *ask
		}
		if !p.Tracked() {
			s.Store.Strip(id)
		}
	}
	entry := s.incoming(now, h, p, packets)
	if entry == nil {
		s.Counts.Spurious++
		s.Store.Free(id) // a late copy; its sender knows that it arrived
		return
	}
	if asked.Wire > 0 {
		s.reportArrival(now, h, entry, p, &asked)
	}
	if entry.inbound == complete {
		s.Counts.Spurious++
		s.reply(id, end.Ack, packets)
		h.Out.Push(id)
		return
	}
	in := &s.inbound[entry.inbound]
	group := p.Group()
	g := &s.Network.Groups[group]
	if p.Flags&packet.Trimmed != 0 {
		copied := in.Has(p.Seq)
		if s.answers != nil {
			s.hear(now, h, in, p, incast, copied, false)
		}
		if copied {
			s.Counts.Spurious++
			s.reply(id, end.Ack, in.Expected())
		} else {
			s.reply(id, end.Nack, 0)
		}
		h.Out.Push(id)
		return
	}
	if g.Recovery.Kind == end.GoBackN && p.Seq > in.Expected() {
		s.discard(now, h, in, id)
		return
	}
	fresh := in.Receive(p.Seq)
	if fresh {
		payload := unit.Bytes(p.Size) - g.Header
		n := &s.Packets[group]
		n.Arrived++
		n.Payload += payload
		if p.Flags&packet.Marked != 0 {
			n.Marked++
		}
		in.payload += payload
		if s.Gauge != nil {
			s.Gauge.Deliver(now, p.Src(), p.Dst(), payload)
		}
	} else {
		s.Counts.Spurious++
	}
	done := in.Done()
	if s.answers != nil {
		s.hear(now, h, in, p, incast, !fresh, done)
	}
	if done {
		s.Arrived += uint64(in.payload)
		s.deliver(now, h, p)
	}
	if !g.Coalesces() {
		s.reply(id, end.Ack, in.Expected())
		if s.answers != nil {
			s.answer(now, h, in, id)
		}
		s.track(g, id)
		h.Out.Push(id)
	} else {
		in.src, in.message, in.serial = p.Src(), p.Message, p.Serial
		ahead := g.Recovery.Kind.ReportsGaps() && p.Seq >= in.Expected()
		s.coalesce(now, h, g, in, id, done || ahead, !fresh)
		if in.Pending() == 1 {
			in.since = now
		}
		if in.Pending() > 0 && !in.armed && g.AckDelay > 0 {
			in.armed = true
			s.Await(h.Host, end.Deadline{At: in.since + g.AckDelay, Slot: uint32(entry.inbound), Serial: in.generation, What: end.OverdueReport})
		}
	}
	if done {
		if g.Reply > 0 {
			s.Store.At(id).Size += uint16(g.Reply)
		}
		h.closeConnection(now, in)
		if s.answers != nil {
			s.endAnswers(now, h, in, group)
		}
		s.spare = append(s.spare, entry.inbound)
		entry.inbound = complete
	}
}

// deliver reports a message as delivered, once all its parts have arrived.
func (s *Side) deliver(now unit.Time, h *host, p *packet.Packet) {
	if p.Bits>>end.PartsShift > 0 && !h.allArrived(p) {
		return
	}
	s.Counts.Delivered++
	s.Carrier.Delivered(now, h.Local, end.Delivery{Group: p.Group(), Measured: p.Bits&end.Measured != 0, Src: p.Src(), Serial: p.Serial})
}

// allArrived notes that a message's part arrived in full, and reports whether all parts have.
func (h *host) allArrived(p *packet.Packet) bool {
	if h.parts == nil {
		h.parts = map[uint64]uint8{}
	}
	name := end.Identify(int32(p.Group()), p.Src(), p.Serial)
	n := h.parts[name]
	if n < p.Bits>>end.PartsShift {
		h.parts[name] = n + 1
		return false
	}
	delete(h.parts, name)
	return true
}

// discard drops a packet that came after a missing one, and reports the gap if due.
func (s *Side) discard(now unit.Time, h *host, in *inbound, id packet.ID) {
	p := s.Store.At(id)
	if s.answers != nil {
		s.hear(now, h, in, p, nil, true, false)
	}
	in.order.Again = s.Network.Groups[p.Group()].Recovery.Again
	if !in.order.Beyond(in.Expected(), now) {
		s.Store.Free(id)
		return
	}
	s.reply(id, end.Nack, in.Expected())
	h.Out.Push(id)
}

// Discards reports whether a host would drop a packet because an earlier one is missing.
func (s *Side) Discards(local int32, p *packet.Packet) bool {
	if p.Kind != end.Data || s.Network.Groups[p.Group()].Recovery.Kind != end.GoBackN {
		return false
	}
	en := s.hosts[local].incoming.find(p.Src(), p.Message)
	switch {
	case en == nil || int32(p.Serial-en.serial) > 0: // nothing of the message has arrived
		return p.Seq > 0
	case en.serial != p.Serial || en.inbound == complete:
		return false
	}
	return p.Seq > s.inbound[en.inbound].Expected()
}

// Probe returns a probe to its sender, with the same entropy.
func (s *Side) Probe(local int32, id packet.ID) {
	p := s.Store.At(id)
	if p.Bits&end.Inquiry != 0 {
		s.inquire(local, id)
		return
	}
	g := &s.Network.Groups[p.Group()]
	p.TurnBack()
	p.Kind, p.Bits = end.Echo, 0
	if p.Flags&packet.Marked != 0 {
		p.Bits = end.Marked
	}
	if p.Tracked() {
		s.Store.Return(id, s.Store.Aux(p))
	} else {
		p.Flags = 0
	}
	p.SetClass(g.AckClass, g.Spray)
	s.hosts[local].Out.Push(id)
}

// Has reports whether a message has arrived at a host in full.
func (s *Side) Has(local, src int32, message, serial uint32) bool {
	en := s.hosts[local].incoming.find(src, message)
	return en != nil && en.serial == serial && en.inbound == complete
}

// Parts returns the number of messages at a host with some, but not all, parts complete.
func (s *Side) Parts(local int32) int { return len(s.hosts[local].parts) }

// Warm touches the memory that a busy window will need. The result only keeps the reads.
func (s *Side) Warm() (sum uint64) {
	for i := range s.hosts {
		h := &s.hosts[i]
		sum += uint64(h.incoming.used)
		if len(h.incoming.entries) > 0 {
			sum += uint64(h.incoming.entries[0].message)
		}
	}
	for i := range s.inbound {
		sum += s.inbound[i].Warm()
	}
	return sum
}

// Size returns the number of messages for which memory is allocated.
func (s *Side) Size() int { return len(s.inbound) }

// Open returns the number of messages that have arrived in part.
func (s *Side) Open() int { return len(s.inbound) - len(s.spare) }
