// Package pauses is a run's section on pauses of links (fabric.pfc).
package pauses

import (
	"encoding/json"
	"strconv"

	"weft/record/internal/micros"
	"weft/record/section"
	"weft/unit"
)

// Sums sums up the pauses of a run within its measured window.
type Sums struct {
	// Frames counts the pause frames that switches sent, and Resumes the frames that ended
	// pauses.
	Frames  int64 `json:"frames"`
	Resumes int64 `json:"resumes"`
	// Time is the paused time, summed over all classes of all links.
	Time unit.Time `json:"-"`
	// Share is the largest share of the window for which one class of a link was paused. Port and
	// Class identify it; Port is "" if there was none.
	Share float64 `json:"largest_share"`
	Port  string  `json:"port,omitempty"`
	Class int32   `json:"class"`
	// HeldMax is the largest backlog at a switch from one link in one class, and HeldPort that
	// link.
	HeldMax  section.Bytes `json:"held_max_bytes"`
	HeldPort string        `json:"held_port,omitempty"`
}

// Kind declares the section.
func Kind() section.Kind {
	return section.Kind{
		New: func() section.Section { return new(Sums) },
		Highlights: []section.Highlight{
			{Metric: "pause_frames", Heading: "pauses", Unit: "frames"},
			{Metric: "paused_percent", Heading: "paused", Unit: "% of time, most paused link"},
		},
	}
}

// Of returns a run's section, or nil.
func Of(set section.Set) *Sums { return section.Of[*Sums](set) }

// Hold includes a switch's largest backlog from a link.
func (s *Sums) Hold(most unit.Bytes, port string) {
	if section.Bytes(most) > s.HeldMax {
		s.HeldMax, s.HeldPort = section.Bytes(most), port
	}
}

// Name implements section.Section.
func (*Sums) Name() string { return "pauses" }

// Metrics implements section.Section.
func (s *Sums) Metrics(section.Run) []section.Metric {
	return []section.Metric{
		{Name: "pause_frames", Title: "pause frames", Value: float64(s.Frames), LowerIsBetter: true},
		{Name: "paused_us", Title: "paused time of all links", Unit: "µs", Value: float64(s.Time) / float64(unit.Microsecond), LowerIsBetter: true},
		{Name: "paused_percent", Title: "paused time of the most paused link", Unit: "%", Value: 100 * s.Share, LowerIsBetter: true},
		{Name: "pause_held_bytes", Title: "most held of one link", Unit: "B", Value: float64(s.HeldMax), LowerIsBetter: true},
	}
}

// Columns returns the number of pause frames, and the share of time for which the most paused
// link was paused.
func (s *Sums) Columns(section.Run) []section.Column {
	return []section.Column{
		{Below: "pauses", Text: strconv.FormatInt(s.Frames, 10)},
		{Above: "paused", Below: "most, %", Text: strconv.FormatFloat(100*s.Share, 'f', 1, 64)},
	}
}

type plain Sums

type numbers struct {
	Time float64 `json:"paused_us"`
}

// MarshalJSON writes the time in microseconds.
func (s Sums) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		plain
		numbers
	}{plain(s), numbers{float64(s.Time) / float64(unit.Microsecond)}})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Sums) UnmarshalJSON(data []byte) error {
	var in struct {
		plain
		numbers
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*s = Sums(in.plain)
	s.Time = micros.Time(&in.numbers.Time)
	return nil
}
