// Package jobs is the section of a run about the traces of applications that its hosts replayed: how long each took, and
// what its ranks did meanwhile.
package jobs

import (
	"encoding/json"
	"math"
	"strconv"

	"weft/record/internal/micros"
	"weft/record/section"
	"weft/unit"
)

// Job is one trace in a run.
type Job struct {
	Group string
	// Ranks and Operations are those of the trace. Left counts operations that have not ended.
	Ranks            int
	Operations, Left int64
	// Time is from the start of the job to the end of its last operation.
	Time unit.Time
	// These are means over ranks, and add up to Time. A rank computes if any of its processors does. Otherwise its
	// communication is exposed while a transfer is under way that it awaits, and it waits while
	// it awaits only messages that their senders have not begun. It idles before its first operation and after its last.
	Computing, Exposed, Waiting, Idle unit.Time
}

// Jobs is the traces of a run, in the order of its groups of traffic.
type Jobs []Job

type inFile struct {
	Group      string   `json:"group"`
	Ranks      int      `json:"ranks"`
	Operations int64    `json:"operations"`
	Left       int64    `json:"left"`
	Time       *float64 `json:"time_us"`
	Computing  *float64 `json:"computing_us"`
	Exposed    *float64 `json:"exposed_us"`
	Waiting    *float64 `json:"waiting_us"`
	Idle       *float64 `json:"idle_us"`
}

// MarshalJSON implements json.Marshaler. Times are numbers of microseconds.
func (j *Jobs) MarshalJSON() ([]byte, error) {
	list := make([]inFile, len(*j))
	for i, o := range *j {
		list[i] = inFile{
			o.Group, o.Ranks, o.Operations, o.Left,
			micros.Of(o.Time), micros.Of(o.Computing), micros.Of(o.Exposed), micros.Of(o.Waiting), micros.Of(o.Idle),
		}
	}
	return json.Marshal(list)
}

// UnmarshalJSON implements json.Unmarshaler.
func (j *Jobs) UnmarshalJSON(data []byte) error {
	var list []inFile
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*j = make(Jobs, len(list))
	for i, o := range list {
		(*j)[i] = Job{
			o.Group, o.Ranks, o.Operations, o.Left,
			micros.Time(o.Time), micros.Time(o.Computing), micros.Time(o.Exposed), micros.Time(o.Waiting), micros.Time(o.Idle),
		}
	}
	return nil
}

// Kind declares the section.
func Kind() section.Kind {
	return section.Kind{
		New:        func() section.Section { return new(Jobs) },
		Highlights: []section.Highlight{{Metric: "job_time_us", Heading: "job", Unit: "µs"}, {Metric: "job_exposed_us", Heading: "exposed", Unit: "µs"}},
		Leading:    []string{"job_time_us", "job_exposed_us", "job_waiting_us"},
	}
}

// Of returns the section of a run, nil if it has none.
func Of(set section.Set) *Jobs { return section.Of[*Jobs](set) }

// Name implements section.Section.
func (*Jobs) Name() string { return "jobs" }

// Metrics implements section.Section. With several jobs the time is that of the longest, and the others are means over all ranks.
func (j *Jobs) Metrics(section.Run) []section.Metric { return metrics(*j) }

// GroupMetrics implements section.Grouped: the same of the job of a group.
func (j *Jobs) GroupMetrics(group string) []section.Metric {
	if len(*j) == 0 {
		return metrics(nil)
	}
	for i := range *j {
		if (*j)[i].Group == group {
			return metrics((*j)[i : i+1])
		}
	}
	return nil
}

// metrics returns the numbers of some jobs together. Jobs that have not ended have no time.
func metrics(list []Job) []section.Metric {
	longest, ranks := math.NaN(), 0
	var sums [4]float64
	left := int64(0)
	for i, o := range list {
		if t := inMicros(o.Time); i == 0 || t > longest {
			longest = t
		}
		left += o.Left
		ranks += o.Ranks
		for k, t := range []unit.Time{o.Computing, o.Exposed, o.Waiting, o.Idle} {
			sums[k] += float64(o.Ranks) * inMicros(t)
		}
	}
	if left > 0 {
		longest = math.NaN()
	}
	mean := func(name, title string, sum float64) section.Metric {
		return section.Metric{Name: "job_" + name + "_us", Title: title, Unit: "µs", Value: sum / float64(ranks), LowerIsBetter: true}
	}
	return []section.Metric{
		{Name: "job_time_us", Title: "job time", Unit: "µs", Value: longest, LowerIsBetter: true, Basis: section.Basis{Completion: true}},
		mean("computing", "computation", sums[0]), mean("exposed", "exposed communication", sums[1]),
		mean("waiting", "waiting for peers", sums[2]), mean("idle", "before its first operation and after its last", sums[3]),
		{Name: "job_left", Title: "operations left", Value: float64(left), LowerIsBetter: true, Basis: section.Basis{Shortfall: true}},
	}
}

func inMicros(t unit.Time) float64 { return float64(t) / float64(unit.Microsecond) }

// Columns implements section.Section. Its table has all.
func (*Jobs) Columns(section.Run) []section.Column { return nil }

// LargestRate implements section.Tabled.
func (*Jobs) LargestRate() unit.Rate { return 0 }

// Table implements section.Tabled.
func (j *Jobs) Table(unit.RateScale) section.Table {
	t := section.Table{
		Heading: [2][]string{
			{"", "", "", "time", "computing", "exposed", "waiting", "idle", "operations"},
			{"", "job", "ranks", "µs", "%", "%", "%", "%", "left"},
		},
		Left: 2, First: true,
	}
	for _, o := range *j {
		share := func(part unit.Time) string {
			if o.Time <= 0 {
				return "-"
			}
			return strconv.FormatFloat(100*float64(part)/float64(o.Time), 'f', 1, 64)
		}
		t.Rows = append(t.Rows, []string{
			o.Group, strconv.Itoa(o.Ranks), strconv.FormatFloat(inMicros(o.Time), 'f', 1, 64),
			share(o.Computing), share(o.Exposed), share(o.Waiting), share(o.Idle), strconv.FormatInt(o.Left, 10),
		})
	}
	return t
}
