package scenario

import (
	"io"

	"weft/record"
	"weft/record/section"
	"weft/record/section/jobs"
	"weft/scenario/internal/watch"
	"weft/trace/traffic"
	"weft/unit"
)

// replaying is a pattern whose hosts replay the trace of an application. replayer is a
// source of such a pattern.
type (
	replaying interface{ Replays() }
	replayer  interface {
		// Outcome returns the state of the trace at a time.
		Outcome(until unit.Time, name func(host int32) string) traffic.Outcome
		// Stuck lists what keeps the trace from ending; it is empty if the trace ended.
		Stuck() []string
		// CriticalPath returns the steps that decided when the trace ended.
		CriticalPath() []traffic.Step
		// Perfetto writes the activity of the ranks as a file for ui.perfetto.dev.
		Perfetto(w io.Writer) error
		// Group returns the name of its group of traffic, and Started when the job starts.
		Group() string
		Started() unit.Time
	}
)

// jobFeature reports the outcome of the traces that hosts replay.
var jobFeature = feature{
	name: "traffic.pattern.kind: trace",
	watch: func(w watched, _ *window) watch.Observer {
		o := &replays{watched: w}
		for i := range w.groups {
			for _, s := range w.groups[i].Sources {
				if r, ok := s.(replayer); ok {
					o.list = append(o.list, r) // every host's source knows the whole job
					break
				}
			}
		}
		if len(o.list) == 0 {
			return nil
		}
		return o
	},
	section: func(s *Spec) section.Section {
		for i := range s.Traffic {
			if _, ok := s.Traffic[i].Pattern.Options.(replaying); ok {
				return new(jobs.Jobs)
			}
		}
		return nil
	},
}

// replays reports the traces of a run.
type replays struct {
	watched
	list []replayer
}

// Section adds the outcomes of the traces. A drained run with operations left did not end
// its job.
func (r *replays) Section(m *watch.Moment, res *record.Result) {
	var list jobs.Jobs
	for _, one := range r.list {
		o := one.Outcome(m.Now, r.hostName)
		list = append(list, o.Job)
		if o.Job.Left > 0 && res.Summary.Ended == record.Drained {
			res.Summary.Ended, res.Summary.Partial = record.Stuck, true
		}
		res.Manifest.Notices = append(res.Manifest.Notices, o.Stuck...)
		res.Jobs.Ranks = append(res.Jobs.Ranks, o.Tables.Ranks...)
		res.Jobs.Activities = append(res.Jobs.Activities, o.Tables.Activities...)
		res.Jobs.Collectives = append(res.Jobs.Collectives, o.Tables.Collectives...)
	}
	res.Summary.Sections.Add(&list)
}
