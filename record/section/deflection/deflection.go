// Package deflection is a run's section on packets that switches deflected (fabric.deflect).
package deflection

import (
	"strconv"

	"weft/record/section"
	"weft/unit"
)

// Counts sums up deflections within the measured window.
type Counts struct {
	// Hops counts deflections of packets. Messages counts deflections of first packets.
	Hops     int64 `json:"hops"`
	Messages int64 `json:"messages"`
	// Rows counts the messages that switches remembered. RowsMax is the most that one switch
	// remembered at a time. RowsMean is the time mean of the rows in all switches together.
	Rows     int64   `json:"rows"`
	RowsMax  int64   `json:"rows_max"`
	RowsMean float64 `json:"rows_mean"`
	// Aged counts rows freed because no last packet arrived, and Left those that remained at the
	// end.
	Aged int64 `json:"aged"`
	Left int64 `json:"left"`
	// Links counts the links that deflectable packets took. Extra counts those that minimal
	// routes would have saved. ExtraBytes is what crossed the latter, and Bytes what all frames
	// on all links together amount to.
	Links      int64 `json:"links"`
	Extra      int64 `json:"extra_links"`
	ExtraBytes int64 `json:"extra_bytes"`
	Bytes      int64 `json:"bytes"`
	// Refused counts first packets that were not deflected.
	Refused Refusals `json:"refused"`
}

// Refusals counts first packets that were not deflected, by reason.
type Refusals struct {
	BelowThreshold int64 `json:"below_threshold"`
	NoTokens       int64 `json:"no_tokens"`
	TableFull      int64 `json:"table_full"`
	NoPort         int64 `json:"no_port"`
}

// hot returns how many first packets met a long queue and were not deflected.
func (r *Refusals) hot() int64 { return r.NoTokens + r.TableFull + r.NoPort }

// Kind declares the section.
func Kind() section.Kind {
	return section.Kind{
		New:        func() section.Section { return new(Counts) },
		Highlights: []section.Highlight{{Metric: "deflections", Heading: "deflected", Unit: "packets"}},
	}
}

// MeanRows sets RowsMean. held is the sum of the rows' lifetimes in a window.
func (s *Counts) MeanRows(held, window unit.Time) {
	if window > 0 {
		s.RowsMean = float64(held) / float64(window)
	}
}

// Of returns a run's section, or nil.
func Of(set section.Set) *Counts { return section.Of[*Counts](set) }

// Name implements section.Section.
func (*Counts) Name() string { return "deflections" }

// Metrics implements section.Section.
func (s *Counts) Metrics(section.Run) []section.Metric {
	count := func(name, title string, n int64) section.Metric {
		return section.Metric{Name: name, Title: title, Value: float64(n), Neutral: true}
	}
	percent := func(name, title string, part, of int64) section.Metric {
		return section.Metric{Name: name, Title: title, Unit: "%", Value: 100 * float64(part) / float64(of), LowerIsBetter: true}
	}
	return []section.Metric{
		count("deflections", "deflections", s.Hops),
		count("deflected_messages", "first packets deflected", s.Messages),
		count("deflect_rows_max", "most messages in a table", s.RowsMax),
		{Name: "deflect_rows_mean", Title: "messages in all tables, mean", Value: s.RowsMean, Neutral: true},
		percent("deflect_dilation_percent", "longer ways of short messages", s.Extra, s.Links-s.Extra),
		percent("deflect_load_percent", "more bytes on links by deflection", s.ExtraBytes, s.Bytes-s.ExtraBytes),
		count("deflect_below_threshold", "first packets that met a short queue", s.Refused.BelowThreshold),
		count("deflect_no_tokens", "refused for want of tokens", s.Refused.NoTokens),
		count("deflect_table_full", "refused by full tables", s.Refused.TableFull),
		count("deflect_no_port", "refused for want of a port", s.Refused.NoPort),
	}
}

// Columns returns the deflected packets, and the first packets that met a long queue and were not
// deflected.
func (s *Counts) Columns(section.Run) []section.Column {
	return []section.Column{
		{Below: "deflected", Text: strconv.FormatInt(s.Hops, 10)},
		{Above: "deflection", Below: "refused", Text: strconv.FormatInt(s.Refused.hot(), 10)},
	}
}
