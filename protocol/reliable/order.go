package reliable

import (
	"cmp"

	"weft/unit"
)

// Order finds losses of a connection by the order in which packets arrive. Packets with the same entropy take one path.
// On a fabric that keeps the order of a path, the receiver has them in the order in which they were sent. So a packet
// is lost if the receiver has a later one with its entropy, and says that it does not have this one. What other paths
// do tells nothing: spraying reorders as it likes. The idea is that of Ordered Chaos (SC 2026).
//
// No threshold and no timeout is part of it. A packet that no other follows on its path is followed by a probe, once
// nothing was heard of it for Silence round trips. Round trips are the largest that the connection heard of lately.
//
// Where a path reorders after all, receivers report copies of what they had. The rule is then not trusted for a time
// that doubles with each such report, and timeouts alone find losses.
type Order struct {
	// Base is the round trip before one is heard of, and Delay how long a receiver holds acknowledgements back.
	Base, Delay unit.Time
	// Silence is after how many round trips a probe follows a packet.
	Silence unit.Ratio
	// Timeout is the least timeout of a packet.
	Timeout unit.Time
	// Paths is how many paths entropies choose among, by what is left of them when they are divided by it. 0 is one path
	// for each entropy.
	Paths uint16

	recent
	// acted is when the rule took a packet for lost last, and trusted when it may do so again.
	acted, trusted unit.Time
	doubts         uint8
	// arrived is what an acknowledgement told, of which nothing was concluded yet; at is how far the conclusions
	// from the last one have come in the sender's list.
	arrived []arrival
	at      int
}

// arrival is something that the receiver has got on a path: all that was sent before it must have come before it.
type arrival struct {
	sentAt  unit.Time
	seq     uint32
	entropy uint16
}

// firstDoubt is for how many timeouts the rule is not trusted at first.
const firstDoubt = 8

// Reset forgets all.
func (o *Order) Reset() {
	*o = Order{Base: o.Base, Delay: o.Delay, Silence: o.Silence, Timeout: o.Timeout, Paths: o.Paths, arrived: o.arrived[:0]}
}

// Heard tells the round trip of a packet that was sent once.
func (o *Order) Heard(now, rtt unit.Time) {
	if now >= o.end {
		o.shift()
		o.end = now + o.Timeout
	}
	o.current = max(o.current, rtt)
}

// Patience is how long nothing is heard of a packet before a probe follows it.
func (o *Order) Patience() unit.Time {
	rtt := cmp.Or(o.longest(), o.Base, o.Timeout)
	return max(1, unit.Time(float64(rtt)*float64(o.Silence))) + o.Delay
}

// Arrived tells that a packet was acknowledged. Of one that was sent twice it is not known which copy came.
func (o *Order) Arrived(p Packet, seq uint32) {
	if p.Tries == 1 {
		o.arrived = append(o.arrived, arrival{p.SentAt, seq, p.Entropy})
	}
}

// Answered tells that a probe came back, and when it was sent.
func (o *Order) Answered(entropy uint16, sentAt unit.Time) {
	o.arrived = append(o.arrived, arrival{sentAt: sentAt, entropy: entropy})
}

// Copied tells that a receiver got a packet that it had, or that the first copy of one came after the second was sent.
// It is a reason to doubt if the rule may have been the cause.
func (o *Order) Copied(now unit.Time) {
	if o.acted == 0 || now-o.acted > o.Timeout || now < o.trusted {
		return
	}
	o.trusted = now + o.Timeout.Times(firstDoubt<<o.doubts)
	o.doubts = min(o.doubts+1, mostDoublings)
}

// Trusted returns from when on the rule is trusted.
func (o *Order) Trusted() unit.Time { return o.trusted }

// Ignore concludes nothing from what arrived.
func (o *Order) Ignore() { o.arrived = o.arrived[:0] }

// Overtook gives up the next packet that is lost by the order of packets, given what arrived and what an
// acknowledgement of the receiver says that it has. Call it until ok is false; what arrived is then forgotten.
func (s *Sender) Overtook(now unit.Time, o *Order, has *Report) (seq uint32, p Packet, ok bool) {
	for len(o.arrived) > 0 {
		if o.at == 0 {
			s.forget()
		}
		a := &o.arrived[len(o.arrived)-1]
		for o.at < s.sent.Len() {
			t := s.sent.At(o.at)
			o.at++
			if !s.counts(*t) {
				continue
			}
			q := s.record(t.seq)
			if q.SentAt > a.sentAt {
				break
			}
			if !o.together(q.Entropy, a.entropy) || q.SentAt == a.sentAt && (t.tries() > 1 || t.seq >= a.seq) {
				continue
			}
			if !has.lacks(t.seq) { // it does not say; a probe will ask
				t.copied &^= asked
				continue
			}
			o.acted = now
			p, ok = s.Lose(t.seq)
			return t.seq, p, ok
		}
		o.at, o.arrived = 0, o.arrived[:len(o.arrived)-1]
	}
	return 0, Packet{}, false
}

// together tells whether two entropies take one path.
func (o *Order) together(a, b uint16) bool {
	return a == b || o.Paths > 0 && a%o.Paths == b%o.Paths
}

// lacks tells whether a report says that a packet has not arrived.
func (r *Report) lacks(seq uint32) bool {
	i := seq - r.Base
	return seq == r.Expected || seq > r.Expected && i < SelectiveBits && r.Bitmap[i/64]>>(i%64)&1 == 0
}

// Silent returns the next packet that a probe is to follow, since nothing was heard of it for so long, and none that
// was sent after it on its path will tell. Without one ok is false, and next is when to ask again: Forever, if all that
// is outstanding was followed.
func (s *Sender) Silent(now unit.Time, o *Order) (seq uint32, entropy uint16, next unit.Time, ok bool) {
	s.forget()
	patience := o.Patience()
	for i := range s.sent.Len() {
		t := s.sent.At(i)
		if t.copied&asked != 0 || !s.counts(*t) {
			continue
		}
		began, left := s.Began(t.seq)
		switch {
		case !left:
			return 0, 0, now + patience, false
		case began+patience > now:
			return 0, 0, began + patience, false
		}
		t.copied |= asked
		if entropy = s.record(t.seq).Entropy; !s.followed(i, o, entropy) {
			return t.seq, entropy, now, true
		}
	}
	return 0, 0, unit.Forever, false
}

// followed tells whether a packet that is outstanding was sent once, and after another one on its path.
func (s *Sender) followed(i int, o *Order, entropy uint16) bool {
	for i++; i < s.sent.Len(); i++ {
		if t := s.sent.At(i); t.tries() == 1 && s.counts(*t) && o.together(s.record(t.seq).Entropy, entropy) {
			return true
		}
	}
	return false
}

// AskAgain has Silent begin anew.
func (s *Sender) AskAgain() {
	for i := range s.sent.Len() {
		s.sent.At(i).copied &^= asked
	}
}

// About makes the next report tell of a packet, if no other waits to be reported.
func (r *Receiver) About(seq uint32) {
	if r.pending == 0 {
		r.first, r.last = seq, seq
	}
}
