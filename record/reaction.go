package record

import (
	"encoding/json"

	"weft/unit"
)

// Reactions tell how senders reacted to what happened at a moment (record.reaction_to).
type Reactions struct {
	// Since is the moment.
	Since unit.Time
	// QueueMax is the largest queue of a recorded port in the measured window.
	QueueMax unit.Bytes
	// Connections are the recorded ones that had a rate at the moment, in the order in which they were first seen.
	Connections []Reaction
}

// Reaction is that of one connection. Its rate is looked at every 0.1 µs until it has fallen, at most for a millisecond, and
// then once per interval of time series.
type Reaction struct {
	// Connection is named as in the series.
	Connection string
	// Before is its rate at the moment, and Least its least rate from then on.
	Before, Least unit.Rate
	// Cut is how long after the moment the rate was below 99.9 % of Before for the first time; None if it never was.
	Cut unit.Time
}

// reactionNumbers is a reaction as JSON shows it.
type reactionNumbers struct {
	Connection string   `json:"connection"`
	Before     int64    `json:"before_bps"`
	Least      int64    `json:"least_bps"`
	Cut        *float64 `json:"cut_us"`
}

type reactionsNumbers struct {
	Since       *float64          `json:"since_us"`
	QueueMax    Bytes             `json:"queue_max_bytes"`
	Connections []reactionNumbers `json:"connections"`
}

// MarshalJSON writes microseconds, and null for None.
func (r Reactions) MarshalJSON() ([]byte, error) {
	out := reactionsNumbers{Since: spanMicros(r.Since), QueueMax: Bytes(r.QueueMax), Connections: []reactionNumbers{}}
	for _, c := range r.Connections {
		out.Connections = append(out.Connections, reactionNumbers{c.Connection, int64(c.Before), int64(c.Least), spanMicros(c.Cut)})
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Reactions) UnmarshalJSON(b []byte) error {
	var in reactionsNumbers
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*r = Reactions{Since: fromSpanMicros(in.Since), QueueMax: unit.Bytes(in.QueueMax)}
	for _, c := range in.Connections {
		r.Connections = append(r.Connections, Reaction{c.Connection, unit.Rate(c.Before), unit.Rate(c.Least), fromSpanMicros(c.Cut)})
	}
	return nil
}
