// Package reactions is a run's section on how senders reacted to an event at a given moment
// (record.reaction_to).
package reactions

import (
	"encoding/json"
	"strconv"

	"weft/internal/readable"
	"weft/record/internal/micros"
	"weft/record/section"
	"weft/unit"
)

// Section describes how senders reacted.
type Section struct {
	// Since is the moment.
	Since unit.Time
	// QueueMax is the largest queue of a recorded port in the measured window.
	QueueMax unit.Bytes
	// Connections lists the recorded connections that had a rate at the moment, in the order in
	// which they were first seen.
	Connections []Connection
}

// Connection is the reaction of one connection. Its rate is sampled every 0.1 µs until it has
// fallen, for at most a millisecond, and then once per interval of time series.
type Connection struct {
	// Name is as in the series.
	Name string
	// Before is its rate at the moment, and Least its least rate afterwards.
	Before, Least unit.Rate
	// Cut is how long after the moment the rate first fell below 99.9 % of Before, or Never.
	Cut unit.Time
}

// Never stands for the time of an event that did not happen.
const Never = micros.None

// Kind declares the section.
func Kind() section.Kind {
	return section.Kind{New: func() section.Section { return new(Section) }}
}

// Of returns a run's section, or nil.
func Of(set section.Set) *Section { return section.Of[*Section](set) }

// Name implements section.Section.
func (*Section) Name() string { return "reactions" }

// Metrics implements section.Section. It returns none, since connections differ between runs.
func (*Section) Metrics(section.Run) []section.Metric { return nil }

// Columns implements section.Section.
func (*Section) Columns(section.Run) []section.Column { return nil }

// LargestRate implements section.Tabled.
func (s *Section) LargestRate() (largest unit.Rate) {
	for _, c := range s.Connections {
		largest = max(largest, c.Before, c.Least)
	}
	return largest
}

// Table returns a row for each connection.
func (s *Section) Table(rates unit.RateScale) section.Table {
	t := section.Table{
		Heading: [2][]string{
			{"rates after", "", "before", "first cut", "least", "queue"},
			{span(s.Since, "-") + " µs", "connection", rates.Name, "µs later", rates.Name, "max, kB"},
		},
		Left: 2,
	}
	queue := strconv.FormatFloat(float64(s.QueueMax)/1e3, 'f', 1, 64)
	if len(s.Connections) == 0 {
		t.Rows = append(t.Rows, []string{"none is paced", "-", "-", "-", queue})
	}
	for _, c := range s.Connections {
		t.Rows = append(t.Rows, []string{c.Name, rates.Text(float64(c.Before)), span(c.Cut, "0"), rates.Text(float64(c.Least)), queue})
		queue = ""
	}
	return t
}

// span formats a time in microseconds, and 0 as the given text.
func span(t unit.Time, zero string) string {
	switch t {
	case Never:
		return "never"
	case 0:
		return zero
	}
	return readable.Significant(float64(t)/float64(unit.Microsecond), 4)
}

// connectionNumbers is a reaction in JSON.
type connectionNumbers struct {
	Connection string   `json:"connection"`
	Before     int64    `json:"before_bps"`
	Least      int64    `json:"least_bps"`
	Cut        *float64 `json:"cut_us"`
}

type numbers struct {
	Since       *float64            `json:"since_us"`
	QueueMax    section.Bytes       `json:"queue_max_bytes"`
	Connections []connectionNumbers `json:"connections"`
}

// MarshalJSON writes times in microseconds, and null for Never.
func (s Section) MarshalJSON() ([]byte, error) {
	out := numbers{Since: micros.OfSpan(s.Since), QueueMax: section.Bytes(s.QueueMax), Connections: []connectionNumbers{}}
	for _, c := range s.Connections {
		out.Connections = append(out.Connections, connectionNumbers{c.Name, int64(c.Before), int64(c.Least), micros.OfSpan(c.Cut)})
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Section) UnmarshalJSON(b []byte) error {
	var in numbers
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*s = Section{Since: micros.Span(in.Since), QueueMax: unit.Bytes(in.QueueMax)}
	for _, c := range in.Connections {
		s.Connections = append(s.Connections, Connection{c.Connection, unit.Rate(c.Before), unit.Rate(c.Least), micros.Span(c.Cut)})
	}
	return nil
}
