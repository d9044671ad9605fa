package carrier

import (
	"net/netip"

	"weft/unit"
	"weft/wire/internal/codec"
)

// mostSessions is how many sessions of a peer are accepted at once.
const mostSessions = 4

// session is an agreement on numbers and keys.
type session struct {
	own, remote uint64
	to          netip.AddrPort
	number      uint64 // of the next datagram
	packets     uint32 // number of packets sent in pieces
	keys        *codec.Keys
	rotated     unit.Time // when the sealing key last changed
	confirm     unit.Time // when to ask the peer again to confirm the key
	late        unit.Time // until when the peer's previous key is kept; 0 if there is none
	window      codec.Window
	peer        *Peer // nil until both sides have proved what they know

	// For sessions that this endpoint requested:
	handle uint64
	renews *Peer     // the peer that it is for, nil if the answerer is unknown
	began  unit.Time // first request
	again  unit.Time // next request
	wait   unit.Time
	until  unit.Time
	cookie [24]byte
	epoch  uint32
	hello  []byte       // encoded, until it is accepted
	offer  *codec.Offer // the offer in hello, if it has a cookie and there is a secret

	// For sessions that a peer requested:
	greeting    codec.Greeting // from its hello
	toldPairing uint32         // the pairing that it was told
	accept      []byte         // encoded, until the peer shows that it has it
}

// asks reports whether this endpoint requested the session and has no answer yet.
func (s *session) asks() bool { return s.hello != nil }

// head returns the head of the session's next datagram.
func (s *session) head(t codec.Type) codec.Head {
	h := codec.Head{Type: t, Session: s.remote, Number: s.number}
	s.number++
	return h
}

// spent reports whether the session has run out of numbers to seal with.
func (s *session) spent() bool { return s.keys != nil && s.number >= codec.MaxNumber }

// attach makes a session the one used to send to a peer.
func (c *Carrier) attach(now unit.Time, p *Peer, s *session) {
	if p.session == nil || p.session.to.Addr() != s.to.Addr() {
		p.path = c.newPath()
	}
	s.peer, p.session, p.heard, s.rotated = p, s, now, now
	if p.sessions = append(p.sessions, s); len(p.sessions) > mostSessions {
		delete(c.sessions, p.sessions[0].own)
		p.sessions = append(p.sessions[:0], p.sessions[1:]...)
	}
	c.nothingToSend = false
}

// keyPing is the bit of a token that asks the peer to confirm a key. The lower bits are the
// generation.
const keyPing uint32 = 1 << 31

// burstPing is the bit of a token that tests bursts.
const burstPing uint32 = 1 << 30

// ping asks the other side to return a token. The answer to token 0 is ignored.
func (c *Carrier) ping(now unit.Time, s *session, token uint32) {
	c.sendControl(now, s, codec.Ping, codec.AppendToken(nil, token))
}

// onPing answers a ping.
func (c *Carrier) onPing(now unit.Time, s *session, body []byte) {
	token, err := codec.ParsePing(body)
	if err != nil {
		c.Counts.Malformed++
		return
	}
	c.sendControl(now, s, codec.Pong, codec.AppendToken(nil, token))
}

// onPong handles the answer to a ping.
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

// sendControl sends a datagram of a session other than the transport's packets.
func (c *Carrier) sendControl(now unit.Time, s *session, t codec.Type, body []byte) {
	if b, ok := c.encode(now, nil, s, t, body); ok {
		c.order(s.to, b)
	}
}
