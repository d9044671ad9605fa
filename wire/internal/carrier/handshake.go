package carrier

import (
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
	s := &session{own: c.rng.Uint64(), to: to, handle: handle, epoch: epoch, began: now, until: now.Plus(c.cfg.Silence), wait: c.firstWait()}
	c.sessions[s.own] = s
	c.dials = append(c.dials, s)
	c.greet(now, s)
}

// firstWait is after how long a hello is said again: later than its answer comes, and than a host that is busy acts on it.
func (c *Carrier) firstWait() unit.Time { return max(3*c.cfg.RTT, 10*unit.Millisecond) }

// greet says hello with the cookie that there is.
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

// ask sends the hello of a session, which is the same each time.
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
	if s := c.greeted(&g); s != nil { // the same hello came again
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
			c.order(from, s.accept) // from which the peer learns why; nothing is kept
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

// matches tells whether a peer's transport cuts messages and reads packets as this endpoint's does.
func (c *Carrier) matches(g *codec.Greeting) bool {
	own := c.greeting(0)
	return g.Transport == own.Transport && g.MTU == own.MTU
}

// greeted returns the session that a hello opened, if it did.
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

// unproven counts sessions of peers that have not shown that they know the secret, and drops one of them if they are many.
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

// agree makes the accept of a hello, which is the same each time that the hello comes, and the keys.
func (c *Carrier) agree(s *session, offered *codec.Offered) bool {
	g := c.greeting(s.own)
	pairing, was := c.pair(&s.greeting)
	s.told, g.Epoch = pairing, pairing
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
	if s.accept == nil { // of a dial that was not accepted yet
		return false
	}
	pairing, was := c.pair(g)
	p := c.byID[g.ID]
	if p != nil && !was {
		c.forget(now, p, ErrRestarted)
		p = nil
	}
	if pairing != s.told { // the peer takes another one for theirs, and asks again
		delete(c.sessions, s.own)
		return false
	}
	fresh := p == nil
	if fresh {
		if p = c.meet(now, ID(g.ID), g.Life, pairing); p == nil {
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

// onChallenge says hello again with the cookie.
func (c *Carrier) onChallenge(now unit.Time, from netip.AddrPort, h codec.Head, body []byte) {
	cookie, err := codec.ParseChallenge(body)
	s := c.sessions[h.Session]
	if err != nil || s == nil || !s.asks() || from != s.to || cookie == s.cookie {
		return
	}
	s.cookie, s.wait = cookie, c.firstWait()
	c.greet(now, s)
}

// onAccept takes the greeting of who was asked.
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
	if p == nil && g.Epoch&kept != 0 && !c.told(&g) { // it knows what this endpoint has forgotten
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
	i := c.dialOf(s)
	s.remote, s.to, s.offer, s.hello = g.Session, from, nil, nil
	c.attach(now, p, s)
	if s.keys != nil {
		c.say(now, s, codec.Packet, nil) // which shows that this endpoint knows the secret
	}
	c.endDial(i)
	if s.handle != 0 {
		c.events = append(c.events, Event{Kind: Connected, Handle: s.handle, Peer: p})
	}
}

// told tells whether this endpoint told a peer of the pairing that it names, in an answer to a hello of its own. Both sides asked
// at once then, and the peer had the answer first.
func (c *Carrier) told(g *codec.Greeting) bool {
	for _, s := range c.sessions {
		if s.peer == nil && s.accept != nil && s.greeting.ID == g.ID && s.greeting.Life == g.Life && s.told == g.Epoch&^kept {
			return true
		}
	}
	return false
}

// onReset says hello to a peer that does not know a session.
func (c *Carrier) onReset(now unit.Time, from netip.AddrPort, h codec.Head) {
	for _, p := range c.peers {
		if p == nil || p.session == nil || p.session.remote != h.Session || p.session.to.Addr() != from.Addr() {
			continue
		}
		c.renew(now, p)
		return
	}
}
