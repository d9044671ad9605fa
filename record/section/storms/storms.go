// Package storms is the section of a run about links that were paused nearly all the time (record.storms).
package storms

import (
	"strconv"

	"weft/record/section"
	"weft/unit"
)

// Counts sums up storms of pauses.
type Counts struct {
	// Period is for how long a link is looked at, and Links how many were ever paused for nearly all of a period.
	Period unit.Time `json:"period"`
	Links  int64     `json:"links"`
	// Periods counts these periods, of all links.
	Periods int64 `json:"periods"`
}

// Kind declares the section.
func Kind() section.Kind {
	return section.Kind{
		New:        func() section.Section { return new(Counts) },
		Highlights: []section.Highlight{{Metric: "storm_links", Heading: "in storms", Unit: "links"}},
	}
}

// Name implements section.Section.
func (*Counts) Name() string { return "storms" }

// Metrics implements section.Section.
func (s *Counts) Metrics(section.Run) []section.Metric {
	return []section.Metric{
		{Name: "storm_links", Title: "links that were paused nearly all of a period", Value: float64(s.Links)},
		{Name: "storm_periods", Title: "periods of links that were paused nearly all of them", Value: float64(s.Periods)},
	}
}

// Columns has the links.
func (s *Counts) Columns(section.Run) []section.Column {
	return []section.Column{{Above: "storms", Below: "links", Text: strconv.FormatInt(s.Links, 10)}}
}
