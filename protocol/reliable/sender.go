// Package reliable delivers the packets of a message over a network that loses
// and reorders: selective acknowledgement of every packet, a timeout a packet or
// one for all that a connection has in flight, and retransmission of what was lost or
// arrived trimmed. Sender, Timer and Receiver are pure state machines; they know
// neither congestion control nor path choice.
package reliable

import (
	"math/bits"

	"weft/internal/fifo"
	"weft/unit"
)

// Packet is what a sender remembers of the last transmission of a packet.
type Packet struct {
	SentAt  unit.Time
	Entropy uint16
	// Tries counts the transmissions, modulo 2¹⁶.
	Tries uint16
	state state
}

type state uint8

const (
	unsent state = iota
	outstanding
	lost // to be sent again
	acked
)

// Sender tracks the packets of one message, numbered from 0.
type Sender struct {
	packets uint32
	next    uint32 // first packet that was never sent
	oldest  uint32 // first packet that is not acknowledged
	left    uint32 // packets that are not acknowledged
	window  uint32 // largest next-oldest, 0 for no limit

	// records is a ring of the packets oldest…next-1.
	records []Packet
	// sent lists transmissions in their order; those that no longer stand for
	// an outstanding packet are passed over.
	sent fifo.Queue[transmission]
	// resend lists lost packets, some of them acknowledged since.
	resend  fifo.Queue[uint32]
	waiting uint32 // packets in state lost

	// inOrder makes lost packets those from cursor on, up to next, and resend empty.
	inOrder bool
	cursor  uint32
	// highest is the last packet that was acknowledged, plus 1; checked is the first that
	// Gap has not looked at.
	highest, checked uint32

	// departed tells, if packets wait on their way to the wire, when each of those in
	// records departed, or queued.
	departed []unit.Time
	queues   bool
}

// queued is the departure of a packet that still waits.
const queued unit.Time = -1

type transmission struct {
	seq uint32
	// copied is how often it was sent by then, as Packet.Tries, and above that whether a probe followed it, or will
	// follow one after it.
	copied uint32
}

const asked = 1 << 16

func (t *transmission) tries() uint16 { return uint16(t.copied) }

// Reset begins a message of the given number of packets, at least 1. Window
// limits how far the newest packet may be ahead of the oldest one that is not
// acknowledged; 0 sets no limit. Memory of earlier messages is kept.
func (s *Sender) Reset(packets, window uint32) {
	s.packets, s.window = packets, window
	s.next, s.oldest, s.left, s.waiting = 0, 0, packets, 0
	s.cursor, s.highest, s.checked = 0, 0, 0
	s.sent.Reset()
	s.resend.Reset()
}

// Queue says that packets wait between Sent and the wire, in this message and in later
// ones. Their timeouts then begin when Departed tells that they left.
func (s *Sender) Queue() {
	if !s.queues {
		s.queues = true
		s.departed = make([]unit.Time, len(s.records))
	}
}

// Departed tells that a packet has left for the wire.
func (s *Sender) Departed(seq uint32, now unit.Time) {
	if seq >= s.oldest && seq < s.next {
		s.departed[seq&uint32(len(s.departed)-1)] = now
	}
}

// Began returns when the last transmission of a packet began, and whether it has. The
// packet must not be before Oldest.
func (s *Sender) Began(seq uint32) (unit.Time, bool) {
	if !s.queues {
		return s.record(seq).SentAt, true
	}
	at := s.departed[seq&uint32(len(s.departed)-1)]
	return at, at != queued
}

func (s *Sender) record(seq uint32) *Packet { return &s.records[seq&uint32(len(s.records)-1)] }

// Next returns the packet to send next: a lost one before a new one.
func (s *Sender) Next() (seq uint32, ok bool) {
	if s.inOrder {
		if s.cursor = max(s.cursor, s.oldest); s.cursor < s.next {
			return s.cursor, true
		}
	}
	for !s.resend.Empty() {
		seq = s.resend.First()
		if seq >= s.oldest && s.record(seq).state == lost {
			return seq, true
		}
		s.resend.Pop()
	}
	if s.next < s.packets && (s.window == 0 || s.next-s.oldest < s.window) {
		return s.next, true
	}
	return 0, false
}

// Fresh tells whether the packet that Next returned was never sent.
func (s *Sender) Fresh(seq uint32) bool { return seq == s.next }

// Sent tells that the packet that Next returned was sent.
func (s *Sender) Sent(seq uint32, now unit.Time, entropy uint16) (retransmission bool) {
	if seq == s.next {
		if int(s.next-s.oldest) == len(s.records) {
			s.growRecords()
		}
		s.next++
		s.cursor = s.next
		*s.record(seq) = Packet{SentAt: now, Entropy: entropy, Tries: 1, state: outstanding}
	} else {
		if s.inOrder {
			s.cursor++
		} else {
			s.resend.Pop()
		}
		s.waiting--
		p := s.record(seq)
		p.SentAt, p.Entropy, p.state = now, entropy, outstanding
		p.Tries++
		retransmission = true
	}
	if s.queues {
		s.departed[seq&uint32(len(s.departed)-1)] = queued
	}
	s.forget()
	if s.sent.Cap() == 0 {
		s.sent.Start(s.initialSize())
	}
	s.sent.Push(transmission{seq, uint32(s.record(seq).Tries)})
	return retransmission
}

