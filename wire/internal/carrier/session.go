package carrier

import (
	"net/netip"

	"weft/unit"
	"weft/wire/internal/codec"
)

// mostSessions is how many sessions of a peer are heard at once.
const mostSessions = 4

// session is an agreement on numbers and keys.
type session struct {
	own, remote uint64
	to          netip.AddrPort
	number      uint64 // of the next datagram
	keys        *codec.Keys
	window      codec.Window
	peer        *Peer // nil until both sides have shown what they know

	// Of one that this endpoint asked for:
	handle uint64
	again  unit.Time // when it asks again
	wait   unit.Time
	until  unit.Time
	cookie [24]byte
	nonce  [16]byte
	epoch  uint32

	// Of one that a peer asked for with a secret, until it shows that it has it.
	greeting codec.Greeting
}

// head is that of the session's next datagram.
func (s *session) head(t codec.Type) codec.Head {
	h := codec.Head{Type: t, Session: s.remote, Number: s.number}
	s.number++
	return h
}

// attach lets a peer be sent to by a session.
func (c *Carrier) attach(now unit.Time, p *Peer, s *session) {
	s.peer, p.session, p.heard = p, s, now
	if p.sessions = append(p.sessions, s); len(p.sessions) > mostSessions {
		delete(c.sessions, p.sessions[0].own)
		p.sessions = append(p.sessions[:0], p.sessions[1:]...)
	}
	c.vain = false
}

// say sends a datagram of a session that is no packet of the transport.
func (c *Carrier) say(s *session, t codec.Type, body []byte) {
	if s.keys == nil {
		c.order(s.to, summed(append(codec.AppendHead(nil, s.head(t)), body...)))
		return
	}
	data, err := s.keys.Seal(nil, s.head(t), body)
	if err != nil {
		c.broke(err)
		return
	}
	c.order(s.to, data)
}
