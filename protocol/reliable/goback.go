package reliable

import "weft/unit"

// InOrder is what a receiver does that takes packets in their order only, as RoCE NICs do
// with go-back-N: what comes after the first missing packet is dropped. A report asks for
// the missing packet once, and again if more arrives after a time.
type InOrder struct {
	// Again is how long after a report the same packet is asked for again.
	Again unit.Time

	asked uint32 // packet that was asked for last, plus 1
	at    unit.Time
}

// Reset begins a message.
func (o *InOrder) Reset() { o.asked, o.at = 0, 0 }

// Beyond tells that a packet arrived and was dropped since the packet expected is missing.
// It returns whether to report that.
func (o *InOrder) Beyond(expected uint32, now unit.Time) bool {
	if o.asked == expected+1 && now-o.at < o.Again {
		return false
	}
	o.asked, o.at = expected+1, now
	return true
}

// GoBack says that the receiver takes packets in order only (InOrder), in this message and
// in later ones: what is sent again goes in order too. Losses are then told by Rewind, after
// Expire at most.
func (s *Sender) GoBack() { s.inOrder = true }

// Rewind gives up the packet sent last of those that are outstanding. Called until ok is
// false, it makes the oldest packet that is not acknowledged the next one to be sent, and
// all others follow it.
func (s *Sender) Rewind() (seq uint32, p Packet, ok bool) {
	for s.cursor > s.oldest {
		s.cursor--
		if p, ok = s.Lose(s.cursor); ok {
			return s.cursor, p, true
		}
	}
	return 0, Packet{}, false
}
