package scenario

import (
	"weft/record"
	"weft/record/section"
	"weft/record/section/jobs"
	"weft/scenario/internal/watch"
	"weft/unit"
)

// replaying is a pattern whose hosts replay the trace of an application, and replayer a source of it.
type (
	replaying interface{ Replays() }
	replayer  interface {
		// Job returns what came of the trace until a time, and what keeps it from its end.
		Job(until unit.Time) (job jobs.Job, stuck []string)
	}
)

// jobFeature tells what came of the traces that hosts replayed.
var jobFeature = feature{
	name: "traffic.pattern.kind: trace",
	watch: func(w watched, _ *window) watch.Observer {
		o := &replays{watched: w}
		for i := range w.groups {
			for _, s := range w.groups[i].Sources {
				if r, ok := s.(replayer); ok {
					o.list = append(o.list, r) // any host knows all of its job
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

// replays is the traces of a run.
type replays struct {
	watched
	list []replayer
}

// Section adds what came of them. A run in which nothing happens any more, though operations are left, did not end.
func (r *replays) Section(m *watch.Moment, res *record.Result) {
	var list jobs.Jobs
	for _, one := range r.list {
		job, stuck := one.Job(m.Now)
		list = append(list, job)
		if job.Left > 0 && res.Summary.Ended == record.Drained {
			res.Summary.Ended, res.Summary.Partial = record.Stuck, true
		}
		res.Manifest.Notices = append(res.Manifest.Notices, stuck...)
	}
	res.Summary.Sections.Add(&list)
}
