package hosted

import (
	"fmt"

	"weft/internal/connection/sending"
	"weft/internal/fifo"
	"weft/protocol"
	"weft/unit"
)

// mostNumbers is how many messages to a host can be under way, and mostLong how many long ones
// among them.
const (
	mostNumbers = 256
	mostLong    = mostNumbers / 2
)

// peer is the state kept for another host.
type peer struct {
	number int32
	next   uint32 // number of the next message to it
	// outgoing holds messages under way, by number. Free numbers are reused in order, so that
	// none rests long enough for message numbers to wrap around.
	outgoing []outgoing
	free     fifo.Queue[uint32]
	long     int // long messages under way
	// waiting holds the messages that have no number yet, by group.
	waiting [groups]fifo.Queue[pending]
	// used has a bit for each entropy used to send to it. It is nil until the first one.
	used *[1 << 16 / 64]uint64
	// incoming holds messages from it: for each number, the last message that had it.
	incoming []incoming
}

// pending is a message that waits for a number. It has no bytes if it was cancelled.
type pending struct {
	tag   uint64
	bytes unit.Bytes
}

// state is the progress of a message.
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
	// slot is its number in the connections' packets.
	slot uint32
	// sent is the number of packets sent at least once.
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

// peer returns the state for another host, created if needed.
func (h *host) peer(number int32) *peer {
	if h.peers[number] == nil {
		h.peers[number] = &peer{number: number}
	}
	return h.peers[number]
}

// uses notes that a packet is sent with an entropy.
func (p *peer) uses(entropy uint16) {
	if p.used == nil {
		p.used = new([1 << 16 / 64]uint64)
	}
	p.used[entropy/64] |= 1 << (entropy % 64)
}

// hasUsed reports whether any packet was sent with an entropy.
func (p *peer) hasUsed(entropy uint16) bool {
	return p.used != nil && p.used[entropy/64]>>(entropy%64)&1 != 0
}

// take reserves a free number for a message of the group. It returns false if there is none.
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

// release makes a number free again.
func (p *peer) release(number uint32) {
	m := &p.outgoing[number]
	if m.group == long {
		p.long--
	}
	m.state = none
	p.free.Push(number)
}

// An ordinal names one of the host's messages for its connections. It holds the peer, the
// message's number there, and its serial.
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

// begin hands waiting messages to the connections while there are free numbers.
func (h *host) begin(now unit.Time, p *peer) {
	for g := range p.waiting {
		for q := &p.waiting[g]; !q.Empty(); q.Pop() {
			m := q.First()
			if m.bytes == 0 && (!h.announcesBacklog || q.Len() > 1) {
				continue
			}
			n, ok := p.take(g)
			if !ok {
				break
			}
			p.outgoing[n] = outgoing{state: underWay, group: uint8(g), serial: p.next, tag: m.tag, size: m.bytes}
			if m.bytes == 0 { // cancelled, but the receiver may know that it waits
				p.next++
				h.tellWithdrawn(now, p, n)
				continue
			}
			h.connections.Start(now, local, &sending.Message{Group: int32(g), Dst: p.number, Size: m.bytes, Ordinal: ordinalOf(p.number, n, p.next)})
			p.next++
		}
	}
}

// find returns the outgoing message that a packet refers to if it is in state s, and nil
// otherwise.
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

// check verifies the bookkeeping of numbers.
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
