package carrier

import (
	"errors"
	"fmt"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
)

// Why messages end otherwise than delivered.
var (
	// ErrSilent is that the peer said nothing for so long.
	ErrSilent = errors.New("the peer is silent")
	// ErrRestarted is that the peer was closed or restarted, or has forgotten this endpoint.
	ErrRestarted = errors.New("the peer was closed or restarted")
	// ErrRefused is that the receiver does not take the message.
	ErrRefused = errors.New("the peer refused the message")
	// ErrMismatch is that the peer has another transport or balancer, other options of them, or datagrams of another size.
	ErrMismatch = errors.New("the peer has another transport or balancer, other options of them, or another size of datagram")
	// errSelf is that an endpoint stands at the address itself.
	errSelf = errors.New("the address is that of this endpoint")
	// ErrClosed is that the endpoint is closed.
	ErrClosed = errors.New("the endpoint is closed")
)

// Reason is why a message is refused.
type Reason uint8

// Reasons.
const (
	TooLarge Reason = iota
	NoMemory
	NobodyListens
	Leaving
)

func (r Reason) String() string {
	switch r {
	case TooLarge:
		return "it is larger than the peer takes"
	case NoMemory:
		return "the peer has no memory left for it"
	case NobodyListens:
		return "nobody takes messages there"
	case Leaving:
		return "the peer is about to close"
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// RefusedError says why a message was refused.
type RefusedError struct {
	Reason Reason
	// Reply tells that this endpoint refused the reply to its own request.
	Reply bool
}

// Error says why.
func (e *RefusedError) Error() string {
	switch {
	case !e.Reply:
		return ErrRefused.Error() + ": " + e.Reason.String()
	case e.Reason == TooLarge:
		return "the reply was refused: it is larger than this endpoint takes"
	}
	return "the reply was refused: this endpoint has no memory left for it"
}

// Unwrap returns ErrRefused.
func (e *RefusedError) Unwrap() error { return ErrRefused }

// Kind is what a message is to those that exchange it.
type Kind uint8

// Kinds.
const (
	OneWay Kind = iota
	Request
	Reply
)

// A tag has the kind in the lowest bits, one that tells empty messages, whose payload is a byte that says nothing, and above the
// number that the endpoint that asked, or else the sender, gave it.
const (
	kindBits = 2
	emptyBit = 1 << kindBits
	tagShift = kindBits + 1
)

// kindOf returns the kind in a tag.
func kindOf(tag uint64) Kind { return Kind(tag & (1<<kindBits - 1)) }

// Message is one that arrived.
type Message struct {
	Peer *Peer
	Kind Kind
	// Number tells a request from others of its sender, and a reply by which request it was asked for.
	Number uint64
	Body   []byte
}

// EventKind tells what happened.
type EventKind uint8

// Kinds of event.
const (
	// Connected: a peer answered, or a new one greeted. Handle is that of the dial, 0 of one that greeted.
	Connected EventKind = iota
	// DialFailed: nobody answered.
	DialFailed
	// Arrived: a message came.
	Arrived
	// Ended: a message of this endpoint is confirmed, or ended with an error.
	Ended
	// Parted: a peer was given up, after all messages to it ended.
	Parted
	// Unawaited: a peer no longer waits for the reply to its request, which Message names.
	Unawaited
	// ReplyRefused: this endpoint does not take the reply to its request, which Message names.
	ReplyRefused
)

// Event is something that happened.
type Event struct {
	Kind    EventKind
	Handle  uint64
	Peer    *Peer
	Message Message
	Err     error
}

type outKey struct {
	peer int32
	tag  uint64
}

type outgoing struct {
	handle uint64
	body   []byte
}

type inKey struct {
	peer    int32
	message uint32
}

// incoming is a message that arrives.
type incoming struct {
	body []byte
	tag  uint64
}

// Submit hands over a message to a peer that is connected. The body must not change before the message ended. Number is that of the request that a reply
// is for. The handle names the message in the event of its end.
func (c *Carrier) Submit(now unit.Time, p *Peer, kind Kind, number uint64, body []byte) (handle uint64, err error) {
	switch {
	case c.fault != nil:
		return 0, c.fault
	case c.closed:
		return 0, ErrClosed
	case c.peers[p.number] != p:
		return 0, ErrSilent
	}
	c.next++
	if kind != Reply {
		number = c.next
	}
	tag := number<<tagShift | uint64(kind)
	if len(body) == 0 {
		tag, body = tag|emptyBit, []byte{0}
	}
	key := outKey{p.number, tag}
	if c.outgoing[key] != nil {
		return 0, fmt.Errorf("request %d has a reply already", number)
	}
	c.outgoing[key], c.byHandle[c.next] = &outgoing{handle: c.next, body: body}, key
	if p.active++; p.active == 1 {
		p.paths.Resume(now)
		p.since = max(p.since, now)
		c.patrol = min(c.patrol, now+c.cfg.Silence/patrols)
	}
	c.vain = false
	c.host.Submit(now, &protocol.HostMessage{Peer: p.number, Tag: tag, Bytes: unit.Bytes(len(body))})
	c.heed(now)
	return c.next, nil
}

// Cancel takes a message back, which ends with an error, and tells whether it was under way.
func (c *Carrier) Cancel(now unit.Time, handle uint64, err error) bool {
	key, ok := c.byHandle[handle]
	if ok {
		c.withdraw(now, key, c.outgoing[key], err)
	}
	return ok
}

// withdraw takes back what the transport has of a message, and ends it.
func (c *Carrier) withdraw(now unit.Time, key outKey, m *outgoing, err error) {
	if t, ok := c.host.(protocol.Canceler); ok {
		t.Cancel(now, &protocol.HostMessage{Peer: key.peer, Tag: key.tag, Bytes: unit.Bytes(len(m.body))})
	}
	c.vain = false
	c.end(key, m, err)
	c.heed(now)
}

// end tells what became of a message.
func (c *Carrier) end(key outKey, m *outgoing, err error) {
	delete(c.outgoing, key)
	delete(c.byHandle, m.handle)
	p := c.peers[key.peer]
	p.active--
	c.events = append(c.events, Event{Kind: Ended, Handle: m.handle, Peer: p, Err: err})
}

// Overhead is the memory that a message takes beside its body.
const Overhead = 256 * unit.Byte

// Read tells that so much of messages that arrived is no longer held.
func (c *Carrier) Read(bytes int) { c.held -= unit.Bytes(max(1, bytes)) + Overhead }

// onPacket takes a packet of a peer's transport.
func (c *Carrier) onPacket(now unit.Time, from *Peer, body []byte, marked bool) {
	p := &c.packet
	*p = protocol.Packet{}
	payload, err := codec.ParsePacket(body, p, &c.more)
	if err != nil || p.Group != 0 || p.Payload > 0 && (p.Tag == 0 || p.Size <= 0 || p.Payload > c.env.Payload+c.lighter(p.Kind)) {
		c.Counts.Malformed++
		return
	}
	p.Peer, p.Class = from.number, 0
	if marked {
		p.Flags |= protocol.Marked
		c.Counts.Marked++
	}
	c.vain = false
	if p.Flags&protocol.Echoes != 0 {
		a := &from.acked
		*a = protocol.Ack{Now: now, Entropy: p.Echo, Packets: 1}
		if p.Flags&protocol.EchoMarked != 0 {
			a.Marked, a.MarkedPackets = true, 1
		}
		from.paths.Acked(a)
	}
	key := inKey{from.number, p.Message}
	if p.Tag != 0 && c.incoming[key] == nil { // it has payload, or announces some
		if why, refused := c.refuses(p); refused {
			c.refuse(now, from, p, why)
			return
		}
	}
	tag, total, at := p.Tag, p.Size, p.Offset
	fresh := c.host.Receive(now, p)
	if len(payload) > 0 {
		c.keep(key, tag, total, at, payload, fresh)
		c.tally(fresh > 0, marked)
	}
	c.heedAt(now, key)
}

// tally counts a packet with payload that came.
func (c *Carrier) tally(fresh, marked bool) {
	switch {
	case !fresh:
		c.Counts.Copies++
	case marked:
		c.Counts.DataMarked++
		fallthrough
	default:
		c.Counts.Data++
	}
}

// lighter is how many bytes of header data packets of a kind do without.
func (c *Carrier) lighter(kind uint8) unit.Bytes {
	return unit.Bytes(c.cfg.Transport.Host.Lighter[kind%protocol.HostKinds])
}

// Leave has no messages taken any more but replies, and those of which something has come.
func (c *Carrier) Leave() { c.leaving = true }

// refuses tells whether there is no room for a message of which nothing came.
func (c *Carrier) refuses(p *protocol.Packet) (why Reason, refused bool) {
	switch {
	case !c.cfg.Listens && kindOf(p.Tag) != Reply:
		return NobodyListens, true
	case c.leaving && p.Payload > 0 && p.Flags&protocol.Resent == 0 && kindOf(p.Tag) != Reply:
		return Leaving, true
	case p.Size > c.cfg.Largest:
		return TooLarge, true
	case p.Payload > 0 && c.held+p.Size+Overhead > c.cfg.Incoming: // else it may ask for one that came
		return NoMemory, true
	}
	return 0, false
}

// refuse tells a peer that a message is not taken. The answer may be lost: the next packet of the message has another one.
func (c *Carrier) refuse(now unit.Time, to *Peer, p *protocol.Packet, why Reason) {
	if p.Offset == 0 && p.Flags&protocol.Resent == 0 {
		c.Counts.Refused++
	}
	if kindOf(p.Tag) == Reply {
		c.events = append(c.events, Event{Kind: ReplyRefused, Peer: to, Message: Message{Peer: to, Number: p.Tag >> tagShift}, Err: &RefusedError{Reason: why, Reply: true}})
	}
	c.say(now, to.session, codec.Refusal, codec.AppendRefused(nil, codec.Refused{Message: p.Message, Tag: p.Tag, Reason: uint8(why)}))
}

// onRefusal ends a message that its receiver does not take.
func (c *Carrier) onRefusal(now unit.Time, p *Peer, body []byte) {
	r, err := codec.ParseRefused(body)
	if err != nil {
		c.Counts.Malformed++
		return
	}
	key := outKey{p.number, r.Tag}
	if m := c.outgoing[key]; m != nil {
		c.withdraw(now, key, m, &RefusedError{Reason: Reason(r.Reason)})
	}
}

// keep copies payload into its message.
func (c *Carrier) keep(key inKey, tag uint64, total, at unit.Bytes, payload []byte, fresh unit.Bytes) {
	if fresh <= 0 {
		c.Counts.Spare += uint64(len(payload))
		return
	}
	m := c.incoming[key]
	if m == nil {
		m = &incoming{body: make([]byte, total), tag: tag}
		c.incoming[key] = m
		c.held += total + Overhead
	}
	if m.tag != tag || unit.Bytes(len(m.body)) != total { // a peer that does not keep to its own sizes
		c.Counts.Malformed++
		return
	}
	c.Counts.Fresh += uint64(fresh)
	copy(m.body[at:], payload)
}

// heed acts on what the transport reports.
func (c *Carrier) heed(now unit.Time) { c.heedAt(now, inKey{peer: -1}) }

// heedAt is heed after a packet of a message.
func (c *Carrier) heedAt(now unit.Time, arrived inKey) {
	for i := 0; i < len(c.out.Events); i++ {
		v := c.out.Events[i]
		switch v.Kind {
		case protocol.MessageDelivered:
			c.deliver(arrived)
		case protocol.MessageCompleted:
			key := outKey{v.Peer, v.Tag}
			if m := c.outgoing[key]; m != nil {
				c.Counts.Confirmed++
				c.end(key, m, nil)
			}
		case protocol.MessageWithdrawn:
			key := inKey{v.Peer, uint32(v.Tag)}
			if m := c.incoming[key]; m != nil {
				c.held -= unit.Bytes(len(m.body)) + Overhead
				delete(c.incoming, key)
			}
		case protocol.PacketLost:
			c.Counts.Lost++
			if v.Cause == protocol.Timeout {
				c.Counts.Timeouts++
			}
			if p := c.peers[v.Peer]; p != nil {
				c.suspect(now, &p.path)
				p.lost = protocol.Loss{Now: now, Unplaced: true, Cause: v.Cause, Wire: v.Bytes}
				p.paths.Lost(&p.lost)
			}
		}
	}
	c.out.Events = c.out.Events[:0]
}

// deliver hands a message that is whole to the driver.
func (c *Carrier) deliver(key inKey) {
	m := c.incoming[key]
	if m == nil {
		return
	}
	delete(c.incoming, key)
	c.Counts.Delivered++
	body := m.body
	if m.tag&emptyBit != 0 {
		body = body[:0]
	}
	p := c.peers[key.peer]
	c.events = append(c.events, Event{Kind: Arrived, Peer: p, Message: Message{
		Peer: p, Kind: kindOf(m.tag), Number: m.tag >> tagShift, Body: body,
	}})
}
