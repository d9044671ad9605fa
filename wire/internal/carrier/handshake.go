package carrier

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"net/netip"

	"weft/unit"
	"weft/wire/internal/codec"
)

// What a hello says of the pairing that its sender has for the receiver, beside its number.
const (
	unknown uint32 = 0         // whom it asks it does not know
	anew    uint32 = 1<<32 - 1 // it has none any more
	kept    uint32 = 1 << 31   // of an accept: the pairing was there before
)

// Dial asks who stands at an address. The handle names the dial in the event of its end.
func (c *Carrier) Dial(now unit.Time, to netip.AddrPort) (handle uint64) {
	c.next++
	c.dial(now, to, c.next, unknown)
	return c.next
}

// Hang gives a dial up, of which no event tells any more.
func (c *Carrier) Hang(handle uint64) {
	for i, s := range c.dials {
		if s.handle == handle {
			c.endDial(i)
			return
		}
	}
}

func (c *Carrier) dial(now unit.Time, to netip.AddrPort, handle uint64, epoch uint32) {
	s := &session{own: c.rng.Uint64(), to: to, handle: handle, epoch: epoch, until: now.Plus(c.cfg.Silence), wait: max(4*c.cfg.RTT, 10*unit.Millisecond)}
	_, _ = c.rng.Read(s.nonce[:])
	c.sessions[s.own] = s
	c.dials = append(c.dials, s)
	c.ask(now, s)
}

// ask sends the hello of a session.
func (c *Carrier) ask(now unit.Time, s *session) {
	g := c.greeting(s)
	g.Epoch, g.Cookie = s.epoch, s.cookie
	c.order(s.to, summed(codec.Pad(codec.AppendGreeting(codec.AppendHead(nil, codec.Head{Type: codec.Hello}), &g), codec.HelloSize)))
	s.again, s.wait = now+s.wait, min(2*s.wait, unit.Second)
}

func (c *Carrier) greeting(s *session) codec.Greeting {
	return codec.Greeting{
		Session: s.own, ID: c.cfg.ID, Life: c.cfg.Life, Nonce: s.nonce, MTU: uint16(min(c.cfg.Datagram, 1<<16-1)), Sealed: len(c.cfg.Secret) > 0,
		Transport: c.cfg.TransportHash,
	}
}

// endDial takes a dial out of those that wait.
func (c *Carrier) endDial(i int) {
	s := c.dials[i]
	c.dials = append(c.dials[:i], c.dials[i+1:]...)
	if s.peer == nil {
		delete(c.sessions, s.own)
	}
}

// failDial ends a dial for a reason.
func (c *Carrier) failDial(i int, err error) {
	handle := c.dials[i].handle
	c.endDial(i)
	if handle != 0 {
		c.events = append(c.events, Event{Kind: DialFailed, Handle: handle, Err: err})
	}
}

func (c *Carrier) dialOf(s *session) int {
	for i := range c.dials {
		if c.dials[i] == s {
			return i
		}
	}
	return -1
}

// expireDials asks again where nobody answered, or gives up.
func (c *Carrier) expireDials(now unit.Time) {
	for i := 0; i < len(c.dials); i++ {
		s := c.dials[i]
		switch {
		case s.until <= now:
			c.failDial(i, ErrSilent)
			i--
		case s.again <= now:
			c.ask(now, s)
		}
	}
}

// place is an address as bytes.
func place(a netip.AddrPort) []byte {
	b := a.Addr().As16()
	return binary.BigEndian.AppendUint16(b[:], a.Port())
}

