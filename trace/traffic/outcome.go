package traffic

import (
	"weft/internal/readable"
	"weft/record"
	"weft/record/section/jobs"
	"weft/trace/replay"
	"weft/trace/timeline"
	"weft/unit"
)

// Outcome is what came of a trace in a run.
type Outcome struct {
	Job jobs.Job
	// Tables has the ranks, what some of them did when, and the collectives.
	Tables record.Jobs
	// Stuck says what keeps the trace from its end; it is empty if it ended.
	Stuck []string
}

// drawn is of how many ranks figures show what they did when, and instants into how many parts they tell its time.
const (
	drawn    = 64
	instants = 800
)

// Outcome returns what came of the trace until a time. Name returns the name of a host.
func (r *replayed) Outcome(until unit.Time, name func(host int32) string) Outcome {
	o := Outcome{Job: jobs.Job{Group: r.group, Ranks: len(r.trace.Ranks), Operations: int64(r.trace.Operations())}}
	_, end := r.log.Bounds()
	if o.Job.Left = r.left(); o.Job.Left > 0 {
		end, o.Stuck = until, r.Stuck()
	}
	end = max(end, r.start)
	o.Job.Time = end - r.start
	r.account(&o, end, name)
	r.draw(&o, end)
	for _, c := range timeline.Collectives(r.trace, r.log) {
		o.Tables.Collectives = append(o.Tables.Collectives, record.Collective{
			Group: r.group, Name: c.Name, Of: c.Group, Ranks: int32(c.Ranks), Calls: int64(c.Calls), Bytes: c.Size, Time: c.Time,
			AlgorithmRate: int64(8 * c.Algorithm()), BusRate: int64(8 * c.Bus()),
		})
	}
	return o
}

// left returns how many operations have not ended.
func (r *replayed) left() (n int64) {
	for _, core := range r.cores {
		n += int64(core.Left())
	}
	return n
}

// Stuck says what keeps the trace from its end; it is empty if it ended.
func (r *replayed) Stuck() (list []string) {
	left := r.left()
	if left == 0 {
		return nil
	}
	list = append(list, r.group+": "+readable.Count(int(left), "operation")+" of "+string(r.File)+" did not end")
	for _, f := range replay.Stuck(r.trace, r.cores, shown).List {
		list = append(list, r.group+": "+f.String())
	}
	return list
}

// account fills in how ranks spent the time of the job.
func (r *replayed) account(o *Outcome, end unit.Time, name func(host int32) string) {
	var sum timeline.Times
	for i, t := range timeline.Account(r.trace, r.log, r.start, end) {
		o.Tables.Ranks = append(o.Tables.Ranks, record.Rank{
			Group: r.group, Rank: int32(i), Host: name(r.host[i]),
			Computing: t[timeline.Computing], Exposed: t[timeline.Exposed], Waiting: t[timeline.Waiting], Idle: t[timeline.Idle], Done: t[timeline.Done],
		})
		for state := range t {
			sum[state] += t[state]
		}
	}
	n := unit.Time(max(1, len(r.trace.Ranks)))
	j := &o.Job
	j.Computing, j.Exposed, j.Waiting = sum[timeline.Computing]/n, sum[timeline.Exposed]/n, sum[timeline.Waiting]/n
	j.Idle = j.Time - j.Computing - j.Exposed - j.Waiting
}

// draw fills in what ranks did when, of some that are spread evenly.
func (r *replayed) draw(o *Outcome, end unit.Time) {
	n := len(r.trace.Ranks)
	list := make([]int32, min(n, drawn))
	for i := range list {
		list[i] = int32(i * n / len(list))
	}
	for i, intervals := range timeline.Timeline(r.trace, r.log, list, r.start, end, (end-r.start)/instants) {
		for _, one := range intervals {
			o.Tables.Activities = append(o.Tables.Activities, record.Activity{
				Group: r.group, Rank: list[i], State: one.State.String(), Begin: one.Begin, End: one.End,
			})
		}
	}
}
