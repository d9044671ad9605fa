package record

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"weft/unit"
)

// Pause is what a class of a directed link had to do with pauses (fabric.pfc), within the measured window.
type Pause struct {
	// Port is the port's name, and Class one of its lossless classes.
	Port  string `parquet:"port,dict" json:"port"`
	Class int32  `parquet:"class" json:"class"`
	// Pauses counts those that the port began to obey, and Time is for how long it was paused.
	Pauses int64     `parquet:"pauses" json:"pauses"`
	Time   unit.Time `parquet:"paused_ps" json:"paused_ps"`
	// Sent counts the pause frames that the port sent, which paused the reverse direction of its link, and
	// Resumes those that it sent to take them back.
	Sent    int64 `parquet:"pauses_sent" json:"pauses_sent"`
	Resumes int64 `parquet:"resumes_sent" json:"resumes_sent"`
	// HeldMax is the most that the switch at the far end held of what came over the link, headroom included; 0
	// if there is a host.
	HeldMax unit.Bytes `parquet:"held_max_bytes" json:"held_max_bytes"`
}

// Paused tells whether anything was paused, or took a pause back.
func (p *Pause) Paused() bool { return p.Pauses > 0 || p.Time > 0 || p.Sent > 0 || p.Resumes > 0 }

// Pauses sums up the pauses of a run within its measured window.
type Pauses struct {
	// Frames counts the pause frames that switches sent, and Resumes the frames that took them back.
	Frames  int64 `json:"frames"`
	Resumes int64 `json:"resumes"`
	// Time is the sum of the paused time over all classes of all links.
	Time unit.Time `json:"-"`
	// Share is the largest share of the window for which one class of a link was paused: Class of Port, which
	// is "" if there is none.
	Share float64 `json:"largest_share"`
	Port  string  `json:"port,omitempty"`
	Class int32   `json:"class"`
	// HeldMax is the most that a switch held of what came over one link in one class, and HeldPort that link's.
	HeldMax  Bytes  `json:"held_max_bytes"`
	HeldPort string `json:"held_port,omitempty"`
}

// SumPauses sums up what happened in a window of some length. What was held at links without pauses is not in
// the rows.
func SumPauses(rows []Pause, window unit.Time) *Pauses {
	s := &Pauses{}
	longest := unit.Time(0)
	for _, p := range sorted(rows, comparePauses) {
		s.Frames += p.Sent
		s.Resumes += p.Resumes
		s.Time += p.Time
		if p.Time > longest {
			longest, s.Port, s.Class = p.Time, p.Port, p.Class
		}
		s.Hold(p.HeldMax, p.Port)
	}
	if window > 0 {
		s.Share = float64(longest) / float64(window)
	}
	return s
}

// Hold notes what a switch held of a link.
func (s *Pauses) Hold(most unit.Bytes, port string) {
	if Bytes(most) > s.HeldMax {
		s.HeldMax, s.HeldPort = Bytes(most), port
	}
}

func comparePauses(a, b *Pause) int {
	return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Class, b.Class))
}

// MostPaused returns the rows of the classes of links that were paused longest, at most some of them.
func MostPaused(rows []Pause, most int) (list []*Pause) {
	list = slices.DeleteFunc(sorted(rows, func(a, b *Pause) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), comparePauses(a, b))
	}), func(p *Pause) bool { return p.Time == 0 })
	return list[:min(len(list), most)]
}

// DeadlockCause begins the cause of a run that ended because pauses wait for each other.
const DeadlockCause = "deadlock: "

// Deadlocked tells whether a run ended because pauses wait for each other.
func (s *Summary) Deadlocked() bool {
	return s.Ended == Stuck && strings.HasPrefix(s.Cause, DeadlockCause)
}

type plainPauses Pauses

type pausesNumbers struct {
	Time float64 `json:"paused_us"`
}

// MarshalJSON writes the time in microseconds.
func (s Pauses) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		plainPauses
		pausesNumbers
	}{plainPauses(s), pausesNumbers{float64(s.Time) / float64(unit.Microsecond)}})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Pauses) UnmarshalJSON(data []byte) error {
	var in struct {
		plainPauses
		pausesNumbers
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*s = Pauses(in.plainPauses)
	s.Time = fromMicros(&in.pausesNumbers.Time)
	return nil
}

// metrics returns nothing for runs without pauses.
func (s *Pauses) metrics() []Metric {
	if s == nil {
		return nil
	}
	return []Metric{
		{Name: "pause_frames", Title: "pause frames", Value: float64(s.Frames), LowerIsBetter: true},
		{Name: "paused_us", Title: "paused time of all links", Unit: "µs", Value: float64(s.Time) / float64(unit.Microsecond), LowerIsBetter: true},
		{Name: "paused_percent", Title: "paused time of the most paused link", Unit: "%", Value: 100 * s.Share, LowerIsBetter: true},
		{Name: "pause_held_bytes", Title: "most held of one link", Unit: "B", Value: float64(s.HeldMax), LowerIsBetter: true},
	}
}

// pauses feeds pauses to a hash; none feed nothing, so that runs without them keep their hash.
func (h *Hash) pauses(rows []Pause) {
	if len(rows) == 0 {
		return
	}
	h.text("pauses")
	h.integers(int64(len(rows)))
	for _, p := range sorted(rows, comparePauses) {
		h.text(p.Port)
		h.integers(int64(p.Class), p.Pauses, int64(p.Time), p.Sent, p.Resumes, int64(p.HeldMax))
	}
}

func pauseColumns() []column[Pause] {
	return []column[Pause]{
		{"pauses", func(p *Pause) string { return decimal(p.Pauses) }},
		{"paused", func(p *Pause) string { return p.Time.String() }},
		{"pauses_sent", func(p *Pause) string { return decimal(p.Sent) }},
		{"resumes_sent", func(p *Pause) string { return decimal(p.Resumes) }},
		{"held_max", func(p *Pause) string { return p.HeldMax.String() }},
	}
}

// pauseName names a row.
func pauseName(p *Pause) string { return fmt.Sprintf("pauses of port %s, class %d", p.Port, p.Class) }
