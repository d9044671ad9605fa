package record

// Kinds of series about where the credit of a receiver-driven transport is, summed over all
// hosts; the entity is CreditEntity.
const (
	// CreditAtReceivers is the credit in bytes that receivers could still grant at Time,
	// CreditAtSenders what senders hold and have not spent, and CreditInFlight what is
	// under way, as grants or as the data that they paid for.
	CreditAtReceivers = "credit_at_receivers"
	CreditAtSenders   = "credit_at_senders"
	CreditInFlight    = "credit_in_flight"

	CreditEntity = "hosts"
)

// CreditPlace returns the name of the place that a kind of credit series describes.
func CreditPlace(kind string) (name string, ok bool) {
	switch kind {
	case CreditAtReceivers:
		return "at receivers", true
	case CreditAtSenders:
		return "at senders", true
	case CreditInFlight:
		return "in flight", true
	}
	return "", false
}

// Credit is where the credit of a receiver-driven transport was, in wire bytes of all hosts
// together: means over the looks within the measured window.
type Credit struct {
	AtReceivers float64 `json:"at_receivers_bytes"`
	AtSenders   float64 `json:"at_senders_bytes"`
	InFlight    float64 `json:"in_flight_bytes"`
}

// metrics returns nothing for runs of which the credit was not recorded.
func (c *Credit) metrics() []Metric {
	if c == nil {
		return nil
	}
	return []Metric{
		{Name: "credit_at_receivers_bytes", Title: "credit at receivers", Unit: "B", Value: c.AtReceivers, Neutral: true},
		{Name: "credit_at_senders_bytes", Title: "credit at senders", Unit: "B", Value: c.AtSenders, Neutral: true},
		{Name: "credit_in_flight_bytes", Title: "credit in flight", Unit: "B", Value: c.InFlight, Neutral: true},
	}
}

// CreditPackets counts credits that are packets of their own, as ExpressPass has them,
// within the measured window. What ports dropped to limit them is Drops.CreditQueueFull.
type CreditPackets struct {
	// Issued is how many receivers made. Of these Refused found no room at their own NIC,
	// and Sent left it.
	Issued  int64 `json:"issued"`
	Refused int64 `json:"refused"`
	Sent    int64 `json:"sent"`
	// Received is how many reached senders. Of these Used brought a packet of data, and
	// Wasted none, since there was nothing to send any more.
	Received int64 `json:"received"`
	Used     int64 `json:"used"`
	Wasted   int64 `json:"wasted"`
}

// metrics returns nothing for runs without such credits; ports dropped some of them.
func (c *CreditPackets) metrics(dropped int64) []Metric {
	if c == nil {
		return nil
	}
	return []Metric{
		{Name: "credits_issued", Title: "credits issued", Value: float64(c.Issued), Neutral: true},
		{Name: "credits_refused", Title: "credits refused by NICs", Value: float64(c.Refused), Neutral: true},
		{Name: "credits_dropped", Title: "credits dropped by ports", Value: float64(dropped), Neutral: true},
		{Name: "credits_wasted", Title: "credits wasted", Value: float64(c.Wasted)},
	}
}
