package transport

import (
	"weft/protocol"
	"weft/sim"
	"weft/unit"
)

// CreditPlaces is where the credit of all hosts is, in wire bytes.
type CreditPlaces struct {
	// AtReceivers could still be granted, AtSenders was granted and not spent. InFlight is
	// the rest of what is outstanding: grants and data under way.
	AtReceivers, AtSenders, InFlight unit.Bytes
}

// Credit returns where the credit is, or false if no transport of a host keeps any. A
// receiver that granted more than its limit counts with nothing.
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

// CreditCounts counts the credits that are packets of their own, of all hosts together, up to
// the present time; false if there are none.
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
