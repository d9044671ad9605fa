package carrier

import (
	"encoding/binary"
	"net/netip"

	"weft/unit"
	"weft/wire/internal/codec"
)

// Special values of the epoch in a greeting. In a hello, the epoch is the pairing that the sender
// has with the receiver. A pairing is a number that both peers agree on; it changes when they
// begin anew.
const (
	unknown uint32 = 0         // the sender does not know whom it greets
	anew    uint32 = 1<<32 - 1 // the sender has forgotten the pairing
	kept    uint32 = 1 << 31   // in an accept: the pairing existed before
)

// Dial greets whoever is at an address. The returned handle identifies the dial in the event that
// ends it.
func (c *Carrier) Dial(now unit.Time, to netip.AddrPort) (handle uint64) {
	c.next++
	c.dial(now, to, c.next, unknown)
	return c.next
}

// Hang cancels a dial. No event will report it.
func (c *Carrier) Hang(handle uint64) {
	for i, s := range c.dials {
		if s.handle == handle {
			c.endDial(i)
			return
		}
	}
}

func (c *Carrier) dial(now unit.Time, to netip.AddrPort, handle uint64, epoch uint32) {
	s := &session{own: c.rng.Uint64(), to: to, handle: handle, epoch: epoch, began: now, until: now.Plus(c.cfg.Silence), wait: c.firstWait()}
	c.sessions[s.own] = s
	c.dials = append(c.dials, s)
	c.greet(now, s)
}

// firstWait returns the wait before a hello is repeated. It is longer than a round trip, and than
// a busy host takes to act on the answer.
func (c *Carrier) firstWait() unit.Time { return max(3*c.cfg.RTT, 10*unit.Millisecond) }

// greet sends a hello with the cookie so far.
func (c *Carrier) greet(now unit.Time, s *session) {
	g := c.greeting(s.own)
	g.Epoch, g.Cookie = s.epoch, s.cookie
	greeting, offer := codec.AppendGreeting(nil, &g), []byte(nil)
	if g.Offers() {
		var err error
		if s.offer, offer, err = codec.NewOffer(c.secret, greeting, c.rng); err != nil {
			c.broke(err)
			return
		}
	}
	s.hello = summed(codec.AppendHello(codec.AppendHead(nil, codec.Head{Type: codec.Hello}), greeting, offer))
	c.ask(now, s)
}

// ask sends the hello of a session. Repetitions are identical.
func (c *Carrier) ask(now unit.Time, s *session) {
	c.order(s.to, s.hello)
	s.again, s.wait = min(now+s.wait, s.until), min(2*s.wait, unit.Second)
}

func (c *Carrier) greeting(session uint64) codec.Greeting {
	return codec.Greeting{
		Session: session, ID: c.cfg.ID, Life: c.cfg.Life, MTU: uint16(min(c.cfg.Datagram, 1<<16-1)), Sealed: c.sealed,
		Transport: c.cfg.TransportHash,
	}
}

// endDial removes a dial from the waiting ones.
func (c *Carrier) endDial(i int) {
	s := c.dials[i]
	c.dials = append(c.dials[:i], c.dials[i+1:]...)
	if s.peer == nil {
		delete(c.sessions, s.own)
	}
}

// failDial ends a dial with an error.
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

// expireDials repeats unanswered hellos and gives up overdue dials.
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

// place encodes an address as bytes.
func place(a netip.AddrPort) []byte {
	b := a.Addr().As16()
	return binary.BigEndian.AppendUint16(b[:], a.Port())
}

