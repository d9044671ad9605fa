package packet

import (
	"slices"

	"weft/protocol"
	"weft/unit"
)

// Report is the report of an acknowledgement about several packets (reliable.Report).
type Report struct {
	// Expected is the first missing packet. Base is the first packet of the bitmap.
	Expected, Base uint32
	Bitmap         [4]uint64
	// Packets is the number of packets reported, Marked the number of marked ones, and Entropies
	// the number of entropies returned.
	Packets, Marked, Entropies uint16
	Returned                   [MostEntropies]uint16
}

// MostEntropies is the largest number of entropies in a report.
const MostEntropies = 16

// Ask is a sender's request to a receiver that grants credit (protocol.Ask).
type Ask struct {
	protocol.Ask
	// Wire is the size of the packet before any trimming; 0 in a request.
	Wire uint32
	// Part is the part of messages (subflow) that the connection carries.
	Part int32
}

// List names the senders of an incast.
type List struct {
	Number  uint32
	Length  uint32
	Senders [protocol.MostListed]int32
}

// Host holds the fields of a host transport's packet beyond the header (protocol.Packet).
type Host struct {
	Message, Payload     uint32
	Offset, Size, Amount unit.Bytes
	Number, Extra        uint32
	SentAt, EchoAt       unit.Time
	Flags                protocol.PacketFlags
	Echo                 uint16
}

// Notice is a notice from the controller of a queue.
type Notice struct {
	protocol.Notice
	// From is the number of the queue.
	From int32
}

// kinds is a set of kinds of view.
type kinds uint16

const (
	hasReport kinds = 1 << iota
	hasAnswer
	hasAsk
	hasList
	hasHost
	hasNotice
	hasTime
	hasTrail
	hasMore
)

// head records which views a packet has, and the Aux that the views' number has displaced.
type head struct {
	aux uint32
	has kinds
}

// Views holds the views of a store's packets, or of packets in transit between stores.
type Views struct {
	heads []head
	spare []uint32

	reports []Report
	answers []protocol.Answer
	asks    []Ask
	lists   []List
	hosts   hostViews
	notices []Notice
	times   []unit.Time
	trails  []Trail
}

// hostViews holds the views of host transports' packets.
type hostViews struct {
	says []Host
	more []protocol.More
}

// begin returns a number for the views of a packet without any.
func (v *Views) begin(aux uint32) uint32 {
	if n := len(v.spare); n > 0 {
		i := v.spare[n-1]
		v.spare = v.spare[:n-1]
		v.heads[i] = head{aux: aux}
		return i
	}
	v.heads = append(v.heads, head{aux: aux})
	return uint32(len(v.heads) - 1)
}

func (v *Views) drop(i uint32) { v.spare = append(v.spare, i) }

// Reset removes all views.
func (v *Views) Reset() { v.heads, v.spare = v.heads[:0], v.spare[:0] }

// in returns element i of a column, which it extends if needed.
func in[T any](column *[]T, i uint32) *T {
	if more := int(i) + 1 - len(*column); more > 0 {
		*column = slices.Grow(*column, more)[:i+1]
	}
	return &(*column)[i]
}

// copy copies the views with a number and returns the number of the copies.
func (v *Views) copy(from *Views, k uint32) uint32 {
	h := from.heads[k]
	i := v.begin(h.aux)
	v.heads[i].has = h.has
	if h.has&hasReport != 0 {
		*in(&v.reports, i) = from.reports[k]
	}
	if h.has&hasAnswer != 0 {
		*in(&v.answers, i) = from.answers[k]
	}
	if h.has&hasAsk != 0 {
		*in(&v.asks, i) = from.asks[k]
	}
	if h.has&hasList != 0 {
		*in(&v.lists, i) = from.lists[k]
	}
	if h.has&hasHost != 0 {
		*in(&v.hosts.says, i) = from.hosts.says[k]
	}
	if h.has&hasNotice != 0 {
		*in(&v.notices, i) = from.notices[k]
	}
	if h.has&hasTime != 0 {
		*in(&v.times, i) = from.times[k]
	}
	if h.has&hasTrail != 0 {
		*in(&v.trails, i) = from.trails[k]
	}
	if h.has&hasMore != 0 {
		*in(&v.hosts.more, i) = from.hosts.more[k]
	}
	return i
}

// The following methods come in pairs. Add gives a packet a view with undefined content. The
// getter returns the view, or nil if there is none. Pointers are valid until the next
// packet gets a view of the same kind.

// AddReport gives a packet a report.
func (s *Store) AddReport(p *Packet) *Report { return in(&s.reports, s.give(p, hasReport)) }

// Report returns a packet's report.
func (s *Store) Report(p *Packet) *Report {
	if !s.has(p, hasReport) {
		return nil
	}
	return &s.reports[p.Aux]
}

// AddAnswer gives a packet an answer of a control's receiving end.
func (s *Store) AddAnswer(p *Packet) *protocol.Answer { return in(&s.answers, s.give(p, hasAnswer)) }

// Answer returns a packet's answer.
func (s *Store) Answer(p *Packet) *protocol.Answer {
	if !s.has(p, hasAnswer) {
		return nil
	}
	return &s.answers[p.Aux]
}

// AddAsk gives a packet a request for credit.
func (s *Store) AddAsk(p *Packet) *Ask { return in(&s.asks, s.give(p, hasAsk)) }

// Ask returns a packet's request for credit.
func (s *Store) Ask(p *Packet) *Ask {
	if !s.has(p, hasAsk) {
		return nil
	}
	return &s.asks[p.Aux]
}

// AddList gives a packet a list of senders.
func (s *Store) AddList(p *Packet) *List { return in(&s.lists, s.give(p, hasList)) }

// List returns a packet's list of senders.
func (s *Store) List(p *Packet) *List {
	if !s.has(p, hasList) {
		return nil
	}
	return &s.lists[p.Aux]
}

// AddHost gives a packet the fields of a host transport's packet.
func (s *Store) AddHost(p *Packet) *Host { return in(&s.hosts.says, s.give(p, hasHost)) }

// Host returns the fields of a host transport's packet.
func (s *Store) Host(p *Packet) *Host {
	if !s.has(p, hasHost) {
		return nil
	}
	return &s.hosts.says[p.Aux]
}

// AddNotice gives a packet a switch's notice.
func (s *Store) AddNotice(p *Packet) *Notice { return in(&s.notices, s.give(p, hasNotice)) }

// Notice returns the switch's notice in a packet.
func (s *Store) Notice(p *Packet) *Notice {
	if !s.has(p, hasNotice) {
		return nil
	}
	return &s.notices[p.Aux]
}

// AddMore gives a packet further data of a host transport.
func (s *Store) AddMore(p *Packet) *protocol.More { return in(&s.hosts.more, s.give(p, hasMore)) }

func (s *Store) More(p *Packet) *protocol.More {
	if !s.has(p, hasMore) {
		return nil
	}
	return &s.hosts.more[p.Aux]
}

func (s *Store) AddTime(p *Packet) *unit.Time { return in(&s.times, s.give(p, hasTime)) }

// Time returns the time in a packet.
func (s *Store) Time(p *Packet) *unit.Time {
	if !s.has(p, hasTime) {
		return nil
	}
	return &s.times[p.Aux]
}
