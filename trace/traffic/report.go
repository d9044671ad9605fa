package traffic

import (
	"fmt"

	"weft/record/section/jobs"
	"weft/trace/replay"
	"weft/unit"
)

// Job returns what came of the trace until a time, and what keeps it from its end. It is called when the run is over.
func (r *replayed) Job(until unit.Time) (job jobs.Job, stuck []string) {
	job = jobs.Job{Group: r.group, Ranks: len(r.trace.Ranks)}
	cores := make([]*replay.Rank, job.Ranks)
	for i := range cores {
		cores[i] = r.hosts[r.host[i]].core(int32(i))
		job.Operations += int64(r.trace.Ranks[i].Len())
		job.Left += int64(cores[i].Left())
	}
	_, end := r.log.Bounds()
	if job.Left > 0 {
		end = until
	}
	end = max(end, r.start)
	job.Time = end - r.start
	if job.Left > 0 {
		faults := replay.Stuck(r.trace, cores, shown)
		stuck = append(stuck, fmt.Sprintf("%s: %d of %d operations of %s have not ended", r.group, job.Left, job.Operations, r.File))
		for _, f := range faults.List {
			stuck = append(stuck, r.group+": "+f.String())
		}
	}
	return job, stuck
}
