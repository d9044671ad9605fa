package record

import (
	"math"

	"weft/unit"
)

// Metric is one number of a summary, as tables over many runs know it.
type Metric struct {
	// Name is the word by which tables and command lines call it, such as
	// "fct_p99_us"; that of a group of traffic is "group.fct_p99_us".
	Name string
	// Title and Unit are for axes and headings; a count has no unit.
	Title, Unit string
	// Value is NaN if the run has no such number.
	Value float64
	// LowerIsBetter says which way is good; Neutral that neither is.
	LowerIsBetter, Neutral bool
}

// Metrics returns the numbers of a summary that can be averaged over runs, those
// of all messages first and then each group's.
func (s *Summary) Metrics() []Metric {
	list := s.Stats.metrics("")
	count := func(name, title string, n int64) Metric {
		return Metric{Name: name, Title: title, Value: float64(n), LowerIsBetter: true}
	}
	list = append(list,
		count("drops", "drops", s.Drops.Total()),
		count("trims", "trims", s.Trims),
		Metric{Name: "ecn_marks", Title: "ECN marks", Value: float64(s.ECNMarks), Neutral: true},
	)
	for i := range s.Groups {
		list = append(list, s.Groups[i].metrics(s.Groups[i].Name+".")...)
	}
	return list
}

func (s *Stats) metrics(prefix string) []Metric {
	micros := func(name, title string, t unit.Time) Metric {
		v := math.NaN()
		if t > 0 {
			v = float64(t) / float64(unit.Microsecond)
		}
		return Metric{Name: prefix + name, Title: title, Unit: "µs", Value: v, LowerIsBetter: true}
	}
	slowdown := func(name, title string, v float64) Metric {
		if v == 0 {
			v = math.NaN()
		}
		return Metric{Name: prefix + name, Title: title, Value: v, LowerIsBetter: true}
	}
	goodput := math.NaN()
	if s.Runtime > 0 {
		goodput = float64(s.Goodput) / float64(unit.Gbps)
	}
	count := func(name, title string, n int64) Metric {
		return Metric{Name: prefix + name, Title: title, Value: float64(n), LowerIsBetter: true}
	}
	messages := count("messages", "measured messages", s.Messages)
	messages.Neutral = true
	return []Metric{
		micros("runtime_us", "runtime", s.Runtime),
		{Name: prefix + "goodput_gbps", Title: "goodput", Unit: "Gb/s", Value: goodput},
		micros("fct_mean_us", "mean FCT", s.FCT.Mean),
		micros("fct_p50_us", "median FCT", s.FCT.P50),
		micros("fct_p99_us", "p99 FCT", s.FCT.P99),
		micros("fct_max_us", "max FCT", s.FCT.Max),
		slowdown("slowdown_p50", "median slowdown", s.Slowdown.P50),
		slowdown("slowdown_p99", "p99 slowdown", s.Slowdown.P99),
		messages,
		count("unfinished", "unfinished", s.Unfinished),
		count("retransmits", "retransmits", s.Retransmits),
		count("timeouts", "timeouts", s.Timeouts),
	}
}
