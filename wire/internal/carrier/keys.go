package carrier

import (
	"weft/unit"
	"weft/wire/internal/codec"
)

// keyLimits say how long keys and sessions last.
type keyLimits struct {
	// datagrams and bytes are what one key seals, and age is for how long. Only what is sealed looks at them.
	datagrams, bytes uint64
	age              unit.Time
	// late is for how long the peer's last key opens what was on its way when the peer went to the next.
	late unit.Time
	// number is from which number on a new session is asked for.
	number uint64
}

// These are the limits. 2^36 bytes are 2^32 blocks of AES, after which its output tells from random bytes with an advantage of 2^-65
// (package codec); 2^24 datagrams bound what short ones waste of their blocks. An age bounds what a key gives away that leaks from
// memory. Datagrams are late by less than a second unless the path is broken. The last 2^32 numbers take 40 s at 100 million
// datagrams a second, in which a session is renewed.
const (
	mostSealedDatagrams = 1 << 24
	mostSealedBytes     = 1 << 36
	oldestKey           = 600 * unit.Second
	latestOldKey        = unit.Second
	renewFrom           = codec.MaxNumber - 1<<32
)

// overdue is how many times its limits a key may seal while the peer does not show that it has it, before a new session is asked
// for. A peer that says nothing at all is given up after Config.Silence.
const overdue = 4

// filled returns the limits with their defaults.
func (l keyLimits) filled() keyLimits {
	if l == (keyLimits{}) {
		return keyLimits{mostSealedDatagrams, mostSealedBytes, oldestKey, latestOldKey, renewFrom}
	}
	return l
}

// encode appends a datagram of a session to an empty slice, sealed or with a checksum. It returns false if the session cannot send any more.
func (c *Carrier) encode(now unit.Time, empty []byte, s *session, t codec.Type, body []byte) (b []byte, ok bool) {
	if s.keys == nil {
		return summed(append(codec.AppendHead(empty, s.head(t)), body...)), true
	}
	c.refresh(now, s)
	if s.spent() {
		return nil, false
	}
	b, err := s.keys.Seal(empty, s.head(t), body)
	if err != nil {
		c.broke(err)
		return nil, false
	}
	return b, true
}

// refresh has a session seal with a new key, or asks for a new session, if it is time.
func (c *Carrier) refresh(now unit.Time, s *session) {
	l, worn := &c.cfg.limits, s.keys.Worn()
	s.retire(now)
	if s.number >= l.number {
		c.renew(now, s.peer)
	}
	if worn.Datagrams < l.datagrams && worn.Bytes < l.bytes && now-s.rotated < l.age {
		return
	}
	if s.keys.Confirmed() {
		if err := s.keys.Rotate(); err != nil {
			c.broke(err)
			return
		}
		s.rotated, s.confirm = now, now
		c.Counts.Rotated++
	} else if worn.Datagrams >= overdue*l.datagrams || worn.Bytes >= overdue*l.bytes {
		c.renew(now, s.peer)
	}
	if s.confirm <= now {
		s.confirm = now + c.firstWait()
		c.ping(now, s, keyPing|uint32(s.keys.Rotated()))
	}
}

// onKeyPong notes that the peer has opened something that the present key sealed.
func (s *session) onKeyPong(token uint32) {
	if s.keys == nil {
		return
	}
	if present := s.keys.Rotated(); token == keyPing|uint32(present) {
		s.keys.Confirm(present)
	}
}

// renew asks a peer for a new session, in which what is under way goes on.
func (c *Carrier) renew(now unit.Time, p *Peer) {
	if p == nil || c.closed {
		return
	}
	for _, s := range c.dials {
		if s.to == p.session.to {
			return // it is asked already
		}
	}
	c.dial(now, p.session.to, 0, p.pairing)
	c.dials[len(c.dials)-1].renews = p
}

// open unseals a datagram, and returns nil if it is none of the session's; an empty body is not nil.
func (c *Carrier) open(now unit.Time, s *session, b []byte, h codec.Head) (body []byte) {
	if !s.window.Fresh(h.Number) {
		c.Counts.Repeated++
		return nil
	}
	s.retire(now)
	came := s.keys.Followed()
	_, body, err := s.keys.Open(c.scratch[:0], b)
	if err != nil {
		c.Counts.Unsealed++
		return nil
	}
	s.window.Accept(h.Number)
	if s.keys.Followed() != came {
		s.late = now + c.cfg.limits.late
	}
	return body
}

// retire forgets the peer's last key when nothing is still on its way that it sealed.
func (s *session) retire(now unit.Time) {
	if s.late != 0 && s.late <= now {
		s.keys.Retire()
		s.late = 0
	}
}
