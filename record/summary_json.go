package record

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"weft/record/internal/micros"
	"weft/unit"
)

// The JSON forms below show quantities as plain numbers with the unit in the key, for programs
// that do not have weft's types.

// statsNumbers has the keys of Stats whose values are quantities.
type statsNumbers struct {
	Runtime *float64 `json:"runtime_us"`
	Goodput *int64   `json:"goodput_bps"`
	// NotStarted is derived from other fields.
	NotStarted int64 `json:"not_started,omitempty"`
	// Retransmits and Timeouts are null if they are unknown.
	Retransmits *int64 `json:"retransmits"`
	Timeouts    *int64 `json:"timeouts"`
}

func (s *Stats) numbers() statsNumbers {
	n := statsNumbers{Runtime: micros.Of(s.Runtime), NotStarted: s.NotStarted(), Retransmits: nullable(s.Retransmits), Timeouts: nullable(s.Timeouts)}
	if s.HasGoodput() {
		goodput := int64(s.Goodput)
		n.Goodput = &goodput
	}
	return n
}

func (s *Stats) set(n statsNumbers) {
	s.Runtime = micros.Time(n.Runtime)
	s.Retransmits, s.Timeouts = fromNullable(n.Retransmits), fromNullable(n.Timeouts)
	if n.Goodput != nil {
		s.Goodput = unit.Rate(*n.Goodput)
		s.Idle = s.Runtime == 0
	}
}

// plainSummary is a Summary without its methods, so that the standard encoding applies. It is the
// first of three parts of the JSON object; the sections are the second.
type plainSummary Summary

// summaryRest is the third part: the keys after the sections, and the fields of Summary that are
// quantities or derived.
type summaryRest struct {
	Trims       int64  `json:"trims"`
	ECNMarks    int64  `json:"ecn_marks"`
	SourceMarks int64  `json:"source_marks,omitempty"`
	ResultHash  string `json:"result_hash"`

	statsNumbers
	Completed *int64   `json:"completed_bps,omitempty"`
	Simulated *float64 `json:"simulated_us"`
	Drops     int64    `json:"drops"`
	EngineCPU float64  `json:"engine_cpu_seconds"`
	Wall      float64  `json:"wall_seconds"`
	PeakRSS   int64    `json:"peak_rss_bytes"`
	Notices   []Notice `json:"notices,omitempty"`
}

// MarshalJSON writes quantities as numbers with the unit in the key.
func (s Summary) MarshalJSON() ([]byte, error) {
	var parts [][]byte
	for _, part := range []any{plainSummary(s), keyed(s.Sections).Interface(), summaryRest{
		Trims: s.Trims, ECNMarks: s.ECNMarks, SourceMarks: s.SourceMarks, ResultHash: s.ResultHash,
		statsNumbers: s.numbers(),
		Completed:    (*int64)(s.Completed),
		Simulated:    micros.Of(s.Simulated),
		Drops:        s.Drops.Total(),
		EngineCPU:    s.EngineCPU.Seconds(),
		Wall:         s.Wall.Seconds(),
		PeakRSS:      int64(s.PeakRSS),
		Notices:      s.Notices(),
	}} {
		text, err := json.Marshal(part)
		if err != nil {
			return nil, err
		}
		if keys := text[1 : len(text)-1]; len(keys) > 0 {
			parts = append(parts, keys)
		}
	}
	return slices.Concat([]byte("{"), bytes.Join(parts, []byte(",")), []byte("}")), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Summary) UnmarshalJSON(data []byte) error {
	var (
		in   plainSummary
		rest summaryRest
	)
	keys := keyed(nil)
	for _, part := range []any{&in, keys.Interface(), &rest} {
		if err := json.Unmarshal(data, part); err != nil {
			return err
		}
	}
	*s = Summary(in)
	s.Sections = sectionsOf(keys)
	s.Trims, s.ECNMarks, s.SourceMarks, s.ResultHash = rest.Trims, rest.ECNMarks, rest.SourceMarks, rest.ResultHash
	// Earlier programs indicated a deadlock only at the beginning of the cause.
	s.Deadlocked = s.Deadlocked || s.Ended == Stuck && strings.HasPrefix(s.Cause, "deadlock: ")
	s.set(rest.statsNumbers)
	s.Completed = (*unit.Rate)(rest.Completed)
	s.Simulated = micros.Time(rest.Simulated)
	s.EngineCPU = fromSeconds(rest.EngineCPU)
	s.Wall = fromSeconds(rest.Wall)
	s.PeakRSS = unit.Bytes(rest.PeakRSS)
	for _, note := range rest.Notices {
		if !note.Kind.follows() {
			s.Noted = append(s.Noted, note)
		}
	}
	return nil
}

