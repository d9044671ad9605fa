package sending

import (
	"weft/internal/connection/end"
	"weft/internal/histogram"
	"weft/internal/packet"
	"weft/unit"
)

// This file has what others may see of the sending side. It changes nothing.

// Blocked tells why a connection may not send.
type Blocked uint8

// Reasons not to send.
const (
	// NotBlocked: it may send.
	NotBlocked Blocked = iota
	// NothingToSend: all packets were sent, and none is known to be lost.
	NothingToSend
	// ByWindow: the congestion window is used up.
	ByWindow
	// ByReorderLimit: the oldest packet must be acknowledged first.
	ByReorderLimit
	// ByCredit: all credit is spent.
	ByCredit
	// ByPace: its control spaces packets (protocol.Pacer), and nothing else keeps it from sending.
	ByPace
)

// blocked tells what sendable would find, and leaves the connection as it is. A wait for the pace
// is the last that it tells: what else forbids to send would do so without it.
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
	// Packets is the message's number of packets, Left how many of them are not
	// acknowledged.
	Packets, Left uint32
	// Entropy is that of the last copy sent of the oldest one among these.
	Entropy uint16
	// Window is the connection's congestion window, InFlight what of it is used.
	Window, InFlight unit.Bytes
	// Blocked is why the connection may not send. Until is, if it is ByPace, when it may again.
	Blocked Blocked
	Until   unit.Time
	// Hosted tells that a transport of the host as a whole has the message, of which
	// only size and times are known: Left is Packets, and what stands below it is 0.
	Hosted bool
	// Delivered tells that the receiver has all of the message, as of all that wait.
	Delivered bool
}

// ID names the message in the run.
func (w *Waiting) ID() uint64 { return end.Identify(int32(w.Group), w.Src, uint32(w.Ordinal)) }

// Oldest returns the message that has waited longest of those that are asked for: w, or one of the side. It asks
// with the destination, the message as packets name it, and the source.
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

// State tells whether a connection may send, its window, and what of that is used.
func (s *Side) State(h Handle) (b Blocked, window, inflight unit.Bytes) {
	return s.blocked(h.c), h.c.window, h.c.inflight
}

// Carries returns the connection of the message that a data packet is of, which the side sent.
func (s *Side) Carries(p *packet.Packet) Handle { return Handle{s.messages[p.Message/s.Stride].conn} }

// Loads returns what the hosts were given to send and sent, by their numbers in the network.
func (s *Side) Loads(list []end.Load) {
	for i := range s.hosts {
		list[s.hosts[i].ID] = s.hosts[i].load
	}
}

// Load returns that of a host.
func (s *Side) Load(local int32) *end.Load { return &s.hosts[local].load }

// RTTs returns the round-trip times of a group so far, in picoseconds; nil if there are none.
func (s *Side) RTTs(group int) *histogram.Histogram { return s.rtts[group] }

// AddRTT adds a round-trip time.
func (s *Side) AddRTT(group int32, rtt unit.Time) { s.rttsOf(group).Add(int64(rtt)) }

// rttsOf returns what counts the round-trip times of a group. Most sides of a large network have none.
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

// Breach returns the first promise that a control broke, nil if none did.
func (s *Side) Breach() *end.Breach { return s.breach }

// Check reports whether bundles have their books in order, and no sender sent more than it was granted.
func (s *Side) Check() error {
	if err := s.checkBundles(); err != nil {
		return err
	}
	return s.checkCredit()
}

// Warm reads, without effect, what a busy window will need. What it returns is of no use but to keep the reads.
func (s *Side) Warm() (sum uint64) {
	for _, m := range s.messages {
		if m.live {
			sum += m.Warm() + uint64(m.slot) + uint64(m.conn.inflight) + uint64(m.conn.dst)
		}
	}
	return sum
}

// Size returns how many messages it keeps.
func (s *Side) Size() int { return len(s.messages) }
