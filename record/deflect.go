package record

import "weft/unit"

// Deflections sums up what switches deflected (fabric.deflect) within the measured window.
type Deflections struct {
	// Hops counts deflected packets, once for each time, and Messages how often a first packet was deflected.
	Hops     int64 `json:"hops"`
	Messages int64 `json:"messages"`
	// Rows counts the messages that switches remembered. RowsMax is the most that one remembered at a time, and
	// RowsMean the mean of what all remembered together.
	Rows     int64   `json:"rows"`
	RowsMax  int64   `json:"rows_max"`
	RowsMean float64 `json:"rows_mean"`
	// Aged counts rows that were freed since no last packet came, and Left those that stood at the end.
	Aged int64 `json:"aged"`
	Left int64 `json:"left"`
	// Links counts the links that packets took which may be deflected, and Extra those that minimal routes would have
	// saved. ExtraBytes is what crossed the latter, and Bytes what crossed all links, of whatever frames.
	Links      int64 `json:"links"`
	Extra      int64 `json:"extra_links"`
	ExtraBytes int64 `json:"extra_bytes"`
	Bytes      int64 `json:"bytes"`
	// Refused counts first packets that were not deflected.
	Refused DeflectRefusals `json:"refused"`
}

// DeflectRefusals counts first packets that were not deflected, by reason.
type DeflectRefusals struct {
	BelowThreshold int64 `json:"below_threshold"`
	NoTokens       int64 `json:"no_tokens"`
	TableFull      int64 `json:"table_full"`
	NoPort         int64 `json:"no_port"`
}

// Hot returns how many first packets met a long queue and were not deflected.
func (r *DeflectRefusals) Hot() int64 { return r.NoTokens + r.TableFull + r.NoPort }

// MeanRows sets the mean of the rows, which stood for some times together, in a window.
func (s *Deflections) MeanRows(held, window unit.Time) {
	if window > 0 {
		s.RowsMean = float64(held) / float64(window)
	}
}

// metrics returns nothing for runs without deflection.
func (s *Deflections) metrics() []Metric {
	if s == nil {
		return nil
	}
	count := func(name, title string, n int64) Metric {
		return Metric{Name: name, Title: title, Value: float64(n), Neutral: true}
	}
	percent := func(name, title string, part, of int64) Metric {
		return Metric{Name: name, Title: title, Unit: "%", Value: 100 * float64(part) / float64(of), LowerIsBetter: true}
	}
	return []Metric{
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
