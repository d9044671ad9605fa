package record

import (
	"cmp"
	"slices"

	"weft/record/section/pauses"
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

// SumPauses sums up what happened in a window of some length. What was held at links without pauses is not in
// the rows.
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

// MostPaused returns the rows of the classes of links that were paused longest, at most some of them.
func MostPaused(rows []Pause, most int) (list []*Pause) {
	list = slices.DeleteFunc(sorted(rows, func(a, b *Pause) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), comparePauses(a, b))
	}), func(p *Pause) bool { return p.Time == 0 })
	return list[:min(len(list), most)]
}