// onHello answers a hello: first with a cookie, and once the cookie comes back with this
// endpoint's greeting.
func (c *Carrier) onHello(now unit.Time, from netip.AddrPort, body []byte) {
	g, greeting, offer, err := codec.ParseHello(body)
	switch {
	case err == nil && g.ID == c.cfg.ID && c.sessions[g.Session] != nil && c.sessions[g.Session].asks():
		c.failDial(c.dialOf(c.sessions[g.Session]), errSelf)
		return
	case err != nil || g.ID == c.cfg.ID:
		c.Counts.Malformed++
		return
	case g.Sealed != c.sealed:
		c.Counts.Unsealed++
		return
	case !c.jar.Check(now, place(from), g.Session, g.Cookie):
		cookie := c.jar.Make(now, place(from), g.Session)
		c.answer(from, summed(codec.AppendChallenge(codec.AppendHead(nil, codec.Head{Type: codec.Challenge, Session: g.Session}), cookie)))
		return
	}
	if s := c.greeted(&g); s != nil { // a repetition of the same hello
		if s.accept != nil {
			c.order(from, s.accept)
		}
		return
	}
	s := &session{own: c.rng.Uint64(), remote: g.Session, to: from, greeting: g}
	var offered *codec.Offered
	if c.sealed {
		if offered, err = codec.ReadOffer(c.secret, greeting, offer, c.rng); err != nil {
			c.Counts.Unsealed++
			return
		}
	}
	if !c.matches(&g) {
		c.Counts.Mismatched++
		if c.agree(s, offered) {
			c.order(from, s.accept) // tells the peer the reason; nothing is kept
		}
		return
	}
	if c.byID[g.ID] == nil && len(c.byID)+c.unproven() >= c.cfg.Peers && c.idle(now) == nil {
		c.Counts.Full++
		return
	}
	if !c.agree(s, offered) {
		return
	}
	c.sessions[s.own] = s
	if c.sealed || c.commit(now, s) {
		c.order(from, s.accept)
	}
}

// matches reports whether a peer's transport divides messages and interprets packets as this
// endpoint's does.
func (c *Carrier) matches(g *codec.Greeting) bool {
	own := c.greeting(0)
	return g.Transport == own.Transport && g.MTU == own.MTU
}

// greeted returns the session that a hello has opened, or nil.
func (c *Carrier) greeted(g *codec.Greeting) *session {
	if p := c.byID[g.ID]; p != nil {
		for _, s := range p.sessions {
			if s.greeting == *g {
				return s
			}
		}
	}
	for _, s := range c.sessions {
		if s.peer == nil && s.greeting == *g {
			return s
		}
	}
	return nil
}

// unproven counts sessions of peers that have not yet proved that they know the secret. If there
// are many, it drops one of them.
func (c *Carrier) unproven() (n int) {
	var any *session
	for _, s := range c.sessions {
		if s.peer == nil && s.accept != nil {
			n, any = n+1, s
		}
	}
	if most := max(1, c.cfg.Peers/4); n >= most {
		delete(c.sessions, any.own)
		n--
	}
	return n
}

// agree makes the accept for a hello, and the keys. Repetitions of the hello get the same accept.
func (c *Carrier) agree(s *session, offered *codec.Offered) bool {
	g := c.greeting(s.own)
	pairing, was := c.pair(&s.greeting)
	s.toldPairing, g.Epoch = pairing, pairing
	if was {
		g.Epoch |= kept
	}
	said := codec.AppendGreeting(nil, &g)
	if offered != nil {
		var err error
		if said, s.keys, err = offered.Answer(said); err != nil {
			c.Counts.Unsealed++
			return false
		}
	}
	s.accept = summed(append(codec.AppendHead(nil, codec.Head{Type: codec.Accept, Session: s.remote}), said...))
	return true
}

// pair returns the pairing that a hello leads to, and whether it existed before.
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

