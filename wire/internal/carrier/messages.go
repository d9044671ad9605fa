package carrier

import (
	"errors"
	"fmt"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/codec"
)

// Reasons why messages and dials fail.
var (
	// ErrSilent means that the peer said nothing for too long.
	ErrSilent = errors.New("the peer is silent")
	// ErrRestarted means that the peer was closed or restarted, or has forgotten this endpoint.
	ErrRestarted = errors.New("the peer was closed or restarted")
	// ErrRefused means that the receiver does not take the message.
	ErrRefused = errors.New("the peer refused the message")
	// ErrMismatch means that transports, balancers, their options or datagram sizes differ.
	ErrMismatch = errors.New("the peer has another transport or balancer, other options of them, or another size of datagram")
	// errSelf means that a dialled address is this endpoint's own.
	errSelf = errors.New("the address is that of this endpoint")
	// ErrClosed means that the endpoint is closed.
	ErrClosed = errors.New("the endpoint is closed")
)

// Reason is why a message was refused.
type Reason uint8

// Reasons to refuse a message.
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
	// Reply is set if this endpoint refused the reply to its own request.
	Reply bool
}

// Error implements error.
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

// Kind is the role of a message.
type Kind uint8

// Kinds of message.
const (
	OneWay Kind = iota
	Request
	Reply
)

// A tag has the message's kind in its lowest bits. Above is a bit for empty messages, whose
// payload is one meaningless byte. The rest is a number, chosen by the requester for requests and
// their replies, and otherwise by the sender.
const (
	kindBits = 2
	emptyBit = 1 << kindBits
	tagShift = kindBits + 1
)

// kindOf returns the kind in a tag.
func kindOf(tag uint64) Kind { return Kind(tag & (1<<kindBits - 1)) }

// Message is an arrived message.
type Message struct {
	Peer *Peer
	Kind Kind
	// Number distinguishes the requests of a sender. In a reply it is the number of the request.
	Number uint64
	Body   []byte
}

// EventKind is the kind of an event.
type EventKind uint8

// Kinds of event.
const (
	// Connected: a peer answered, or a new one greeted. Handle is the dial's, or 0 for a greeting.
	Connected EventKind = iota
	// DialFailed: a dial failed with Err.
	DialFailed
	// Arrived: a message has arrived.
	Arrived
	// Ended: a message of this endpoint is confirmed, or failed with Err.
	Ended
	// Parted: a peer was given up, after all messages to it have ended.
	Parted
	// Unawaited: a peer no longer waits for the reply to its request, which Message names.
	Unawaited
	// ReplyRefused: this endpoint refuses the reply to its request, which Message names.
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

// incoming is an arriving message.
type incoming struct {
	body []byte
	tag  uint64
}

// Submit hands over a message to a connected peer. The body must not change until the message
// ends. For a reply, number is the request's. The returned handle identifies the message in the
// event that ends it.
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
		c.nextCheck = min(c.nextCheck, now+c.cfg.Silence/patrols)
	}
	c.nothingToSend = false
	c.host.Submit(now, &protocol.HostMessage{Peer: p.number, Tag: tag, Bytes: unit.Bytes(len(body))})
	c.handleEvents(now)
	return c.next, nil
}

// Cancel ends a message with err. It returns false if the message is not under way.
func (c *Carrier) Cancel(now unit.Time, handle uint64, err error) bool {
	key, ok := c.byHandle[handle]
	if ok {
		c.withdraw(now, key, c.outgoing[key], err)
	}
	return ok
}

// withdraw removes a message from the transport and ends it.
func (c *Carrier) withdraw(now unit.Time, key outKey, m *outgoing, err error) {
	if t, ok := c.host.(protocol.Canceler); ok {
		t.Cancel(now, &protocol.HostMessage{Peer: key.peer, Tag: key.tag, Bytes: unit.Bytes(len(m.body))})
	}
	c.nothingToSend = false
	c.end(key, m, err)
	c.handleEvents(now)
}

// end reports the end of a message.
func (c *Carrier) end(key outKey, m *outgoing, err error) {
	delete(c.outgoing, key)
	delete(c.byHandle, m.handle)
	p := c.peers[key.peer]
	p.active--
	c.events = append(c.events, Event{Kind: Ended, Handle: m.handle, Peer: p, Err: err})
}

// Overhead is the memory charged for a message in addition to its body.
const Overhead = 256 * unit.Byte

// Read notes that the driver has released an arrived message of the given size.
func (c *Carrier) Read(bytes int) { c.held -= unit.Bytes(max(1, bytes)) + Overhead }

// onPacket handles a packet of a peer's transport.
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
	c.nothingToSend = false
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
	c.handleEventsOf(now, key)
}

// tally counts an arrived packet with payload.
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

// lighter returns how many header bytes data packets of a kind save.
func (c *Carrier) lighter(kind uint8) unit.Bytes {
	return unit.Bytes(c.cfg.Transport.Host.Lighter[kind%protocol.HostKinds])
}

// Leave makes the carrier refuse new messages except replies and those that have begun to arrive.
func (c *Carrier) Leave() { c.leaving = true }

// refuses reports whether to refuse a message that nothing has arrived of, and why.
func (c *Carrier) refuses(p *protocol.Packet) (why Reason, refused bool) {
	switch {
	case !c.cfg.Listens && kindOf(p.Tag) != Reply:
		return NobodyListens, true
	case c.leaving && p.Payload > 0 && p.Flags&protocol.Resent == 0 && kindOf(p.Tag) != Reply:
		return Leaving, true
	case p.Size > c.cfg.Largest:
		return TooLarge, true
	case p.Payload > 0 && c.held+p.Size+Overhead > c.cfg.Incoming: // without payload, the packet may concern a message that arrived
		return NoMemory, true
	}
	return 0, false
}

// refuse tells a peer that a message is refused. If this is lost, the next packet of the message
// triggers it again.
func (c *Carrier) refuse(now unit.Time, to *Peer, p *protocol.Packet, why Reason) {
	if p.Offset == 0 && p.Flags&protocol.Resent == 0 {
		c.Counts.Refused++
	}
	if kindOf(p.Tag) == Reply {
		c.events = append(c.events, Event{Kind: ReplyRefused, Peer: to, Message: Message{Peer: to, Number: p.Tag >> tagShift}, Err: &RefusedError{Reason: why, Reply: true}})
	}
	c.sendControl(now, to.session, codec.Refusal, codec.AppendRefused(nil, codec.Refused{Message: p.Message, Tag: p.Tag, Reason: uint8(why)}))
}

// onRefusal ends a message that its receiver refused.
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
	if m.tag != tag || unit.Bytes(len(m.body)) != total { // the peer contradicts its own sizes
		c.Counts.Malformed++
		return
	}
	c.Counts.Fresh += uint64(fresh)
	copy(m.body[at:], payload)
}

// handleEvents handles the transport's events.
func (c *Carrier) handleEvents(now unit.Time) { c.handleEventsOf(now, inKey{peer: -1}) }

// handleEventsOf is handleEvents after a packet of a message has arrived.
func (c *Carrier) handleEventsOf(now unit.Time, arrived inKey) {
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

// deliver hands a complete message to the driver.
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