// initialSize returns the size that rings begin with: all of a short message, and what
// a usual window needs of a long one, so that they seldom grow.
func (s *Sender) initialSize() int {
	return 1 << bits.Len32(min(s.packets, 64)-1)
}

func (s *Sender) growRecords() {
	old := s.records
	s.records = make([]Packet, max(s.initialSize(), 2*len(old)))
	for q := s.oldest; q != s.next; q++ {
		*s.record(q) = old[q&uint32(len(old)-1)]
	}
	if s.queues {
		departed := s.departed
		s.departed = make([]unit.Time, len(s.records))
		for q := s.oldest; q != s.next; q++ {
			s.departed[q&uint32(len(s.departed)-1)] = departed[q&uint32(len(departed)-1)]
		}
	}
}

// forget drops transmissions at the head that no longer count.
func (s *Sender) forget() {
	for !s.sent.Empty() && !s.counts(s.sent.First()) {
		s.sent.Pop()
	}
}

func (s *Sender) counts(t transmission) bool {
	if t.seq < s.oldest {
		return false
	}
	p := s.record(t.seq)
	return p.state == outstanding && p.Tries == t.tries()
}

// Ack notes that a packet was acknowledged. It returns the packet as last sent,
// whether it was still outstanding (and not given up for lost), and whether the
// acknowledgement is the first.
func (s *Sender) Ack(seq uint32) (p Packet, flying, fresh bool) {
	if seq < s.oldest || seq >= s.next {
		return Packet{}, false, false
	}
	r := s.record(seq)
	p = *r
	if r.state == acked {
		return p, false, false
	}
	flying = r.state == outstanding
	if r.state == lost {
		s.waiting--
	}
	r.state = acked
	s.left--
	s.highest = max(s.highest, seq+1)
	for s.oldest < s.next && s.record(s.oldest).state == acked {
		s.oldest++
	}
	return p, flying, true
}

// Lose notes that the outstanding copy of a packet is lost, so that it will be
// sent again. It returns the packet as last sent; ok is false if no copy was
// outstanding.
func (s *Sender) Lose(seq uint32) (p Packet, ok bool) {
	if seq < s.oldest || seq >= s.next || s.record(seq).state != outstanding {
		return Packet{}, false
	}
	r := s.record(seq)
	p = *r
	r.state = lost
	s.waiting++
	if !s.inOrder {
		s.resend.Push(seq)
	}
	return p, true
}

// Expire takes the next packet whose last transmission began timeout or longer ago
// and gives it up for lost.
func (s *Sender) Expire(now, timeout unit.Time) (seq uint32, p Packet, ok bool) {
	s.forget()
	if s.sent.Empty() {
		return 0, Packet{}, false
	}
	seq = s.sent.First().seq
	if began, ok := s.Began(seq); !ok || began+timeout > now {
		return 0, Packet{}, false
	}
	s.sent.Pop()
	p, ok = s.Lose(seq)
	return seq, p, ok
}

// Deadline returns when the packet that was sent first among the outstanding
// ones times out, or false if none is outstanding or it still waits for the wire.
func (s *Sender) Deadline(timeout unit.Time) (unit.Time, bool) {
	s.forget()
	if s.sent.Empty() {
		return 0, false
	}
	began, ok := s.Began(s.sent.First().seq)
	return began + timeout, ok
}

// Oldest returns the first packet that is not acknowledged.
func (s *Sender) Oldest() uint32 { return s.oldest }

// Unseen returns the first packet that was never sent; all after it were not either.
func (s *Sender) Unseen() uint32 { return s.next }

// Done tells whether all packets are acknowledged.
func (s *Sender) Done() bool { return s.left == 0 }

// Unsent returns how many packets were never sent or wait to be sent again.
func (s *Sender) Unsent() uint32 { return s.packets - s.next + s.waiting }

// Left returns how many packets are not acknowledged.
func (s *Sender) Left() uint32 { return s.left }

// OldestEntropy returns the entropy that the oldest packet without an
// acknowledgement was last sent with, 0 if it never was.
func (s *Sender) OldestEntropy() uint16 {
	if s.oldest == s.next {
		return 0
	}
	return s.record(s.oldest).Entropy
}

// Warm reads, without effect, what the next calls will need.
func (s *Sender) Warm() (sum uint64) {
	if len(s.records) > 0 && s.sent.Cap() > 0 {
		sum = uint64(s.record(s.oldest).Tries) + uint64(s.record(s.next).Tries)
		sum += uint64(s.sent.First().seq) + uint64(s.sent.At(s.sent.Len()).seq)
	}
	return sum
}
