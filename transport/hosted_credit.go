package transport

import (
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// CreditPlaces is where the credit of all hosts is, in bytes on the wire.
type CreditPlaces struct {
	// AtReceivers could still be granted. AtSenders has been granted but not spent.
	// InFlight is the rest of the outstanding credit: grants and data under way.
	AtReceivers, AtSenders, InFlight unit.Bytes
}

// Credit returns where the credit is, or false if no host transport keeps credit. A
// receiver that granted more than its limit adds nothing to AtReceivers.
func (t *Transport) Credit() (sum CreditPlaces, ok bool) {
	if t.outside != nil {
		return t.outside.Credit()
	}
	for _, e := range t.endpoints {
		for i := range e.hosts {
			h := e.hosts[i].hosted
			if h == nil {
				continue
			}
			keeper, keeps := h.HostTransport.(protocol.CreditKeeper)
			if !keeps {
				continue
			}
			ok = true
			c := keeper.Credit()
			sum.AtReceivers += max(0, c.Limit-c.Outstanding)
			sum.AtSenders += c.Held
			sum.InFlight += c.Outstanding - c.Held
		}
	}
	return sum, ok
}

// CreditCounts sums the counts of credit packets over all hosts up to now. It
// returns false if no transport has such packets.
func (t *Transport) CreditCounts(now sim.Time) (sum protocol.CreditCounts, ok bool) {
	for _, e := range t.endpoints {
		for i := range e.hosts {
			h := e.hosts[i].hosted
			if h == nil {
				continue
			}
			if c, counts := h.HostTransport.(protocol.CreditCounter); counts {
				if h.deferrer != nil {
					h.deferrer.CatchUp(now, false)
				}
				sum.Add(c.CreditCounts())
				ok = true
			}
		}
	}
	return sum, ok
}
