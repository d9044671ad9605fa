package dcpim

import (
	"math/bits"

	"weft/protocol"
	"weft/protocol/internal/tokens"
	"weft/unit"
)

// The clock has 2r+1 stages an epoch, half a round apart: with an even one 2i receivers
// accept the grants of round i-1 and ask in round i, with an odd one 2i+1 senders grant. With
// the last one, 2r, the data phase begins.

// epoch is what a host has matched in an epoch.
type epoch struct {
	number int64
	// links are the senders that the host receives from, channels is the sum of theirs.
	links    []link
	channels int
	// promised are the channels that receivers have accepted.
	promised int
}

// link is the channels from a sender.
type link struct {
	peer     int32
	channels int
	// due is when the next token is; Forever if something has to arrive first. Waits tells
	// that something that arrives may make it sooner.
	due   unit.Time
	waits bool
}

// offer is a request or a grant.
type offer struct {
	peer     int32
	message  uint32
	group    uint8
	channels int
	left     unit.Bytes
}

// from returns the link from a sender, or nil.
func (e *epoch) from(peer int32) *link {
	for i := range e.links {
		if e.links[i].peer == peer {
			return &e.links[i]
		}
	}
	return nil
}

// unlink gives up so many channels of a link.
func (e *epoch) unlink(l *link, channels int) {
	e.channels -= channels
	if l.channels -= channels; l.channels == 0 {
		last := len(e.links) - 1
		*l = e.links[last]
		e.links = e.links[:last]
	}
}

func (e *epoch) due() unit.Time {
	at := unit.Forever
	for i := range e.links {
		at = min(at, e.links[i].due)
	}
	return at
}

// clear begins another epoch.
func (e *epoch) clear(number int64) {
	*e = epoch{number: number, links: e.links[:0]}
}

// asleep tells that no stage has anything to do until something arrives.
func (h *host) asleep() bool {
	return h.Incomplete == 0 && len(h.matching.links)+len(h.running.links)+len(h.requests)+len(h.grants) == 0
}

// advance does all stages up to the present.
func (h *host) advance() {
	for h.at <= h.Now {
		if h.asleep() {
			h.step = h.stageAfter(h.Now)
		} else {
			h.stage(h.step)
			h.step++
		}
		h.at = h.timeOf(h.step)
	}
}

// stage does one stage of the clock.
func (h *host) stage(step int64) {
	number, j := step/h.stages(), int(step%h.stages())
	round := j / 2
	if h.matching.number != number {
		h.matching.clear(number)
	}
	if j%2 == 1 {
		h.grant(round)
		return
	}
	if round > 0 {
		h.accept(round - 1)
	}
	if round < h.rounds {
		h.ask(round)
		return
	}
	h.running, h.matching = h.matching, h.running
	h.matching.clear(number + 1)
	for i := range h.running.links {
		h.running.links[i].due = h.Now
		h.give(&h.running.links[i])
	}
}

// stages is how many there are in an epoch.
func (c *config) stages() int64 { return int64(2*c.rounds + 1) }

// timeOf returns the time of a stage.
func (c *config) timeOf(step int64) unit.Time {
	return unit.Time(step/c.stages())*c.period + unit.Time(step%c.stages())*c.round/2
}

// stageAfter returns the first stage after a time.
func (c *config) stageAfter(now unit.Time) int64 {
	number := int64(now / c.period)
	j := int64(now%c.period/(c.round/2)) + 1
	return number*c.stages() + min(j, c.stages())
}

// stageOf returns the stage that a packet about a round was sent in, if it was sent in stage
// 2×round and side more of its epoch, which is the one nearest to the present.
func (h *host) stageOf(p *protocol.Packet, side int64) int64 {
	return h.near(p.Number)*h.stages() + 2*int64(p.Extra) + side
}

// near returns the epoch nearest to the present that has a number modulo 2³².
func (h *host) near(number uint32) int64 {
	now := int64(h.Now / h.period)
	return now + int64(int32(number-uint32(now)))
}

