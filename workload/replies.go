package workload

import (
	"fmt"

	"weft/internal/fifo"
	"weft/sim"
	"weft/unit"
)

// Replies answers messages, as servers do: each host that has received a message in full sends
// one back. They are a traffic group of their own, whose sources are told of the deliveries of
// another group.
type Replies struct {
	// Sizes is the distribution of the replies' sizes. The size of a reply depends on the message
	// that it answers and not on when that arrived, so it is the same for every transport.
	Sizes Sizes
	// After is the time from the delivery of a message to the start of its reply.
	After unit.Time
}

// NewReplies returns the sources of replies by host. Every host in the network answers. s names
// the group of the replies.
func NewReplies(r Replies, s Setting) ([]Source, error) {
	if r.After < 0 {
		return nil, fmt.Errorf("after is %v; it cannot be negative", r.After)
	}
	if err := s.fits(r.Sizes.Max()); err != nil {
		return nil, err
	}
	list := make([]Source, s.Hosts)
	slab := make([]replier, s.Hosts)
	senders := make([]uint64, s.Hosts)
	for h := range slab {
		senders[h] = s.senderHash(int32(h))
		slab[h] = replier{Replies: r, seed: s.Seed, senders: senders}
		list[h] = &slab[h]
	}
	return list, nil
}

// replier yields the replies of one host, in the order of deliveries.
type replier struct {
	Replies
	seed    uint64
	senders []uint64 // hashes of the hosts' names
	due     fifo.Queue[Message]
}

// Due implements Receiver.
func (r *replier) Due() (unit.Time, bool) {
	if r.due.Empty() {
		return 0, false
	}
	return r.due.First().At, true
}

// Next implements Source.
func (r *replier) Next() (Message, bool) {
	if r.due.Empty() {
		return Message{}, false
	}
	m := r.due.First()
	r.due.Pop()
	return m, true
}

// Completed implements Source.
func (*replier) Completed(unit.Time, uint64) {}

// Received implements Receiver for messages of the group that is answered.
func (r *replier) Received(now unit.Time, src int32, ordinal uint64) {
	stream := sim.Stream(r.seed, r.senders[src]+ordinal, "reply")
	r.due.Push(Message{At: sum(now, r.After), Dst: src, Size: r.Sizes.Draw(&stream)})
}
