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
