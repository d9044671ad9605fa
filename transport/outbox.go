package transport

import "weft/unit"

// outgoing is a submitted message.
type outgoing struct {
	start  unit.Time
	size   unit.Bytes
	dst    int32
	record int32 // index of its record, or -1
	done   bool
}

// tag returns the message's tag, from its ordinal.
func (o *outgoing) tag(ordinal uint64) uint64 {
	tag := uint64(uint32(ordinal))
	if o.record >= 0 {
		tag |= measuredTag
	}
	return tag
}

// outbox holds the messages of a host and group in order, from the oldest incomplete one on.
type outbox struct {
	ring []outgoing // its length is a power of two
	base uint64     // ordinal of the oldest
	n    int
}

func (b *outbox) add(o outgoing) {
	if b.n == len(b.ring) {
		ring := make([]outgoing, max(8, 2*len(b.ring)))
		for i := range b.n {
			k := b.base + uint64(i)
			ring[k&uint64(len(ring)-1)] = b.ring[k&uint64(len(b.ring)-1)]
		}
		b.ring = ring
	}
	b.ring[(b.base+uint64(b.n))&uint64(len(b.ring)-1)] = o
	b.n++
}

// at returns the message of a tag, and its ordinal.
func (b *outbox) at(tag uint64) (*outgoing, uint64) {
	ordinal := b.base + uint64(uint32(tag)-uint32(b.base))
	return &b.ring[ordinal&uint64(len(b.ring)-1)], ordinal
}

// find returns the incomplete message with the given tag, or nil.
func (b *outbox) find(tag uint64) *outgoing {
	o := b.pending(uint32(tag))
	if o == nil || tag != o.tag(tag) {
		return nil
	}
	return o
}

// pending returns the incomplete message with the given ordinal modulo 2³², or nil.
func (b *outbox) pending(ordinal uint32) *outgoing {
	if ordinal-uint32(b.base) >= uint32(b.n) {
		return nil
	}
	if o, _ := b.at(uint64(ordinal)); !o.done {
		return o
	}
	return nil
}

func (b *outbox) shrink() {
	for b.n > 0 && b.ring[b.base&uint64(len(b.ring)-1)].done {
		b.base++
		b.n--
	}
}

// measuredTag is the bit of a tag that marks a recorded message. The bits below
// hold the message's ordinal.
const measuredTag = 1 << 32
