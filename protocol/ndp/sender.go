package ndp

import (
	"weft/protocol"
	"weft/unit"
)

// sender is the sending end of a connection. Its credit is whole packets, in wire bytes.
type sender struct {
	packet, window unit.Bytes
	granted        uint32 // the total that reached it
	credit         unit.Bytes

	// Of the connection's life.
	sent, received, unsolicited unit.Bytes
}

func newSender(o Options, env protocol.Env) *sender {
	// A window beyond noWindow is as good as that, and the sums of credit would overflow.
	window := min(max(1, o.Window.Resolve(env.BDP, 0)), noWindow)
	packets := (window + env.Packet - 1) / env.Packet
	s := &sender{packet: env.Packet, window: packets * env.Packet}
	s.Start(0)
	return s
}

func (s *sender) Start(now unit.Time) {
	s.granted, s.credit = 0, 0
	s.sent, s.received, s.unsolicited = 0, 0, 0
	s.Resume(now)
}

// Resume implements protocol.Credited: a connection that was idle pushes a window again.
func (s *sender) Resume(unit.Time) { s.push(s.window - max(0, s.credit)) }

// push lets packets go without a pull.
func (s *sender) push(bytes unit.Bytes) {
	s.credit += bytes
	s.unsolicited += bytes
}

// noWindow is more than any connection has in flight.
const noWindow = unit.Bytes(1) << 62

func (s *sender) Window() unit.Bytes { return noWindow }

func (s *sender) Acked(*protocol.Ack) {}

// Lost implements protocol.Congestion. The receiver knows of a trimmed packet, and pulls
// for it. It does not know of one that was lost, which goes again at once.
func (s *sender) Lost(l *protocol.Loss) {
	if l.Cause != protocol.Trimmed {
		s.push(s.packet)
	}
}

func (s *sender) Sent(unit.Time, unit.Bytes) {
	s.sent += s.packet
	s.credit -= s.packet
}

func (s *sender) Granted(_ unit.Time, g *protocol.Grant) unit.Bytes {
	more := unit.Bytes(int32(g.Total - s.granted))
	if more <= 0 { // late, or granted again
		return 0
	}
	s.granted = g.Total
	s.credit += more
	s.received += more
	return more
}

func (s *sender) Credit() unit.Bytes { return s.credit }

func (s *sender) Ask(unit.Bytes) protocol.Ask { return protocol.Ask{Granted: s.granted} }

// MustAsk implements protocol.Credited: for each packet that is on its way a pull will come.
func (s *sender) MustAsk(unit.Bytes) bool { return false }

func (s *sender) Balance() (sent, granted, unsolicited unit.Bytes) {
	return s.sent, s.received, s.unsolicited
}
