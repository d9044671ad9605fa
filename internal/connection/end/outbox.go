package end

import (
	"math/bits"

	"weft/internal/packet"
)

// Outbox is a host's queue of control packets. If the NIC has a queue, data packets are in it
// too. Packets of paused classes (IEEE 802.1Qbb) wait in queues of their own.
type Outbox struct {
	packet.Queue
	// Pauses has a bit for every class that the host must not send.
	Pauses uint8
	// byClass holds packets of paused classes. It is nil until a class is paused.
	byClass *pausedPackets
}

type pausedPackets struct {
	classes  [8]packet.Queue
	nonEmpty uint8 // bit set of classes with waiting packets
}

// Pause sets the classes that the host must not send, and returns the classes that are no longer
// paused.
func (o *Outbox) Pause(classes uint8) (freed uint8) {
	freed = o.Pauses &^ classes
	o.Pauses = classes
	if o.byClass == nil {
		o.byClass = new(pausedPackets)
	}
	return freed
}

// Paused reports whether a class was ever paused. If so, packets must be taken with Next.
func (o *Outbox) Paused() bool { return o.byClass != nil }

// Ready reports whether there is a packet that may be sent.
func (o *Outbox) Ready() bool {
	return !o.Empty() || o.byClass != nil && o.byClass.nonEmpty&^o.Pauses != 0
}

// Next removes and returns the first packet that may be sent. It moves packets of paused classes
// that stand before it to their class's queue. A class must have been paused before.
func (o *Outbox) Next(s *packet.Store) (id packet.ID, ok bool) {
	a := o.byClass
	if free := a.nonEmpty &^ o.Pauses; free != 0 { // these are older than the packets in the queue
		k := uint8(bits.TrailingZeros8(free))
		id = a.classes[k].Pop()
		if a.classes[k].Empty() {
			a.nonEmpty &^= 1 << k
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
		a.nonEmpty |= 1 << k
	}
	return 0, false
}
