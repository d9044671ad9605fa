package study

import (
	"slices"
	"strings"
	"testing"

	"weft/record"
	"weft/record/section/jobs"
	"weft/unit"
)

// Where load is offered until runs end, their runtime says nothing, unless one of them is
// otherwise.
func TestRuntimeOfOfferedLoad(t *testing.T) {
	axes := []Axis{{Name: "load", Levels: []string{"20%", "60%"}}}
	for _, all := range []bool{true, false} {
		table := made(axes, 1, func(levels []int, _ uint64) *Entry {
			s := summaryOf(700*unit.Microsecond, 0)
			if all || levels[0] == 0 {
				s.Stability = &record.Stability{}
			}
			return done(s)
		}).Table()
		if shown := slices.Contains(table.Shown(), "runtime_us"); shown == all {
			t.Errorf("all runs end while load is offered: %v, runtime shown: %v", all, shown)
		}
		if !slices.Contains(table.Shown(), "slowdown_bare_p99") {
			t.Errorf("no slowdown in %v", table.Shown())
		}
	}
}

// Where hosts replay traces, the times of jobs come first.
func TestJobsLead(t *testing.T) {
	axes := []Axis{{Name: "uplinks", Levels: []string{"8", "4"}}}
	table := made(axes, 1, func([]int, uint64) *Entry {
		s := summaryOf(700*unit.Microsecond, 0)
		s.Sections.Add(&jobs.Jobs{{Group: "train", Ranks: 4, Time: unit.Millisecond, Exposed: unit.Microsecond}})
		return done(s)
	}).Table()
	if got := table.Shown()[:4]; !slices.Equal(got, []string{"job_time_us", "job_exposed_us", "job_waiting_us", "runtime_us"}) {
		t.Errorf("the table begins with %v", got)
	}
	for _, test := range []struct{ second, want string }{
		{"solve", "solve.job_time_us train.job_time_us runtime_us"},
		{"", "job_time_us job_exposed_us job_waiting_us"}, // beside other traffic
	} {
		table = made(axes, 1, func([]int, uint64) *Entry {
			s := summaryOf(700*unit.Microsecond, 0)
			s.Groups = []record.Group{{Name: "train"}, {Name: "solve"}}
			list := jobs.Jobs{{Group: "train", Ranks: 4, Time: unit.Millisecond, Exposed: unit.Microsecond}}
			if test.second != "" {
				list = append(list, jobs.Job{Group: test.second, Ranks: 4, Time: 2 * unit.Millisecond})
			}
			s.Sections.Add(&list)
			return done(s)
		}).Table()
		if got := strings.Join(table.Shown()[:3], " "); got != test.want {
			t.Errorf("with the jobs train and %q the table begins with %v", test.second, got)
		}
		if i := table.Column("train.job_time_us"); i < 0 || table.Metrics[i].Title != "train: job time" || table.Cells[0].Estimates[i].Mean != 1000 {
			t.Errorf("train has its time in column %d", i)
		}
	}
}
