package record

import (
	"cmp"
	"slices"

	"weft/record/section/pauses"
	"weft/unit"
)

// Pause describes the pauses (fabric.pfc) of one class of a directed link within the measured
// window.
type Pause struct {
	// Port is the port's name, and Class one of its lossless classes.
	Port  string `parquet:"port,dict" json:"port"`
	Class int32  `parquet:"class" json:"class"`
	// Pauses counts the pauses that the port obeyed, and Time is how long it was paused.
	Pauses int64     `parquet:"pauses" json:"pauses"`
	Time   unit.Time `parquet:"paused_ps" json:"paused_ps"`
	// Sent counts the pause frames that the port sent, which paused the reverse direction of its
	// link. Resumes counts the frames that it sent to end pauses.
	Sent    int64 `parquet:"pauses_sent" json:"pauses_sent"`
	Resumes int64 `parquet:"resumes_sent" json:"resumes_sent"`
	// HeldMax is the largest backlog, at the switch at the far end, of frames that arrived over the
	// link, headroom included. It is 0 if the far end is a host.
	HeldMax unit.Bytes `parquet:"held_max_bytes" json:"held_max_bytes"`
}

// Paused reports whether anything was paused or resumed.
func (p *Pause) Paused() bool { return p.Pauses > 0 || p.Time > 0 || p.Sent > 0 || p.Resumes > 0 }

// SumPauses sums up the pauses in a window of the given length. Links without pauses have no
// rows, so their backlog is not included.
func SumPauses(rows []Pause, window unit.Time) *pauses.Sums {
	s := &pauses.Sums{}
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

func comparePauses(a, b *Pause) int {
	return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Class, b.Class))
}

// MostPaused returns up to most rows with the longest paused times.
func MostPaused(rows []Pause, most int) (list []*Pause) {
	list = slices.DeleteFunc(sorted(rows, func(a, b *Pause) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), comparePauses(a, b))
	}), func(p *Pause) bool { return p.Time == 0 })
	return list[:min(len(list), most)]
}