// onHello answers who greets: by a cookie first, and once it came back by this endpoint's own greeting.
func (c *Carrier) onHello(now unit.Time, from netip.AddrPort, body []byte) {
	g, err := codec.ParseGreeting(body)
	switch {
	case err != nil || g.ID == c.cfg.ID:
		c.Counts.Malformed++
		return
	case g.Sealed != (len(c.cfg.Secret) > 0):
		c.Counts.Unsealed++
		return
	case !c.jar.Check(now, place(from), g.Session, g.Cookie):
		cookie := c.jar.Make(now, place(from), g.Session)
		c.order(from, summed(codec.AppendChallenge(codec.AppendHead(nil, codec.Head{Type: codec.Challenge, Session: g.Session}), cookie)))
		return
	}
	// The same hello may come twice: its session is there then.
	s := c.greeted(g.ID, g.Session)
	if s == nil {
		if c.byID[g.ID] == nil && len(c.byID)+c.unproven() >= c.cfg.Peers {
			c.Counts.Full++
			return
		}
		s = &session{own: c.rng.Uint64(), remote: g.Session, to: from, greeting: g}
		_, _ = c.rng.Read(s.nonce[:])
		if len(c.cfg.Secret) > 0 {
			if s.keys, err = codec.NewKeys(c.secretOf(g), g.Nonce, s.nonce, false); err != nil {
				c.broke(err)
				return
			}
		}
		if !c.matches(&g) {
			c.Counts.Mismatched++
			c.accept(s) // from which the peer learns why; nothing is kept
			return
		}
		c.sessions[s.own] = s
		if s.keys == nil && !c.commit(now, s) {
			return
		}
	}
	c.accept(s)
}

// matches tells whether a peer's transport cuts messages and reads packets as this endpoint's does.
func (c *Carrier) matches(g *codec.Greeting) bool {
	own := c.greeting(&session{})
	return g.Transport == own.Transport && g.MTU == own.MTU
}

// secretOf binds a hello to the keys, so that nobody on the path changes what it says. The proof of an accept binds that.
func (c *Carrier) secretOf(hello codec.Greeting) []byte {
	hello.Cookie = [24]byte{}
	m := hmac.New(sha256.New, c.cfg.Secret)
	m.Write(codec.AppendGreeting(nil, &hello))
	return m.Sum(nil)
}

// greeted returns the session that a hello opened, if it did.
func (c *Carrier) greeted(id ID, remote uint64) *session {
	if p := c.byID[id]; p != nil {
		for _, s := range p.sessions {
			if s.remote == remote {
				return s
			}
		}
	}
	for _, s := range c.sessions {
		if s.peer == nil && s.handle == 0 && s.remote == remote && s.greeting.ID == id {
			return s
		}
	}
	return nil
}

// unproven counts sessions of peers that have not shown that they know the secret, and drops one of them if they are many.
func (c *Carrier) unproven() (n int) {
	var any *session
	for _, s := range c.sessions {
		if s.peer == nil && s.greeting.Session != 0 {
			n, any = n+1, s
		}
	}
	if most := max(1, c.cfg.Peers/4); n >= most {
		delete(c.sessions, any.own)
		n--
	}
	return n
}

// accept sends this endpoint's greeting, with a proof that it knows the secret.
func (c *Carrier) accept(s *session) {
	g := c.greeting(s)
	if s.peer != nil {
		g.Epoch = s.peer.pairing
		if s.peer.hello != s.remote {
			g.Epoch |= kept
		}
	} else {
		pairing, was := c.pair(&s.greeting)
		if g.Epoch = pairing; was {
			g.Epoch |= kept
		}
	}
	data := codec.AppendGreeting(codec.AppendHead(nil, s.head(codec.Accept)), &g)
	if s.keys != nil {
		proof, err := s.keys.Seal(nil, s.head(codec.Packet), data)
		if err != nil {
			c.broke(err)
			return
		}
		data = append(data, proof...)
	}
	c.order(s.to, summed(data))
}

// pair returns the pairing that a hello leads to, and whether it is the one that was there before.
func (c *Carrier) pair(g *codec.Greeting) (pairing uint32, was bool) {
	p := c.byID[g.ID]
	switch {
	case p == nil || p.life != g.Life:
		if g.Epoch == unknown || g.Epoch == anew {
			return 1, false
		}
		return g.Epoch%(kept-2) + 1, false
	case g.Epoch == unknown || g.Epoch == p.pairing:
		return p.pairing, true
	}
	return p.pairing%(kept-2) + 1, false
}

