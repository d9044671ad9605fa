package hosted

import (
	"fmt"

	"weft/internal/connection/sending"
	"weft/internal/fifo"
	"weft/protocol"
	"weft/unit"
)

// mostNumbers is how many messages to a host can be on their way, and mostLong how many of them long ones.
const (
	mostNumbers = 256
	mostLong    = mostNumbers / 2
)

// peer is what is known of another host.
type peer struct {
	number int32
	next   uint32 // message to it
	// outgoing are the messages on their way, by number. Numbers that are free come to their turn in order, so that none of
	// them waits so long that messages count round.
	outgoing []outgoing
	free     fifo.Queue[uint32]
	long     int // of those on their way
	// waiting are the messages that have no number yet, by group.
	waiting [groups]fifo.Queue[pending]
	// used has a bit for each entropy that something was sent with; nil until then.
	used *[1 << 16 / 64]uint64
	// incoming are the messages from it, by number, each with the last one of its number.
	incoming []incoming
}

// pending is a message that waits. One without bytes was cancelled.
type pending struct {
	tag   uint64
	bytes unit.Bytes
}

// state is how far a message is.
type state uint8

const (
	none state = iota
	underWay
	delivered
	cancelled
)

// outgoing is a message to a host.
type outgoing struct {
	state  state
	group  uint8
	serial uint32
	// slot is its number with the connections.
	slot uint32
	// sent is the first packet that was never sent.
	sent uint32
	tag  uint64
	size unit.Bytes
}

// incoming is a message from a host.
type incoming struct {
	state  state
	group  uint8
	serial uint32
	tag    uint64
	size   unit.Bytes
}

// peer returns what is known of another host.
func (h *host) peer(number int32) *peer {
	if h.peers[number] == nil {
		h.peers[number] = &peer{number: number}
	}
	return h.peers[number]
}

// uses notes that something is sent with an entropy.
func (p *peer) uses(entropy uint16) {
	if p.used == nil {
		p.used = new([1 << 16 / 64]uint64)
	}
	p.used[entropy/64] |= 1 << (entropy % 64)
}

// hasUsed tells whether anything was sent with an entropy.
func (p *peer) hasUsed(entropy uint16) bool {
	return p.used != nil && p.used[entropy/64]>>(entropy%64)&1 != 0
}

// take returns a number that is free, if there is one for a message of the group.
func (p *peer) take(group int) (number uint32, ok bool) {
	switch {
	case group == long && p.long == mostLong:
		return 0, false
	case !p.free.Empty():
		number = p.free.First()
		p.free.Pop()
	case len(p.outgoing) < mostNumbers:
		number = uint32(len(p.outgoing))
		p.outgoing = append(p.outgoing, outgoing{})
	default:
		return 0, false
	}
	if group == long {
		p.long++
	}
	return number, true
}

// release gives a number free.
func (p *peer) release(number uint32) {
	m := &p.outgoing[number]
	if m.group == long {
		p.long--
	}
	m.state = none
	p.free.Push(number)
}

// An ordinal names a message among those of the host: by whom it is to, its number there, and which of those to it.
const (
	numberShift = 32
	peerShift   = 40
)

func ordinalOf(peer int32, number, serial uint32) uint64 {
	return uint64(peer)<<peerShift | uint64(number)<<numberShift | uint64(serial)
}

func placeOf(ordinal uint64) place {
	return place{int32(ordinal >> peerShift), uint32(ordinal >> numberShift & (1<<(peerShift-numberShift) - 1))}
}

// begin hands messages that wait to the connections, as far as there are numbers.
func (h *host) begin(now unit.Time, p *peer) {
	for g := range p.waiting {
		for q := &p.waiting[g]; !q.Empty(); q.Pop() {
			m := q.First()
			if m.bytes == 0 && (!h.tells || q.Len() > 1) {
				continue
			}
			n, ok := p.take(g)
			if !ok {
				break
			}
			p.outgoing[n] = outgoing{state: underWay, group: uint8(g), serial: p.next, tag: m.tag, size: m.bytes}
			if m.bytes == 0 { // the receiver may have heard that it waits
				p.next++
				h.tellWithdrawn(now, p, n)
				continue
			}
			h.connections.Start(now, local, &sending.Message{Group: int32(g), Dst: p.number, Size: m.bytes, Ordinal: ordinalOf(p.number, n, p.next)})
			p.next++
		}
	}
}

// find returns the message to a host that a packet of it is about, nil if there is none.
func (h *host) find(p *protocol.Packet, s state) *outgoing {
	q := h.peers[p.Peer]
	if q == nil || p.Number >= uint32(len(q.outgoing)) {
		return nil
	}
	m := &q.outgoing[p.Number]
	if m.state != s || m.serial != p.Message {
		return nil
	}
	return m
}

// check tells whether the numbers are in order.
func (p *peer) check() error {
	var busy [groups]int
	for i := range p.outgoing {
		if m := &p.outgoing[i]; m.state != none {
			busy[m.group]++
		}
	}
	if busy[short]+busy[long]+p.free.Len() != len(p.outgoing) || busy[long] != p.long {
		return fmt.Errorf("hosted: of %d numbers of messages to host %d %d are of short ones, %d of long ones, counted %d, and %d free", len(p.outgoing), p.number, busy[short], busy[long], p.long, p.free.Len())
	}
	return nil
}
