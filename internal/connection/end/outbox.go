package end

import (
	"math/bits"

	"weft/internal/packet"
)

// Outbox is the queue of a host's control packets, and with a queue at the NIC of its data, too. What belongs to
// classes that are paused (IEEE 802.1Qbb) waits apart.
type Outbox struct {
	packet.Queue
	// Pauses has a bit for every class that the host must not send.
	Pauses uint8
	// apart is what waits for its class, nil as long as none was ever paused.
	apart *apart
}

type apart struct {
	classes [8]packet.Queue
	has     uint8 // classes in which packets wait
}

// Pause sets the classes that the host must not send, and returns those that it may send again.
func (o *Outbox) Pause(classes uint8) (freed uint8) {
	freed = o.Pauses &^ classes
	o.Pauses = classes
	if o.apart == nil {
		o.apart = new(apart)
	}
	return freed
}

// Paused tells whether a class was ever paused: packets are then taken with Next.
func (o *Outbox) Paused() bool { return o.apart != nil }

// Ready tells whether there is a packet that may be sent.
func (o *Outbox) Ready() bool {
	return !o.Empty() || o.apart != nil && o.apart.has&^o.Pauses != 0
}

// Next takes the first packet that may be sent, of a host that was paused before. Those before it wait apart for
// their classes.
func (o *Outbox) Next(s *packet.Store) (id packet.ID, ok bool) {
	a := o.apart
	if free := a.has &^ o.Pauses; free != 0 { // older than those in the queue
		k := uint8(bits.TrailingZeros8(free))
		id = a.classes[k].Pop()
		if a.classes[k].Empty() {
			a.has &^= 1 << k
		}
		return id, true
	}
	for !o.Empty() {
		id = o.Pop()
		k := s.At(id).Priority()
		if o.Pauses>>k&1 == 0 {
			return id, true
		}
		a.classes[k].Push(id)
		a.has |= 1 << k
	}
	return 0, false
}
