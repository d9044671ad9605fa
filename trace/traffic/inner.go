package traffic

import (
	"weft/trace"
	"weft/unit"
)

// Messages between ranks of a host or of a node take inner links by the arithmetic of LogGP, without packets:
// a rank's link sends one message after another and receives one after another, each for its bytes over
// the rate, and a latency lies between.

// sendInner begins a message over an inner link.
func (h *host) sendInner(now unit.Time, r int32, op uint32, o trace.Operation) {
	own := &h.ranks[h.place[r]]
	own.sends = max(now, own.sends) + h.InnerRate.Transmit(unit.Bytes(o.Size))
	h.log.Ranks[r].End[op] = own.sends // the receiving host computes the arrival by it
	number := h.first[r] + op
	h.push(event{at: own.sends, what: sent, number: number})
	h.began(now, r, op)
	if to := h.host[o.Peer]; to != h.id {
		h.signal(to, approaches, number)
		return
	}
	h.approach(now, h.id, number)
}

// approach computes when a message over an inner link has arrived, which its sender has begun.
func (h *host) approach(now unit.Time, src int32, number uint32) {
	from, op := h.at(src, number)
	o := h.trace.Ranks[from].At(op)
	own := &h.ranks[h.place[o.Peer]]
	last := h.log.Ranks[from].End[op] + h.InnerLatency
	own.takes = max(now, last, own.takes+h.InnerRate.Transmit(unit.Bytes(o.Size)))
	h.push(event{at: own.takes, what: arrived, source: src, number: number})
}

// signal is what a host tells another one beside the network.
type signal struct {
	to    int32
	value uint32
}

// kind is what a signal says of a message, whose number at its sender it has.
type kind uint32

const (
	approaches   kind = iota // it takes an inner link from another host
	requests                 // it waits for its receive
	clears                   // it may leave
	acknowledged             // it has been, and its rank has another host
	came                     // it has come, and its rank has another host; the number is its place among those reported
)

// kindBits is how many bits of a signal are its kind.
const kindBits = 3

func (h *host) signal(to int32, k kind, number uint32) {
	h.out = append(h.out, signal{to, number<<kindBits | uint32(k)})
}

// signalling is the source of a host in a job with signals.
type signalling struct{ *host }

// Emit implements workload.Signaller.
func (s *signalling) Emit() (to int32, value uint32, ok bool) {
	if len(s.out) == 0 {
		return 0, 0, false
	}
	first := s.out[0]
	if s.out = s.out[1:]; len(s.out) == 0 {
		s.out = nil
	}
	return first.to, first.value, true
}

// Beside implements workload.Neighbour: the hosts of the NICs of a rank are a machine.
func (s *signalling) Beside() []int32 {
	n := s.nics()
	if n == 1 {
		return nil
	}
	rank := int(s.job.ranks[s.id][0])
	return s.ports[rank*n : (rank+1)*n]
}

// Signalled implements workload.Signaller.
func (s *signalling) Signalled(now unit.Time, from int32, value uint32) {
	h, number := s.host, value>>kindBits
	switch kind(value & (1<<kindBits - 1)) {
	case approaches:
		h.approach(now, from, number)
	case requests:
		h.arrive(now, h.ref(from, number))
	case clears:
		h.due = append(h.due, pending{now, number})
	case acknowledged:
		r, op := h.at(h.id, number)
		h.ended(now, r, op)
	case came:
		h.deliver(now, h.reported[from][number])
	}
	h.settle(now)
}