// commit assigns a session that a peer began to that peer. It returns false if there is no room,
// or the session is not acceptable.
func (c *Carrier) commit(now unit.Time, s *session) bool {
	g := &s.greeting
	if s.accept == nil { // a dial of this endpoint that is not accepted yet
		return false
	}
	pairing, was := c.pair(g)
	p := c.byID[g.ID]
	if p != nil && !was {
		c.forget(now, p, ErrRestarted)
		p = nil
	}
	if pairing != s.toldPairing { // the peer assumes another pairing and will ask again
		delete(c.sessions, s.own)
		return false
	}
	fresh := p == nil
	if fresh {
		if p = c.addPeer(now, ID(g.ID), g.Life, pairing); p == nil {
			delete(c.sessions, s.own)
			c.Counts.Full++
			return false
		}
	}
	c.attach(now, p, s)
	if fresh {
		c.events = append(c.events, Event{Kind: Connected, Peer: p})
	}
	return true
}

// onChallenge repeats the hello with the cookie.
func (c *Carrier) onChallenge(now unit.Time, from netip.AddrPort, h codec.Head, body []byte) {
	cookie, err := codec.ParseChallenge(body)
	s := c.sessions[h.Session]
	if err != nil || s == nil || !s.asks() || from != s.to || cookie == s.cookie {
		return
	}
	s.cookie, s.wait = cookie, c.firstWait()
	c.greet(now, s)
}

// onAccept handles the answer to a hello with a cookie.
func (c *Carrier) onAccept(now unit.Time, from netip.AddrPort, h codec.Head, said []byte) {
	s := c.sessions[h.Session]
	if s == nil || !s.asks() || from.Addr() != s.to.Addr() || c.sealed && s.offer == nil {
		return
	}
	if c.sealed {
		var err error
		if said, s.keys, err = s.offer.Take(said); err != nil {
			s.keys = nil
			c.Counts.Unsealed++
			return
		}
	}
	g, err := codec.ParseGreeting(said)
	if err != nil || g.Sealed != c.sealed || g.ID == c.cfg.ID {
		c.Counts.Malformed++
		return
	}
	if !c.matches(&g) {
		c.Counts.Mismatched++
		c.failDial(c.dialOf(s), ErrMismatch)
		return
	}
	if q := s.renews; q != nil && q.ID != g.ID && q.replacedAt(s) {
		c.forget(now, q, ErrRestarted)
	}
	p := c.byID[g.ID]
	pairing := g.Epoch &^ kept
	if p != nil && (p.life != g.Life || p.pairing != pairing) {
		c.forget(now, p, ErrRestarted)
		p = nil
	}
	if p == nil && g.Epoch&kept != 0 && !c.told(&g) { // the peer remembers a pairing that this endpoint has forgotten
		i := c.dialOf(s)
		handle, to := s.handle, s.to
		c.endDial(i)
		c.dial(now, to, handle, anew)
		return
	}
	if p == nil {
		if p = c.addPeer(now, ID(g.ID), g.Life, pairing); p == nil {
			c.Counts.Full++
			return // the dial is repeated until there is room or time is up
		}
	}
	i := c.dialOf(s)
	s.remote, s.to, s.offer, s.hello = g.Session, from, nil, nil
	c.attach(now, p, s)
	if s.keys != nil {
		c.sendControl(now, s, codec.Packet, nil) // proves that this endpoint knows the secret
	}
	c.endDial(i)
	if s.handle != 0 {
		c.events = append(c.events, Event{Kind: Connected, Handle: s.handle, Peer: p})
	}
}

// told reports whether this endpoint announced the given pairing to the peer in an accept of its
// own. That happens if both sides dial at the same time and the peer receives the accept first.
func (c *Carrier) told(g *codec.Greeting) bool {
	for _, s := range c.sessions {
		if s.peer == nil && s.accept != nil && s.greeting.ID == g.ID && s.greeting.Life == g.Life && s.toldPairing == g.Epoch&^kept {
			return true
		}
	}
	return false
}

// onReset asks the peer that does not know a session for a new one.
func (c *Carrier) onReset(now unit.Time, from netip.AddrPort, h codec.Head) {
	for _, p := range c.peers {
		if p == nil || p.session == nil || p.session.remote != h.Session || p.session.to.Addr() != from.Addr() {
			continue
		}
		c.renew(now, p)
		return
	}
}
