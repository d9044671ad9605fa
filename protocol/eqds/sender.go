package eqds

import (
	"weft/protocol"
	"weft/unit"
)

// sender is the sending end of a connection.
type sender struct {
	// granted is the total that reached it, told the highest target it sent, and
	// trimmed the total of the packets reported as trimmed.
	granted, told, trimmed uint32
	// pulled is the balance of pulled credit, left what remains of the speculative
	// allowance.
	pulled, left unit.Bytes
	speculating  bool

	// Of the connection's life.
	sent, received, unsolicited unit.Bytes

	allowance, most unit.Bytes
}

func newSender(o Options, env protocol.Env) *sender {
	s := &sender{
		allowance: o.Speculative.Resolve(env.BDP, 0),
		most:      max(o.Credit.Resolve(env.BDP, 0), env.Packet),
	}
	s.Start(0)
	return s
}

func (s *sender) Start(now unit.Time) {
	s.granted, s.told, s.trimmed, s.pulled = 0, 0, 0, 0
	s.sent, s.received, s.unsolicited = 0, 0, 0
	s.left = 0
	s.Resume(now)
}

// Resume restores the speculative allowance. A debt that is left of it stays.
func (s *sender) Resume(unit.Time) {
	s.stop()
	s.speculating = true
	s.left = s.allowance
	s.unsolicited += s.allowance
}

// stop ends speculation. What was not spent is forfeited; a packet larger than what was
// left has to be paid for.
func (s *sender) stop() {
	if !s.speculating {
		return
	}
	s.speculating = false
	if s.left < 0 {
		s.pulled += s.left
	} else {
		s.unsolicited -= s.left
	}
	s.left = 0
}

// noWindow is more than any connection has in flight.
const noWindow = unit.Bytes(1) << 62

func (s *sender) Window() unit.Bytes { return noWindow }

func (s *sender) Acked(*protocol.Ack) { s.stop() }

// Lost implements protocol.Congestion. The receiver knows of a trimmed packet, and pulls
// it unasked.
func (s *sender) Lost(l *protocol.Loss) {
	if l.Cause == protocol.Trimmed {
		s.stop()
		s.trimmed += uint32(l.Wire)
	}
}

func (s *sender) Sent(_ unit.Time, wire unit.Bytes) {
	s.sent += wire
	if s.pulled <= 0 && s.speculating {
		s.left -= wire
		return
	}
	s.pulled -= wire
}

func (s *sender) Granted(_ unit.Time, g *protocol.Grant) unit.Bytes {
	s.stop()
	more := unit.Bytes(int32(g.Total - s.granted))
	if more <= 0 { // late, or granted again
		return 0
	}
	s.granted = g.Total
	s.pulled += more
	s.received += more
	return more
}

func (s *sender) Credit() unit.Bytes { return s.pulled + s.left }

// target is the total credit that covers the backlog, or the most that may be
// outstanding, without what the receiver adds for trimmed packets. Sending, a grant and
// a report of a trimmed packet all leave it as it is while the backlog is below the most.
// It is less than what was granted after a pull that overtook the report of the packet
// that it is for.
func (s *sender) target(backlog unit.Bytes) uint32 {
	return s.granted + uint32(max(0, min(backlog, s.most)-s.left)-s.pulled) - s.trimmed
}

func (s *sender) Ask(backlog unit.Bytes) protocol.Ask {
	t := s.target(backlog)
	if int32(t-s.told) > 0 {
		s.told = t
	}
	return protocol.Ask{Target: t, Granted: s.granted}
}

// MustAsk implements protocol.Credited. While a pull is on its way, the packet that it
// brings tells the receiver all.
func (s *sender) MustAsk(backlog unit.Bytes) bool {
	return backlog > 0 && s.Credit() <= 0 && int32(s.told+s.trimmed-s.granted) <= 0
}

func (s *sender) Balance() (sent, granted, unsolicited unit.Bytes) {
	return s.sent, s.received, s.unsolicited
}
