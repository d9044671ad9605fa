// Package detours is a run's section on packets that took a detour through an intermediate
// instead of a minimal path (routing.policy: valiant, ugal, par).
package detours

import (
	"strconv"

	"weft/record/section"
)

// Counts counts the packets that took detours within the measured window.
type Counts struct {
	// Packets counts the packets that came from hosts to first switches and went on to other
	// switches. Detours counts those that took a detour, and Turned those whose second switch
	// sent them on it.
	Packets int64 `json:"packets"`
	Detours int64 `json:"detours"`
	Turned  int64 `json:"turned"`
	// Laneless counts hops for which a packet should have changed to another lane but had none
	// left.
	Laneless int64 `json:"laneless"`
}

// Kind declares the section.
func Kind() section.Kind {
	return section.Kind{
		New:        func() section.Section { return new(Counts) },
		Highlights: []section.Highlight{{Metric: "detours_percent", Heading: "on detours", Unit: "% of packets"}},
	}
}

// Share returns the share of packets that took a detour, 0 without packets.
func (s *Counts) Share() float64 {
	if s.Packets == 0 {
		return 0
	}
	return float64(s.Detours) / float64(s.Packets)
}

// Of returns a run's section, or nil.
func Of(set section.Set) *Counts { return section.Of[*Counts](set) }

// Name implements section.Section.
func (*Counts) Name() string { return "detours" }

// Metrics implements section.Section.
func (s *Counts) Metrics(section.Run) []section.Metric {
	return []section.Metric{
		{Name: "detours_percent", Title: "packets on detours", Unit: "%", Value: 100 * s.Share(), Neutral: true, Basis: section.Basis{Windowed: true}},
		{Name: "detours_turned", Title: "packets sent to detours by their second switch", Value: float64(s.Turned), Neutral: true},
		{Name: "laneless_hops", Title: "hops without a lane left", Value: float64(s.Laneless)},
	}
}

// Columns returns the share of packets on detours.
func (s *Counts) Columns(section.Run) []section.Column {
	return []section.Column{{Above: "on detours", Below: "%", Text: strconv.FormatFloat(100*s.Share(), 'f', 1, 64)}}
}