// ask sends requests of a round.
func (h *host) ask(round int) {
	free := h.channels - h.matching.channels
	if free == 0 {
		return
	}
	for _, s := range h.Active {
		i := h.Best(s)
		if i < 0 {
			continue
		}
		m := h.Message(i)
		need := (int(h.Packets(m.Left)) + h.perChannel - 1) / h.perChannel
		for _, e := range []*epoch{&h.running, &h.matching} {
			if l := e.from(s.Peer); l != nil {
				need -= l.channels
			}
		}
		if need = min(need, free); need > 0 {
			h.control(kindRequest, &offer{s.Peer, m.Number, m.Group, need, m.Left}, h.matching.number, round)
		}
	}
}

// control sends a packet of the matching.
func (h *host) control(kind uint8, o *offer, number int64, round int) {
	h.Push(tokens.Order{
		Kind: kind, Peer: o.peer, Group: o.group, Message: o.message,
		Offset: o.left, Amount: unit.Bytes(o.channels), Number: uint32(number), Extra: uint32(round),
	})
}

// offered reads a request or grant, if it says anything that can be. Each host makes one at most.
func (h *host) offered(p *protocol.Packet, list []offer) []offer {
	if p.Amount < 1 || p.Amount > unit.Bytes(h.channels) || len(list) >= int(h.Hosts) {
		return list
	}
	return append(list, offer{p.Peer, p.Message, p.Group, int(p.Amount), p.Offset})
}

// onRequest keeps a request for the next stage, unless it is late. To be asked for a message
// is to hear of it.
func (h *host) onRequest(p *protocol.Packet) {
	h.Hear(p)
	if h.stageOf(p, 1) == h.step {
		h.requests = h.offered(p, h.requests)
	}
}

// grant promises free channels.
func (h *host) grant(round int) {
	for free := h.channels - h.matching.promised; free > 0 && len(h.requests) > 0; {
		var o offer
		o, h.requests = h.choose(h.requests, round)
		o.channels = min(o.channels, free)
		free -= o.channels
		h.control(kindGrant, &o, h.matching.number, round)
	}
	h.requests = h.requests[:0]
}

// choose takes an offer off a list: that with the fewest bytes left in the first rounds, any
// in later ones.
func (h *host) choose(list []offer, round int) (offer, []offer) {
	best := 0
	if round < h.minRounds {
		for i := range list {
			if list[i].left < list[best].left {
				best = i
			}
		}
	} else {
		hi, _ := bits.Mul64(h.rng.Uint64(), uint64(len(list)))
		best = int(hi)
	}
	o := list[best]
	return o, append(list[:best], list[best+1:]...)
}

// onGrant keeps a grant for the next stage, unless it is late.
func (h *host) onGrant(p *protocol.Packet) {
	if h.stageOf(p, 2) == h.step {
		h.grants = h.offered(p, h.grants)
	}
}

// accept takes channels that were promised in a round.
func (h *host) accept(round int) {
	for len(h.grants) > 0 && h.matching.channels < h.channels {
		var o offer
		o, h.grants = h.choose(h.grants, round)
		o.channels = min(o.channels, h.channels-h.matching.channels)
		h.matching.channels += o.channels
		if l := h.matching.from(o.peer); l != nil {
			l.channels += o.channels
		} else {
			h.matching.links = append(h.matching.links, link{peer: o.peer, channels: o.channels})
		}
		h.control(kindAccept, &o, h.matching.number, round)
	}
	h.grants = h.grants[:0]
}

// onAccept notes that channels were accepted, and takes back those that are not there any
// more. What is accepted in the last round leaves nothing to promise.
func (h *host) onAccept(p *protocol.Packet) {
	e := &h.matching
	if number := h.near(p.Number); e.number != number || p.Amount < 1 || p.Amount > unit.Bytes(h.channels) {
		return
	}
	taken := min(int(p.Amount), h.channels-e.promised)
	e.promised += taken
	if excess := int(p.Amount) - taken; excess > 0 {
		h.control(kindReturn, &offer{peer: p.Peer, message: p.Message, group: p.Group, channels: excess}, e.number, int(p.Extra))
	}
}

// onReturn gives up channels that a sender takes back.
func (h *host) onReturn(p *protocol.Packet) {
	for _, e := range []*epoch{&h.matching, &h.running} {
		l := e.from(p.Peer)
		if e.number != h.near(p.Number) || l == nil {
			continue
		}
		e.unlink(l, int(max(0, min(unit.Bytes(l.channels), p.Amount))))
		return
	}
}