type plainGroup Group

// MarshalJSON writes quantities as numbers with the unit in the key.
func (g Group) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		plainGroup
		statsNumbers
	}{plainGroup(g), g.numbers()})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (g *Group) UnmarshalJSON(data []byte) error {
	var in struct {
		plainGroup
		statsNumbers
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*g = Group(in.plainGroup)
	g.set(in.statsNumbers)
	return nil
}

type timesNumbers struct {
	Mean *float64 `json:"mean"`
	P50  *float64 `json:"p50"`
	P99  *float64 `json:"p99"`
	Max  *float64 `json:"max"`
}

// MarshalJSON writes microseconds.
func (t Times) MarshalJSON() ([]byte, error) {
	return json.Marshal(timesNumbers{micros.Of(t.Mean), micros.Of(t.P50), micros.Of(t.P99), micros.Of(t.Max)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Times) UnmarshalJSON(data []byte) error {
	var n timesNumbers
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*t = Times{micros.Time(n.Mean), micros.Time(n.P50), micros.Time(n.P99), micros.Time(n.Max)}
	return nil
}

type throughputNumbers struct {
	Mean *int64 `json:"mean"`
	P50  *int64 `json:"p50"`
	P1   *int64 `json:"p1"`
}

// MarshalJSON writes bits per second, and null if no message finished.
func (r Throughput) MarshalJSON() ([]byte, error) {
	if r.Mean == 0 {
		return json.Marshal(throughputNumbers{})
	}
	return json.Marshal(throughputNumbers{(*int64)(&r.Mean), (*int64)(&r.P50), (*int64)(&r.P1)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Throughput) UnmarshalJSON(data []byte) error {
	var n throughputNumbers
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	rate := func(v *int64) unit.Rate {
		if v == nil {
			return 0
		}
		return unit.Rate(*v)
	}
	*r = Throughput{rate(n.Mean), rate(n.P50), rate(n.P1)}
	return nil
}

type rttNumbers struct {
	Packets int64    `json:"packets"`
	P50     *float64 `json:"p50"`
	P99     *float64 `json:"p99"`
	P999    *float64 `json:"p999"`
	Max     *float64 `json:"max"`
}

// MarshalJSON writes microseconds.
func (t RTTs) MarshalJSON() ([]byte, error) {
	return json.Marshal(rttNumbers{t.Packets, micros.Of(t.P50), micros.Of(t.P99), micros.Of(t.P999), micros.Of(t.Max)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *RTTs) UnmarshalJSON(data []byte) error {
	var n rttNumbers
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*t = RTTs{n.Packets, micros.Time(n.P50), micros.Time(n.P99), micros.Time(n.P999), micros.Time(n.Max)}
	return nil
}

type packetsNumbers struct {
	Arrived int64  `json:"arrived"`
	Marked  *int64 `json:"marked"`
	// Kept is omitted if it is 0, and null if it is unknown.
	Kept json.RawMessage `json:"kept,omitempty"`
}

// MarshalJSON writes null for unknown counts.
func (p Packets) MarshalJSON() ([]byte, error) {
	n := packetsNumbers{Arrived: p.Arrived, Marked: nullable(p.Marked)}
	if p.Kept != 0 {
		var err error
		if n.Kept, err = json.Marshal(nullable(p.Kept)); err != nil {
			return nil, err
		}
	}
	return json.Marshal(n)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Packets) UnmarshalJSON(data []byte) error {
	var n packetsNumbers
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*p = Packets{Arrived: n.Arrived, Marked: fromNullable(n.Marked)}
	if n.Kept == nil {
		return nil
	}
	var kept *int64
	err := json.Unmarshal(n.Kept, &kept)
	p.Kept = fromNullable(kept)
	return err
}

type quantilesNumbers struct {
	P50 *float64 `json:"p50"`
	P99 *float64 `json:"p99"`
}

// MarshalJSON writes null for a quantile that does not exist.
func (q Quantiles) MarshalJSON() ([]byte, error) {
	return json.Marshal(quantilesNumbers{present(q.P50), present(q.P99)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (q *Quantiles) UnmarshalJSON(data []byte) error {
	var n quantilesNumbers
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*q = Quantiles{}
	if n.P50 != nil {
		q.P50 = *n.P50
	}
	if n.P99 != nil {
		q.P99 = *n.P99
	}
	return nil
}

func present(v float64) *float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
