package carrier

import (
	"weft/unit"
	"weft/wire/internal/codec"
)

// keyLimits limits the use of keys and sessions.
type keyLimits struct {
	// datagrams and bytes limit what one key seals, and age how long it is used. They are checked
	// only when something is sealed.
	datagrams, bytes uint64
	age              unit.Time
	// late is how long the peer's previous key remains valid after the peer has changed keys, for
	// datagrams still on their way.
	late unit.Time
	// number is the datagram number from which a new session is requested.
	number uint64
}

// Default limits. 2^36 bytes are 2^32 AES blocks, after which the output can be distinguished
// from random bytes with an advantage of 2^-65 (package codec). 2^24 datagrams bound the number
// of blocks that short datagrams fill partly. The age limits what is exposed if a key leaks from
// memory. Datagrams are late by less than a second unless the path is broken. The last 2^32
// numbers last 40 s at 100 million datagrams per second, enough to renew a session.
const (
	mostSealedDatagrams = 1 << 24
	mostSealedBytes     = 1 << 36
	oldestKey           = 600 * unit.Second
	latestOldKey        = unit.Second
	renewFrom           = codec.MaxNumber - 1<<32
)

// overdue is the multiple of its limits that a key may seal while the peer does not confirm it,
// before a new session is requested. A peer that is completely silent is given up after
// Config.Silence.
const overdue = 4

// filled returns the limits, or the defaults if they are zero.
func (l keyLimits) filled() keyLimits {
	if l == (keyLimits{}) {
		return keyLimits{mostSealedDatagrams, mostSealedBytes, oldestKey, latestOldKey, renewFrom}
	}
	return l
}

// encode appends a datagram of a session to an empty slice, sealed or with a checksum. It returns
// false if the session has run out of numbers.
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

// refresh changes to a new key, or requests a new session, when it is time.
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

// onKeyPong notes that the peer has opened a datagram sealed with the present key.
func (s *session) onKeyPong(token uint32) {
	if s.keys == nil {
		return
	}
	if present := s.keys.Rotated(); token == keyPing|uint32(present) {
		s.keys.Confirm(present)
	}
}

// renew asks a peer for a new session, in which everything under way continues.
func (c *Carrier) renew(now unit.Time, p *Peer) {
	if p == nil || c.closed {
		return
	}
	for _, s := range c.dials {
		if s.to == p.session.to {
			return // already asked
		}
	}
	c.dial(now, p.session.to, 0, p.pairing)
	c.dials[len(c.dials)-1].renews = p
}

// open unseals a datagram. It returns nil if the datagram is not valid in the session; an empty
// body is not nil.
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

// retire forgets the peer's previous key once datagrams sealed with it can no longer be on their
// way.
func (s *session) retire(now unit.Time) {
	if s.late != 0 && s.late <= now {
		s.keys.Retire()
		s.late = 0
	}
}