// commit lets a session that a peer asked for be one of the peer, and tells whether there is room for it.
func (c *Carrier) commit(now unit.Time, s *session) bool {
	g := &s.greeting
	if g.Session == 0 { // of a dial that was not accepted yet
		return false
	}
	pairing, was := c.pair(g)
	p := c.byID[g.ID]
	if p != nil && !was {
		c.forget(now, p, ErrRestarted)
		p = nil
	}
	fresh := p == nil
	if fresh {
		if p = c.meet(now, ID(g.ID), g.Life, pairing); p == nil {
			delete(c.sessions, s.own)
			c.Counts.Full++
			return false
		}
		p.hello = s.remote
	}
	c.attach(now, p, s)
	if fresh {
		c.events = append(c.events, Event{Kind: Connected, Peer: p})
	}
	return true
}

// onChallenge says hello again with the cookie.
func (c *Carrier) onChallenge(now unit.Time, from netip.AddrPort, h codec.Head, body []byte) {
	cookie, err := codec.ParseChallenge(body)
	s := c.sessions[h.Session]
	if err != nil || s == nil || s.peer != nil || s.until == 0 || from != s.to || cookie == s.cookie {
		return
	}
	s.cookie = cookie
	c.ask(now, s)
}

// onAccept takes the greeting of who was asked.
func (c *Carrier) onAccept(now unit.Time, from netip.AddrPort, h codec.Head, whole, proof []byte) {
	s := c.sessions[h.Session]
	if s == nil || s.peer != nil || s.until == 0 || from.Addr() != s.to.Addr() {
		return
	}
	g, err := codec.ParseGreeting(whole[codec.HeadSize:])
	if err != nil || g.Sealed != (len(c.cfg.Secret) > 0) || g.ID == c.cfg.ID {
		c.Counts.Malformed++
		return
	}
	if g.Sealed {
		said := c.greeting(s)
		said.Epoch = s.epoch
		keys, err := codec.NewKeys(c.secretOf(said), s.nonce, g.Nonce, true)
		if err != nil {
			c.broke(err)
			return
		}
		shown, text, err := keys.Open(nil, proof)
		if err != nil || shown.Session != s.own || string(text) != string(whole) {
			c.Counts.Unsealed++
			return
		}
		s.window.Accept(shown.Number) // so that nobody passes it for a packet
		s.keys = keys
	}
	if !c.matches(&g) {
		c.Counts.Mismatched++
		c.failDial(c.dialOf(s), ErrMismatch)
		return
	}
	s.remote, s.to = g.Session, from
	p := c.byID[g.ID]
	pairing := g.Epoch &^ kept
	if p != nil && (p.life != g.Life || p.pairing != pairing) {
		c.forget(now, p, ErrRestarted)
		p = nil
	}
	if p == nil && g.Epoch&kept != 0 { // it knows what this endpoint has forgotten
		i := c.dialOf(s)
		handle, to := s.handle, s.to
		c.endDial(i)
		c.dial(now, to, handle, anew)
		return
	}
	if p == nil {
		if p = c.meet(now, ID(g.ID), g.Life, pairing); p == nil {
			c.Counts.Full++
			return // it is asked again until there is room, or time is up
		}
	}
	c.attach(now, p, s)
	if s.keys != nil {
		c.say(s, codec.Packet, nil) // which shows that this endpoint knows the secret
	}
	c.endDial(c.dialOf(s))
	if s.handle != 0 {
		c.events = append(c.events, Event{Kind: Connected, Handle: s.handle, Peer: p})
	}
}

// onReset says hello to a peer that does not know a session.
func (c *Carrier) onReset(now unit.Time, from netip.AddrPort, h codec.Head) {
	for _, p := range c.peers {
		if p == nil || p.session == nil || p.session.remote != h.Session || p.session.to.Addr() != from.Addr() {
			continue
		}
		for _, s := range c.dials {
			if s.to == p.session.to {
				return // it is asked already
			}
		}
		c.dial(now, p.session.to, 0, p.pairing)
		return
	}
}
