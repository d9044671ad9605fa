package tracing

import (
	"weft/trace/timeline"
	"weft/unit"
)

// Times are in nanoseconds.
type (
	// spent is how a rank spent the time of the job.
	spent struct {
		Computing float64 `json:"computing_ns"`
		Exposed   float64 `json:"exposed_ns"`
		Waiting   float64 `json:"waiting_ns"`
		Idle      float64 `json:"idle_ns"`
		Done      float64 `json:"done_ns"`
	}
	// callClass is the calls of one collective in groups of one class.
	callClass struct {
		Name       string  `json:"name"`
		Group      string  `json:"group"`
		Ranks      int     `json:"ranks"`
		Calls      int     `json:"calls"`
		Unfinished int     `json:"unfinished"`
		Bytes      int64   `json:"bytes"`
		Time       float64 `json:"time_ns"`
		RankTime   float64 `json:"rank_time_ns"`
		// Algorithm and Bus are the bandwidths of nccl-tests. Bus is 0 for what these do not have.
		Algorithm float64 `json:"algorithm_bytes_per_second"`
		Bus       float64 `json:"bus_bytes_per_second"`
	}
	// criticalPath is its sums by class.
	criticalPath struct {
		Compute  float64 `json:"compute_ns"`
		Transfer float64 `json:"transfer_ns"`
		Queue    float64 `json:"queue_ns"`
		Other    float64 `json:"other_ns"`
		Segments int     `json:"segments"`
		// Transfers are the sums of messages by collective and class of groups.
		Transfers []transferred `json:"transfers,omitempty"`
		// Messages are the longest ones.
		Messages []segment `json:"messages"`
		// Path is all segments, with --critical.
		Path []segment `json:"path,omitempty"`
	}
	transferred struct {
		Name  string  `json:"name"`
		Group string  `json:"group"`
		Time  float64 `json:"time_ns"`
	}
	segment struct {
		Begin     float64 `json:"begin_ns"`
		End       float64 `json:"end_ns"`
		Class     string  `json:"class"`
		Why       string  `json:"why"`
		Rank      int32   `json:"rank"`
		Operation string  `json:"operation"`
		// To is the receiver of a message, and Receive the operation there that took it.
		To      *int32 `json:"to,omitempty"`
		Receive string `json:"receive,omitempty"`
		Bytes   *int64 `json:"bytes,omitempty"`
		Tag     *int64 `json:"tag,omitempty"`
	}
)

func inNanoseconds(t unit.Time) float64 { return float64(t) / float64(unit.Nanosecond) }

// add adds what the log tells to a replay as JSON.
func (o *ends) add(r *replayed, v *views) {
	o.Ranks = []spent{}
	for _, t := range timeline.Account(r.trace, r.log, r.begin, r.end) {
		o.Ranks = append(o.Ranks, spent{
			inNanoseconds(t[timeline.Computing]), inNanoseconds(t[timeline.Exposed]), inNanoseconds(t[timeline.Waiting]), inNanoseconds(t[timeline.Idle]), inNanoseconds(t[timeline.Done]),
		})
	}
	o.Calls = []callClass{}
	for _, c := range timeline.Collectives(r.trace, r.log) {
		o.Calls = append(o.Calls, callClass{
			c.Name, c.Group, c.Ranks, c.Calls, c.Unfinished, c.Size, inNanoseconds(c.Time), inNanoseconds(c.RankTime), c.Algorithm(), c.Bus(),
		})
	}
	path := timeline.Critical(r.trace, r.log)
	sums := path.Sums()
	o.Critical = &criticalPath{
		Compute: inNanoseconds(sums[timeline.Compute]), Transfer: inNanoseconds(sums[timeline.Transfer]), Queue: inNanoseconds(sums[timeline.Queue]), Other: inNanoseconds(sums[timeline.Other]),
		Segments: len(path), Messages: r.segments(path.Longest(v.most, timeline.Transfer)),
	}
	for _, t := range r.transfers(path) {
		o.Critical.Transfers = append(o.Critical.Transfers, transferred{t.name, t.group, inNanoseconds(t.time)})
	}
	if v.critical {
		o.Critical.Path = r.segments(path)
	}
}

func (r *replayed) segments(list []timeline.Segment) []segment {
	out := []segment{}
	for _, s := range list {
		sched := &r.trace.Ranks[s.Op.Rank]
		one := segment{Begin: inNanoseconds(s.Begin), End: inNanoseconds(s.End), Class: s.Class.String(), Why: s.Why.String(), Rank: s.Op.Rank, Operation: sched.Name(s.Op.Op)}
		if s.Class == timeline.Transfer {
			o := sched.At(s.Op.Op)
			one.To, one.Bytes, one.Tag = &o.Peer, &o.Size, &o.Tag
			if s.Recv.Rank >= 0 {
				one.Receive = r.receive(s.Recv)
			}
		}
		out = append(out, one)
	}
	return out
}
