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
	packets     uint32 // that went in pieces
	keys        *codec.Keys
	rotated     unit.Time // when keys went to what they seal with
	confirm     unit.Time // when the peer is asked next whether it has that key
	late        unit.Time // until when they open what the peer's last key sealed; 0 for nothing
	window      codec.Window
	peer        *Peer // nil until both sides have shown what they know

	// Of one that this endpoint asked for:
	handle uint64
	renews *Peer     // the peer for whom it is asked, nil if it is not known who answers
	began  unit.Time // when it was asked first
	again  unit.Time // when it asks again
	wait   unit.Time
	until  unit.Time
	cookie [24]byte
	epoch  uint32
	hello  []byte       // as it is sent, until it is accepted
	offer  *codec.Offer // what it offers, if it has a cookie and there is a secret

	// Of one that a peer asked for:
	greeting codec.Greeting // of its hello
	told     uint32         // the pairing that it was told
	accept   []byte         // as it is sent, until the peer shows that it has it
}

// asks tells whether this endpoint asked for the session, and has no answer yet.
func (s *session) asks() bool { return s.hello != nil }

// head is that of the session's next datagram.
func (s *session) head(t codec.Type) codec.Head {
	h := codec.Head{Type: t, Session: s.remote, Number: s.number}
	s.number++
	return h
}

// spent tells whether the session has no number left to seal with.
func (s *session) spent() bool { return s.keys != nil && s.number >= codec.MaxNumber }

// attach lets a peer be sent to by a session.
func (c *Carrier) attach(now unit.Time, p *Peer, s *session) {
	if p.session == nil || p.session.to.Addr() != s.to.Addr() {
		p.path = c.newPath()
	}
	s.peer, p.session, p.heard, s.rotated = p, s, now, now
	if p.sessions = append(p.sessions, s); len(p.sessions) > mostSessions {
		delete(c.sessions, p.sessions[0].own)
		p.sessions = append(p.sessions[:0], p.sessions[1:]...)
	}
	c.vain = false
}

// keyPing is the bit of a token that asks whether the peer opens what a key sealed. Below it stands the generation.
const keyPing uint32 = 1 << 31

// burstPing is the bit of a token that tests bursts.
const burstPing uint32 = 1 << 30

// ping asks the other side for a token. Nobody heeds what answers 0.
func (c *Carrier) ping(now unit.Time, s *session, token uint32) {
	c.say(now, s, codec.Ping, codec.AppendToken(nil, token))
}

// onPing answers.
func (c *Carrier) onPing(now unit.Time, s *session, body []byte) {
	token, err := codec.ParsePing(body)
	if err != nil {
		c.Counts.Malformed++
		return
	}
	c.say(now, s, codec.Pong, codec.AppendToken(nil, token))
}

// onPong takes an answer.
func (c *Carrier) onPong(now unit.Time, s *session, body []byte) {
	token, err := codec.ParsePong(body)
	if err != nil {
		c.Counts.Malformed++
		return
	}
	switch {
	case token&keyPing != 0:
		s.onKeyPong(token)
	case token&burstPing != 0:
		s.peer.answers++
	case token != 0:
		c.onProbePong(now, s.peer, token)
	}
}

// say sends a datagram of a session that is no packet of the transport.
func (c *Carrier) say(now unit.Time, s *session, t codec.Type, body []byte) {
	if b, ok := c.encode(now, nil, s, t, body); ok {
		c.order(s.to, b)
	}
}
