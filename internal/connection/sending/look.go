package sending

import (
	"weft/internal/connection/end"
	"weft/internal/histogram"
	"weft/internal/packet"
	"weft/unit"
)

// This file lets others inspect the sending side. It changes nothing.

// Blocked is the reason why a connection may not send.
type Blocked uint8

// Reasons not to send.
const (
	// NotBlocked means that it may send.
	NotBlocked Blocked = iota
	// NothingToSend means that all packets were sent and none is known to be lost.
	NothingToSend
	// ByWindow means that the congestion window is full.
	ByWindow
	// ByReorderLimit means that the oldest packet must be acknowledged first.
	ByReorderLimit
	// ByCredit means that all credit is spent.
	ByCredit
	// ByPace means that its control spaces packets (protocol.Pacer) and nothing else blocks it.
	ByPace
)

// blocked returns what sendable would find, without side effects. It reports a wait for the pace
// only if nothing else blocks the connection.
func (s *Side) blocked(c *connection) Blocked {
	for m := c.queue.head; m != nil; m = m.next {
		seq, ok := m.Next()
		switch {
		case ok && c.admits(s.payload(m, seq)):
			if c.held || c.bundle != nil && c.bundle.held {
				return ByPace
			}
			return NotBlocked
		case ok && c.credits != nil && c.credits.Credit() <= 0:
			return ByCredit
		case ok:
			return ByWindow
		case m.Unsent() > 0:
			return ByReorderLimit
		}
	}
	return NothingToSend
}

// Waiting describes a message that is not fully acknowledged.
type Waiting struct {
	Group    int
	Src, Dst int32
	Ordinal  uint64
	Start    unit.Time
	// Packets is the number of packets in the message, Left the number not acknowledged.
	Packets, Left uint32
	// Entropy is the entropy of the last sent copy of the oldest unacknowledged packet.
	Entropy uint16
	// Window is the connection's congestion window, InFlight the part in use.
	Window, InFlight unit.Bytes
	// Blocked is why the connection may not send. Until is when a wait for the pace ends.
	Blocked Blocked
	Until   unit.Time
	// Hosted is set if a host transport has the message. Then only size and times are known: Left
	// is Packets, and Entropy, Window, InFlight, Blocked and Until are 0.
	Hosted bool
	// Delivered is set if the receiver has the whole message, so that only acknowledgements are missing.
	Delivered bool
}

// ID identifies the message in the run.
func (w *Waiting) ID() uint64 { return end.Identify(int32(w.Group), w.Src, uint32(w.Ordinal)) }

// Oldest returns the message that has waited longest among those that asked accepts: w, if ok, or
// one of the side's. It calls asked with the destination, the message number and serial as in
// packets, and the source.
func (s *Side) Oldest(w Waiting, ok bool, asked func(dst int32, message, serial uint32, src int32) bool) (Waiting, bool) {
	for _, m := range s.messages {
		if !m.live || ok && m.start > w.Start {
			continue
		}
		src := s.hosts[m.conn.src].ID
		if !asked(m.conn.dst, s.number(m), m.serial, src) {
			continue
		}
		if ok && m.start == w.Start && src > w.Src {
			continue
		}
		ok = true
		w = Waiting{
			Group: int(m.conn.group), Src: src, Dst: m.conn.dst, Ordinal: m.ordinal, Start: m.start,
			Packets: m.packets, Left: m.Left(), Entropy: m.OldestEntropy(),
			Window: m.conn.window, InFlight: m.conn.inflight, Blocked: s.blocked(m.conn), Until: m.conn.waitsUntil(),
		}
	}
	return w, ok
}

// State returns whether a connection may send, its window, and the part of the window in use.
func (s *Side) State(h Handle) (b Blocked, window, inflight unit.Bytes) {
	return s.blocked(h.c), h.c.window, h.c.inflight
}

// Carries returns the connection of a data packet that the side sent.
func (s *Side) Carries(p *packet.Packet) Handle { return Handle{s.messages[p.Message/s.Stride].conn} }

// Loads writes what each host was given to send and has sent, by its number in the network.
func (s *Side) Loads(list []end.Load) {
	for i := range s.hosts {
		list[s.hosts[i].ID] = s.hosts[i].load
	}
}

// Load returns the load of one host.
func (s *Side) Load(local int32) *end.Load { return &s.hosts[local].load }

// RTTs returns a histogram of a group's round-trip times so far, in picoseconds. It is nil if
// there are none.
func (s *Side) RTTs(group int) *histogram.Histogram { return s.rtts[group] }

// AddRTT adds a round-trip time.
func (s *Side) AddRTT(group int32, rtt unit.Time) { s.rttsOf(group).Add(int64(rtt)) }

// rttsOf returns a group's histogram of round-trip times, created if needed. In a large network,
// most sides never need one.
func (s *Side) rttsOf(group int32) *histogram.Histogram {
	if own := s.rtts[group]; own != nil {
		return own
	}
	return s.beginRTTs(group)
}

func (s *Side) beginRTTs(group int32) *histogram.Histogram {
	s.rtts[group] = new(histogram.Histogram)
	return s.rtts[group]
}

// Breach returns the first broken contract of a control, or nil.
func (s *Side) Breach() *end.Breach { return s.breach }

// Check verifies the bookkeeping of bundles and that no sender exceeded its grants.
func (s *Side) Check() error {
	if err := s.checkBundles(); err != nil {
		return err
	}
	return s.checkCredit()
}

// Warm touches the memory that a busy window will need. The result only keeps the reads.
func (s *Side) Warm() (sum uint64) {
	for _, m := range s.messages {
		if m.live {
			sum += m.Warm() + uint64(m.slot) + uint64(m.conn.inflight) + uint64(m.conn.dst)
		}
	}
	return sum
}

// Size returns the number of message slots.
func (s *Side) Size() int { return len(s.messages) }
