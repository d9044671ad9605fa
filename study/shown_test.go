package study

import (
	"slices"
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
}
