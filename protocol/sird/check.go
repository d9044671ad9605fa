package sird

import (
	"fmt"

	"weft/unit"
)

// Check implements protocol.HostTransport: credit is conserved, and no more of it is
// outstanding than the buckets hold.
//
// With nsdi25 unscheduled data is charged whether it fits or not, so that the buckets bound
// what is outstanding without it: a credit goes only if it fits beside all that is
// outstanding, and between credits nothing else adds to the rest. What a sender returned
// before it was charged or granted leaves room for others, which they keep when its credit
// is called in; so by as much more can be outstanding until the next credit goes.
//
// No message of a dead sender wants credit, since nothing else keeps it from being granted
// to.
func (h *host) Check() error {
	if least := min(h.tick, h.gone.Due()); h.wakes != least {
		return fmt.Errorf("sird: it wakes at %v, and something is due at %v", h.wakes, least)
	}
	var used, held unit.Bytes
	unscheduled := h.unscheduledFrom()
	prefixes := unit.Bytes(0) // of all senders, as far as they were charged and have not come
	// With the paper's rule any credit lets a full packet go (Algorithm 2, line 5), which
	// may return before the rest of its credit was granted. In the simulator's way there is
	// no such bound: what a sender gave itself for one message and spent on another returns
	// with the latter, and is charged when a packet of the former comes.
	least := -(h.packet - 1)
	for _, s := range h.senders {
		if s == nil {
			continue
		}
		scheduled := s.used
		if !h.paper {
			scheduled -= unscheduled[s.peer]
			prefixes += unscheduled[s.peer]
		}
		if scheduled > h.bucket {
			return fmt.Errorf("sird: %v of credit is outstanding with a sender, of at most %v", scheduled, h.bucket)
		}
		if h.paper && s.used < least {
			return fmt.Errorf("sird: a sender returned %v of credit more than it was granted", -s.used)
		}
		used += s.used
	}
	for k := range h.wanting {
		if peer := h.wanting[k].peer; h.senders[peer].dead {
			return fmt.Errorf("sird: a message of host %d wants credit, and nothing has come from there since its credit was called in", peer)
		}
	}
	for _, r := range h.receivers {
		if r != nil {
			held += r.credit
		}
	}
	switch {
	case used != h.used:
		return fmt.Errorf("sird: %v of credit is outstanding with senders, but %v in all", used, h.used)
	case held != h.held:
		return fmt.Errorf("sird: %v of credit is held for receivers, but %v in all", held, h.held)
	case h.used-prefixes > h.b+h.beyond:
		return fmt.Errorf("sird: %v of credit is outstanding, of at most %v", h.used-prefixes, h.b+h.beyond)
	}
	return nil
}

// unscheduledFrom returns, by sender, what nsdi25 charged for unscheduled data that has not
// come yet. With paper there is none.
func (h *host) unscheduledFrom() []unit.Bytes {
	if h.paper {
		return nil
	}
	from := make([]unit.Bytes, len(h.senders))
	for i := range h.inbox {
		m := &h.inbox[i]
		from[m.peer] += h.unscheduledOf(m)
	}
	return from
}

// unscheduledOf is what of that is a message's.
func (h *host) unscheduledOf(m *inMessage) unit.Bytes {
	if h.paper || !m.live || m.unsynced || m.received == m.size {
		return 0
	}
	return h.missing(m, m.boundary, m.prefix)
}
