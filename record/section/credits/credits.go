// Package credits has a run's sections on the credit of receiver-driven transports: where it was,
// and the fate of credits that are packets.
package credits

import (
	"strconv"

	"weft/record/section"
)

// Kinds of series about the location of credit in a receiver-driven transport, summed over all
// hosts. The entity is Entity.
const (
	// AtReceivers is the credit in bytes that receivers could still grant at Time. AtSenders is
	// the credit that senders hold unspent. InFlight is the credit under way, as grants or as the
	// data that they paid for.
	AtReceivers = "credit_at_receivers"
	AtSenders   = "credit_at_senders"
	InFlight    = "credit_in_flight"

	Entity = "hosts"
)

// Place returns the name of the location that a kind of credit series describes.
func Place(kind string) (name string, ok bool) {
	switch kind {
	case AtReceivers:
		return "at receivers", true
	case AtSenders:
		return "at senders", true
	case InFlight:
		return "in flight", true
	}
	return "", false
}

// Places is where the credit of a receiver-driven transport was, in wire bytes summed over all
// hosts: means over the samples within the measured window.
type Places struct {
	AtReceivers float64 `json:"at_receivers_bytes"`
	AtSenders   float64 `json:"at_senders_bytes"`
	InFlight    float64 `json:"in_flight_bytes"`
}

// PlacesKind declares the section of places.
func PlacesKind() section.Kind {
	return section.Kind{New: func() section.Section { return new(Places) }}
}

// PlacesOf returns a run's section of places, or nil.
func PlacesOf(set section.Set) *Places { return section.Of[*Places](set) }

// Name implements section.Section.
func (*Places) Name() string { return "credit" }

// Metrics implements section.Section.
func (p *Places) Metrics(section.Run) []section.Metric {
	return []section.Metric{
		{Name: "credit_at_receivers_bytes", Title: "credit at receivers", Unit: "B", Value: p.AtReceivers, Neutral: true},
		{Name: "credit_at_senders_bytes", Title: "credit at senders", Unit: "B", Value: p.AtSenders, Neutral: true},
		{Name: "credit_in_flight_bytes", Title: "credit in flight", Unit: "B", Value: p.InFlight, Neutral: true},
	}
}

// Columns implements section.Section.
func (*Places) Columns(section.Run) []section.Column { return nil }

// Packets counts credits that are packets of their own, as in ExpressPass, within the measured
// window. Credits that ports dropped to limit them are among the run's drops.
type Packets struct {
	// Issued counts the credits that receivers made. Refused counts those that found no room at
	// their own NIC, and Sent those that left it.
	Issued  int64 `json:"issued"`
	Refused int64 `json:"refused"`
	Sent    int64 `json:"sent"`
	// Received counts the credits that reached senders. Used counts those that released a data
	// packet, and Wasted those that found nothing left to send.
	Received int64 `json:"received"`
	Used     int64 `json:"used"`
	Wasted   int64 `json:"wasted"`
}

// PacketsKind declares the section of packets.
func PacketsKind() section.Kind {
	return section.Kind{
		New:        func() section.Section { return new(Packets) },
		Highlights: []section.Highlight{{Metric: "credits_dropped", Heading: "credits dropped"}},
	}
}

// PacketsOf returns a run's section of packets, or nil.
func PacketsOf(set section.Set) *Packets { return section.Of[*Packets](set) }

// Name implements section.Section.
func (*Packets) Name() string { return "credit_packets" }

// dropped returns the credits that ports dropped to limit them.
func dropped(r section.Run) int64 { return r.Dropped("credit_queue_full") }

// Metrics implements section.Section.
func (p *Packets) Metrics(r section.Run) []section.Metric {
	return []section.Metric{
		{Name: "credits_issued", Title: "credits issued", Value: float64(p.Issued), Neutral: true},
		{Name: "credits_refused", Title: "credits refused by NICs", Value: float64(p.Refused), Neutral: true},
		{Name: "credits_dropped", Title: "credits dropped by ports", Value: float64(dropped(r)), Neutral: true},
		{Name: "credits_wasted", Title: "credits wasted", Value: float64(p.Wasted)},
	}
}

// Columns returns the credits that ports dropped to limit them.
func (p *Packets) Columns(r section.Run) []section.Column {
	return []section.Column{{Above: "credits", Below: "dropped", Text: strconv.FormatInt(dropped(r), 10)}}
}
