package hosted

import (
	"iter"
	"math/bits"

	"weft/internal/connection/end"
	"weft/internal/connection/sending"
	"weft/protocol"
	"weft/unit"
)

// This file handles the events that connections report.

// SetTimer implements end.Carrier. It does nothing, because carriers ask for Deadline after each
// call.
func (h *host) SetTimer(int32, unit.Time) {}

// Delivered implements end.Carrier.
func (h *host) Delivered(unit.Time, int32, end.Delivery) { h.delivered = true }

// Completed implements end.Carrier.
func (h *host) Completed(_ unit.Time, _ int32, c end.Completion) {
	at := placeOf(c.Ordinal)
	p := h.peers[at.peer]
	m := &p.outgoing[at.number]
	h.env.Out.Report(protocol.HostEvent{Kind: protocol.MessageCompleted, Peer: at.peer, Tag: m.tag, Bytes: m.size})
	p.release(at.number)
	h.freed = append(h.freed, at.peer)
}

// Started implements sending.Observer.
func (h *host) Started(_ unit.Time, m sending.Started) {
	at := placeOf(m.Ordinal)
	for uint32(len(h.places)) <= m.Message {
		h.places = append(h.places, place{})
	}
	h.places[m.Message] = at
	h.peers[at.peer].outgoing[at.number].slot = m.Message
}

// GaveUp implements sending.Observer.
func (h *host) GaveUp(_ unit.Time, _, _ int32, n sending.Named, cause protocol.LossCause) {
	at := h.places[n.Message]
	m := &h.peers[at.peer].outgoing[at.number]
	payload := min(h.env.Payload, m.size-unit.Bytes(n.Seq)*h.env.Payload)
	h.env.Out.Report(protocol.HostEvent{Kind: protocol.PacketLost, Cause: cause, Peer: at.peer, Tag: m.tag, Bytes: payload + h.env.Header})
}

// RTTs implements protocol.RTTKeeper.
func (h *host) RTTs() iter.Seq2[unit.Time, uint64] {
	return func(yield func(unit.Time, uint64) bool) {
		for g := range groups {
			trips := h.connections.Sending.RTTs(g)
			if trips == nil {
				continue
			}
			for rtt, n := range trips.All() {
				if !yield(unit.Time(rtt), n) {
					return
				}
			}
		}
	}
}

// lowest returns the index of the lowest set bit of a nonzero word.
func lowest(w uint64) uint64 { return uint64(bits.TrailingZeros64(w)) }
